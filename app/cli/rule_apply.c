// `cleave rule apply`: applies a rule or a script to a mesh, at one place or wherever it matches, and writes what
// becomes of it.

#include "arguments.h"
#include "body.h"
#include "cli.h"
#include "output.h"
#include "rule_place.h"
#include "rule_program.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
  const cli_call *call;
  const clv_program *program;
  const clv_rule *rule;
  cli_body body;
  uint32_t parameter_count, dart_count; // how many of the parameters take darts for certain
  clv_parameter parameters[CLI_PLACES];
  int32_t level;
  bool leveled;          // it was given
  uint32_t rounds, most; // most: 0 is everywhere
  uint64_t applied;
  uint64_t refused; // in the last round
  char reason[512]; // why it was refused first
} job;

static int fail_map(const job *j) {
  fprintf(stderr, "%s: %s\n", j->body.path, clv_map_error(j->body.map));
  return CLI_FAILURE;
}

// ---- the call -------------------------------------------------------------------------------------------------------

static int read_parameters(job *j) {
  clv_parameter parameter;
  for (uint32_t k = 0; clv_rule_parameter(j->rule, k, &parameter); k++) {
    if (k == CLI_PLACES) return cli_failed("cleave: the rule has more parameters than can be given here");
    j->parameters[j->parameter_count++] = parameter;
    j->dart_count += parameter.kind == CLV_PARAMETER_DART;
  }
  return CLI_OK;
}

static int read_level(job *j) {
  const char *level = cli_value(j->call, "level");
  uint32_t number = 0;
  const int result = level ? cli_whole_number(j->call, "K", level, 0, 100, &number) : CLI_OK;
  j->level = (int32_t)number;
  j->leveled = level != NULL;
  return result;
}

static int read_rounds(job *j) {
  const char *rounds = cli_value(j->call, "rounds"), *at = cli_value(j->call, "at");
  j->rounds = 1;
  if (rounds && at && strncmp(at, "all", 3) != 0)
    return cli_misused(j->call->command, "--rounds go over all places; '%s' is one", at);
  return rounds ? cli_whole_number(j->call, "N", rounds, 1, 1000, &j->rounds) : CLI_OK;
}

static int read_most(job *j) {
  const char *most = cli_value(j->call, "most"), *at = cli_value(j->call, "at");
  if (most && at && strncmp(at, "all", 3) != 0)
    return cli_misused(j->call->command, "--most is for all places; '%s' is one", at);
  if (most && !clv_rule_has_rank(j->rule))
    return cli_misused(j->call->command,
                       "'%s' does not say which places come first: write rank VALUE behind its guards",
                       clv_rule_name(j->rule));
  return most ? cli_whole_number(j->call, "N", most, 1, UINT32_MAX, &j->most) : CLI_OK;
}

// Places go to the parameters in order, the level to those that take one. What a script takes is known to the script
// alone: there the level is what comes behind the places.
static int fill_arguments(const job *j, const cli_place *places, int count, clv_rule_argument *arguments) {
  int used = 0;
  bool level_used = false;
  for (uint32_t k = 0; k < j->parameter_count; k++) {
    const clv_parameter_kind kind = j->parameters[k].kind;
    arguments[k] = (clv_rule_argument){.number = j->level};
    if (kind == CLV_PARAMETER_LEVEL || (kind == CLV_PARAMETER_ANY && used == count)) {
      level_used = true;
      continue;
    }
    if (used == count)
      return cli_misused(j->call->command, "'%s' has no place for '%s'; give it behind --at, after a comma",
                         clv_rule_name(j->rule), j->parameters[k].name);
    const cli_place *place = &places[used++];
    if (place->is_path) {
      arguments[k].darts = place->darts;
      arguments[k].dart_count = place->count;
    } else {
      arguments[k].dart = place->darts[0];
    }
  }
  if (used < count)
    return cli_misused(j->call->command, "'%s' takes fewer places than the %d behind --at", clv_rule_name(j->rule),
                       count);
  if (j->leveled && !level_used) return cli_misused(j->call->command, "'%s' takes no level", clv_rule_name(j->rule));
  return CLI_OK;
}

// ---- values ---------------------------------------------------------------------------------------------------------

// `rest`, where the program has it, begins as the file's points.
static void copy_rest(const clv_map *map) {
  const clv_column *from = clv_column_find(map, "pos"), *to = clv_column_find(map, "rest");
  if (!from || !to || clv_column_size(from) != clv_column_size(to)) return;
  const clv_column_def *def = clv_column_get_def(to);
  if (def->orbit != CLV_VERTEX || def->type != CLV_DOUBLE) return;
  uint32_t count = 0;
  const void *values = clv_column_data(from, CLV_NONE, &count);
  memcpy(clv_column_data(to, CLV_NONE, NULL), values, count * clv_column_size(from));
}

// The columns of the program's embeddings and derived quantities, kept by views of no force.
static int make_values(const job *j, clv_views **views) {
  clv_views_def def = clv_default_views_def();
  static const char *const none[] = {NULL};
  def.forces = none;
  clv_error error = {0};
  *views = clv_views_create(j->program, j->body.map, &def, &error);
  if (!*views) {
    fprintf(stderr, "%s: ", j->body.path);
    return cli_failed(error.message);
  }
  copy_rest(j->body.map);
  return clv_views_refresh(*views) ? cli_failed(clv_views_error(*views)) : CLI_OK;
}

// ---- applying -------------------------------------------------------------------------------------------------------

static int note_refusal(job *j, clv_result result) {
  if (result != CLV_ERROR_REFUSED) return fail_map(j);
  if (j->refused++ == 0) snprintf(j->reason, sizeof j->reason, "%s", clv_map_error(j->body.map));
  return CLI_OK;
}

static int note(job *j, clv_result result) {
  if (result != CLV_OK) return note_refusal(j, result);
  j->applied++;
  return CLI_OK;
}

static int apply_once(job *j, const clv_rule_argument *arguments) {
  return note(j, clv_rule_apply(j->rule, j->body.map, arguments, j->parameter_count, NULL, NULL));
}

static int apply_at_places(job *j, const char *text) {
  cli_place places[CLI_PLACES];
  clv_rule_argument arguments[CLI_PLACES];
  int count;
  int result = cli_places_read(j->call, &j->body, text, places, &count);
  if (result == CLI_OK) result = fill_arguments(j, places, count, arguments);
  if (result == CLI_OK) result = apply_once(j, arguments);
  cli_places_free(places, count);
  return result;
}

static int apply_round(job *j, const clv_walk *places) {
  int result = CLI_OK;
  j->refused = 0;
  for (uint32_t k = 0; k < places->count && result == CLI_OK; k++) {
    clv_dart dart = places->darts[k];
    if (!clv_dart_alive(j->body.map, dart)) continue;
    const cli_place place = {&dart, 1, false};
    clv_rule_argument arguments[CLI_PLACES];
    result = fill_arguments(j, &place, 1, arguments);
    if (result == CLI_OK) result = apply_once(j, arguments);
  }
  return result;
}

// Where a rule that has a rank matches, the greatest rank first; of equals, in the order of the places.
typedef struct ranked_place {
  double rank;
  uint32_t place;
} ranked_place;

static int compare_places(const void *a, const void *b) {
  const ranked_place *p = a, *q = b;
  if (p->rank != q->rank) return p->rank > q->rank ? -1 : 1;
  return (p->place > q->place) - (p->place < q->place);
}

static int rank_places(job *j, const clv_walk *places, ranked_place *ranked, size_t *count) {
  clv_rule_argument arguments[CLI_PLACES];
  int result = CLI_OK;
  *count = 0;
  for (uint32_t k = 0; k < places->count && result == CLI_OK; k++) {
    clv_dart dart = places->darts[k];
    const cli_place place = {&dart, 1, false};
    if (!clv_dart_alive(j->body.map, dart)) continue;
    result = fill_arguments(j, &place, 1, arguments);
    if (result != CLI_OK) break;
    ranked_place *to = &ranked[*count];
    const clv_result asked = clv_rule_rank(j->rule, j->body.map, arguments, j->parameter_count, &to->rank);
    to->place = k;
    *count += asked == CLV_OK;
    if (asked != CLV_OK) result = note_refusal(j, asked);
  }
  if (*count) qsort(ranked, *count, sizeof *ranked, compare_places);
  return result;
}

static int apply_in_order(job *j, const clv_walk *places, ranked_place *ranked) {
  size_t count;
  int result = rank_places(j, places, ranked, &count);
  for (size_t k = 0; k < count && result == CLI_OK && !(j->most && j->applied == j->most); k++) {
    clv_dart dart = places->darts[ranked[k].place];
    const cli_place place = {&dart, 1, false};
    clv_rule_argument arguments[CLI_PLACES];
    if (!clv_dart_alive(j->body.map, dart)) continue;
    result = fill_arguments(j, &place, 1, arguments);
    if (result == CLI_OK) result = note(j, clv_rule_apply_ranked(j->rule, j->body.map, arguments, j->parameter_count));
  }
  return result;
}

static int apply_ranked_round(job *j, const clv_walk *places) {
  ranked_place *ranked = malloc((places->count + 1u) * sizeof *ranked);
  if (!ranked) return cli_failed("cleave: out of memory");
  j->refused = 0;
  const int result = apply_in_order(j, places, ranked);
  free(ranked);
  return result;
}

// One dart for each orbit there is now; one that went meanwhile is left out. Again while something was done.
static int apply_everywhere(job *j, clv_orbit orbit) {
  clv_walk walk;
  if (clv_walk_all(&walk, j->body.map, orbit)) return cli_failed("cleave: out of memory");
  int result = CLI_OK;
  bool again = true;
  for (uint32_t round = 0; result == CLI_OK && again && round < j->rounds; round++) {
    const uint64_t before = j->applied;
    result = clv_rule_has_rank(j->rule) ? apply_ranked_round(j, &walk) : apply_round(j, &walk);
    again = j->applied > before && j->applied != j->most;
  }
  clv_walk_end(&walk);
  return result;
}

static int apply(job *j) {
  const char *at = cli_value(j->call, "at");
  const char *name = clv_rule_name(j->rule);
  clv_orbit orbit = j->parameter_count ? j->parameters[0].orbit : 0;
  if (at && strncmp(at, "all", 3) != 0) return apply_at_places(j, at);
  if (j->dart_count > 1)
    return cli_misused(j->call->command, "'%s' has %u hooks; say where they are: --at DART,DART", name,
                       (unsigned)j->dart_count);
  if (at && at[3] == ':') {
    const int result = cli_place_orbit(j->call, at + 4, &orbit);
    if (result != CLI_OK) return result;
  } else if (at && at[3]) {
    return cli_misused(j->call->command, "'%s' is no place; write all or all:face", at);
  } else if (j->dart_count == 0) {
    return cli_misused(j->call->command,
                       "'%s' is a script; say what it goes over, such as --at all:face or --at cell:0", name);
  }
  return apply_everywhere(j, orbit);
}

// ---- what became of it ----------------------------------------------------------------------------------------------

static void print_change(const char *name, uint64_t before, uint64_t after) {
  if (before == after)
    printf("%-14s%s\n", name, cli_grouped(after).text);
  else
    printf("%-14s%s, before %s\n", name, cli_grouped(after).text, cli_grouped(before).text);
}

static void print_changes(const job *j, const clv_map_info *before, const clv_map_info *after) {
  printf("'%s' was applied %s", clv_rule_name(j->rule), cli_counted(j->applied, "time", "times").text);
  if (j->refused) printf("; at %s it was refused", cli_counted(j->refused, "place", "places").text);
  putchar('\n');
  for (int i = 0; i <= (int)j->body.map->dimension; i++)
    print_change(cli_cell_names(i), before->cells[i], after->cells[i]);
  print_change("components", before->components, after->components);
  print_change("boundary", before->boundary_facets, after->boundary_facets);
}

static void print_problem(void *user, const clv_problem *problem) {
  const job *j = user;
  fprintf(stderr, "%s: %s: %s\n", j->body.path, problem->condition, problem->message);
}

// The cells as they are now, with the names of the regions that the file had.
static int write_result(job *j) {
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_error error = {0};
  int result = clv_mesh_extract(&mesh, j->body.map, &error) ? cli_failed(error.message) : CLI_OK;
  for (size_t r = 0; result == CLI_OK && r < j->body.mesh.region_count; r++) {
    const clv_region *region = &j->body.mesh.regions[r];
    if (clv_mesh_add_region(&mesh, region->dimension, region->tag, region->name))
      result = cli_failed("cleave: out of memory");
  }
  if (result == CLI_OK) result = cli_write_mesh(j->call, &mesh, cli_value(j->call, "output"));
  if (result == CLI_OK)
    cli_print_note(j->body.path, j->body.mesh.field_count, "field was left behind", "fields were left behind");
  clv_mesh_free(&mesh);
  return result;
}

static int apply_and_commit(job *j) {
  clv_map *map = j->body.map;
  if (clv_map_begin(map)) return fail_map(j);
  int result = apply(j);
  if (result == CLI_OK && !j->applied) {
    fprintf(stderr, "%s: nothing was changed: %s\n", j->body.path,
            j->refused ? j->reason : "there is no place to apply the rule to");
    result = CLI_FAILURE;
  }
  if (result == CLI_OK && clv_map_commit(map)) result = fail_map(j);
  if (result != CLI_OK) clv_map_rollback(map);
  return result;
}

static int change_body(job *j) {
  clv_map *map = j->body.map;
  clv_map_info before, after;
  if (clv_map_count(map, &before)) return fail_map(j);
  int result = apply_and_commit(j);
  if (result != CLI_OK) return result;
  cli_body_stage(&j->body, "checking the map");
  const clv_result sound = clv_map_check(map, print_problem, j);
  if (sound || clv_map_count(map, &after)) {
    fprintf(stderr, "%s: %s\n", j->body.path, clv_result_name(sound ? sound : CLV_ERROR_MEMORY));
    return CLI_FAILURE;
  }
  print_changes(j, &before, &after);
  return write_result(j);
}

static int change_with_values(job *j) {
  clv_views *views = NULL;
  int result = make_values(j, &views);
  if (result == CLI_OK) result = change_body(j);
  clv_views_destroy(views);
  return result;
}

static int run_with(const cli_call *call, const clv_program *program) {
  static const char *const sorts[] = {"rule", "script", NULL};
  const char *name = call->words[call->word_count - 2];
  job j = {.call = call, .program = program, .rule = clv_program_rule(program, name)};
  if (!j.rule) return cli_program_unknown(program, name, sorts);
  int result = read_parameters(&j);
  if (result == CLI_OK) result = read_level(&j);
  if (result == CLI_OK) result = read_rounds(&j);
  if (result == CLI_OK) result = read_most(&j);
  if (result == CLI_OK) result = cli_check_format(call, cli_value(call, "output"));
  if (result == CLI_OK)
    result = cli_body_load(&j.body, call->words[call->word_count - 1], cli_flag(call, "merge-points"));
  if (result != CLI_OK) return result;
  result = change_with_values(&j);
  cli_body_free(&j.body);
  return result;
}

static int run_rule_apply(const cli_call *call) {
  clv_program *program;
  int result = cli_program_load_with(call->words, call->word_count - 2, cli_value(call, "params"), &program);
  if (result != CLI_OK) return result;
  result = run_with(call, program);
  clv_program_destroy(program);
  return result;
}

const cli_command cli_rule_apply = {
    .name = "rule apply",
    .what = "apply a rule or a script to a mesh",
    .words = "FILE... NAME MESH",
    .min_words = 3,
    .max_words = INT32_MAX,
    .options =
        {
            {.name = "output",
             .letter = 'o',
             .required = true,
             .value_count = 1,
             .values = "FILE",
             .what = "where to write what becomes of it"},
            {.name = "at", .value_count = 1, .values = "PLACES", .what = "where to apply it; everywhere unless given"},
            {.name = "level", .value_count = 1, .values = "K", .what = "the level of refinement; 0 unless given"},
            {.name = "rounds",
             .value_count = 1,
             .values = "N",
             .what = "as often at most it goes over its places, while it matches at one; 1 unless given"},
            {.name = "most",
             .value_count = 1,
             .values = "N",
             .what = "how many times at most, where its rank is greatest; everywhere unless given"},
            {.name = "params",
             .value_count = 1,
             .values = "SET",
             .what = "values of the rules' parameters: \"NAME=V NAME=V,V,V ...\""},
            CLI_MERGE_OPTION,
            CLI_FORMAT_OPTION,
        },
    .help =
        "Reads MESH, applies the rule or script NAME of the program that the FILEs are, checks the map and writes its "
        "cells.\n"
        "\n"
        "Places, one for each hook, with commas between them:\n"
        "  all          every orbit of the hook, in order: once where the rule matches, else not (rules of one hook)\n"
        "  all:ORBIT    every vertex, edge, face, cell, corner or dart\n"
        "  cell:N       a dart of element N of the file, counted from 0\n"
        "  vertex:N     a dart at point N of the file, counted from 0\n"
        "  facet:M:N    a dart of element M where it meets element N\n"
        "  N            dart N of the map\n"
        "  path:N+N+... several darts, for a script that takes a path\n"
        "\n"
        "Rounds after the first go over the same places, those that are still there: a place that waited for its\n"
        "neighbours may match by then. A rule that has a rank is asked at all places first, and then applied where it\n"
        "matched, the greatest rank first.\n"
        "\n"
        "All is one transaction: what fails leaves nothing behind, and no file.\n"
        "\n"
        "  cleave rule apply topology triangulate plate.vtu -o finer.vtu\n"
        "  cleave rule apply topology unsew3 liver.msh --at facet:7:8 -o cut.vtu\n"
        "  cleave rule apply surgery cut liver.msh --params \"blade_point=0,0,0.1 blade_up=0,0,1\" -o halves.vtu\n"
        "  cleave rule apply surgery split_crossed liver.msh --at all:edge --rounds 9 --params "
        "\"blade_point=0,0,0.1\" -o "
        "split.vtu\n",
    .run = run_rule_apply,
};
