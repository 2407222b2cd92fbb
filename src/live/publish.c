// Publishing: from the world to the board, and texts to clients.
//
// Positions cost a pass over the particles, faces what changed of them. Fields cost far more, so they come as
// often as leaves the engine nineteen parts of its time in twenty.

#include "live/live.h"
#include "physics/body.h"

#include <math.h>

enum { MOST_PER_SECOND = 60, FIELD_SHARE = 20 };

// ---- the board ----------------------------------------------------------------------------------

static bool publish_points(const live_board *board, live_panel *panel, clv_body *body) {
  const uint32_t count = 3 * clv_body_slots(body);
  const double *x = clv_body_positions(body);
  if (!BASE_RESERVE(board->allocator, &panel->points, count)) return false;
  for (uint32_t k = 0; k < count; k++) panel->points.data[k] = (float)x[k];
  panel->points.count = count;
  return true;
}

static bool publish_held(const live_board *board, live_panel *panel, live_body *b, clv_body *body, uint64_t revision) {
  if (b->subject == body->subject && revision == panel->held_revision && panel->held_version) return true;
  const uint32_t *held = clv_body_held(body), slots = clv_body_slots(body);
  if (!BASE_RESERVE(board->allocator, &panel->held, slots)) return false;
  panel->held.count = 0;
  const clv_map *map = clv_body_map(body);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
    if ((held[id.index] & ~body->always_held) != 0) panel->held.data[panel->held.count++] = id.index;
  panel->held_version++;
  panel->held_revision = revision;
  b->subject = body->subject;
  return true;
}

// ---- fields -------------------------------------------------------------------------------------

static float cell_value(const clv_live *live, uint32_t body, live_field_name name, clv_dart cell) {
  const live_show *show = &live->bodies[body].show;
  if (name == LIVE_LEVEL) return (float)clv_surgery_level(show->surgery, cell);
  if (name == LIVE_REGION) return show->region ? (float)*(const int32_t *)clv_column_at(show->region, cell) : 0;
  clv_cell_state state;
  clv_body_cell_state(show->body, cell, &state);
  if (name == LIVE_VON_MISES) return (float)state.von_mises;
  if (name == LIVE_ENERGY) return (float)state.energy;
  return (float)fmax(fabs(state.stretch[0] - 1), fabs(state.stretch[1] - 1));
}

static void note_value(live_field *field, uint32_t at, float value) {
  field->values.data[at] = value;
  if (!isfinite(value)) field->values.data[at] = value = 0;
  field->least = fminf(field->least, value);
  field->greatest = fmaxf(field->greatest, value);
}

static bool publish_field(clv_live *live, uint32_t body, live_field_name name) {
  live_field *field = &live->board.panels[body].fields[name];
  clv_body *b = clv_world_body(live->world, body);
  const clv_map *map = clv_body_map(b);
  field->on_cells = name != LIVE_VELOCITY;
  const uint32_t count = field->on_cells ? live_cell_slots(map) : clv_body_slots(b);
  if (!BASE_RESERVE(&live->allocator, &field->values, count)) return false;
  memset(field->values.data, 0, count * sizeof *field->values.data);
  field->values.count = count;
  field->least = INFINITY;
  field->greatest = -INFINITY;
  const clv_orbit orbit = field->on_cells ? CLV_CELL : CLV_VERTEX;
  const double *v = clv_body_velocities(b);
  for (clv_id id = clv_id_next(map, orbit, (clv_id){0}); id.index; id = clv_id_next(map, orbit, id)) {
    const double *u = v + 3 * (size_t)id.index;
    note_value(field, id.index,
               field->on_cells ? cell_value(live, body, name, clv_id_dart(map, CLV_CELL, id))
                               : (float)sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  }
  if (field->least > field->greatest) field->least = field->greatest = 0;
  field->number++;
  return true;
}

static bool publish_fields(clv_live *live, const uint32_t *wanted) {
  const double start = live_clock();
  bool good = true, any = false;
  if (start < live->field_due) return true;
  for (uint32_t f = 0; f < LIVE_FIELDS; f++)
    for (uint32_t b = 0; wanted[f] && good && b < live->body_count; b++, any = true)
      good = publish_field(live, b, (live_field_name)f);
  const double end = live_clock();
  if (any) live->field_due = live->paused ? 0 : end + FIELD_SHARE * (end - start);
  return good;
}

// ---- all of it ----------------------------------------------------------------------------------

static bool publish_world(clv_live *live, const uint32_t *wanted) {
  live_board *board = &live->board;
  bool good = true;
  for (uint32_t b = 0; good && b < live->body_count; b++) {
    live_panel *panel = &board->panels[b];
    live_show *show = &live->bodies[b].show;
    clv_body *body = clv_world_body(live->world, b);
    good = publish_points(board, panel, body) &&
           publish_held(board, panel, &live->bodies[b], body, clv_map_revision(clv_body_map(body)));
    for (uint32_t k = 0; good && k < LIVE_LAYERS; k++)
      if (show->layers[k].kept) good = live_board_take(board, &panel->layers[k], &show->layers[k]);
  }
  board->time = clv_world_time(live->world);
  board->step = clv_world_steps(live->world);
  return good && publish_fields(live, wanted);
}

void live_publish(clv_live *live) {
  uint32_t wanted[LIVE_FIELDS];
  pthread_mutex_lock(&live->post_lock);
  memcpy(wanted, live->field_wanted, sizeof wanted);
  const bool inner = live->inner_wanted;
  pthread_mutex_unlock(&live->post_lock);
  const double start = live_clock();
  for (uint32_t b = 0; live->world && b < live->body_count; b++) {
    live_show_keep(&live->bodies[b].show, 0, true);
    live_show_keep(&live->bodies[b].show, 1, inner);
    if (!live_show_update(&live->bodies[b].show)) return; // memory is out: the next time, perhaps
  }
  if (pthread_mutex_trylock(&live->board_lock) != 0) return;
  const bool good = live->series ? live_result_publish(live, wanted) : publish_world(live, wanted);
  live->board.paused = live->paused;
  live->board.publication += good;
  pthread_mutex_unlock(&live->board_lock);
  const double end = live_clock();
  live->send_seconds += end - start;
  live->changed = !good;
  if (live->def.wake) live->def.wake(live->def.user);
}

double live_next_beat(double beat, double now, double rate) {
  return fmax(beat, now - 1 / rate) + 1 / rate;
}

void live_publish_if_due(clv_live *live) {
  const double now = live_clock();
  if (!live->changed || now < live->publish_due) return;
  live->publish_due = live_next_beat(live->publish_due, now, MOST_PER_SECOND);
  live_publish(live);
}

// ---- texts --------------------------------------------------------------------------------------

static void post_to(clv_live *live, live_client *client, const live_text *text) {
  const size_t size = text->bytes.count;
  if (!BASE_RESERVE(&live->allocator, &client->outbox, (uint64_t)client->outbox.count + 1)) return;
  char *data = base_allocate(&live->allocator, CLV_LIVE_HEAD + size + 1);
  if (!data) return;
  memset(data, 0, CLV_LIVE_HEAD);
  memcpy(data + CLV_LIVE_HEAD, text->bytes.data, size);
  data[CLV_LIVE_HEAD + size] = '\0';
  client->outbox.data[client->outbox.count++] = (live_message){data, size};
}

void live_post(clv_live *live, uint32_t number, const live_text *text) {
  if (text->failed || !text->bytes.count) return;
  pthread_mutex_lock(&live->post_lock);
  for (uint32_t k = 0; k < CLV_LIVE_CLIENTS; k++) {
    live_client *client = &live->clients[k];
    const bool meant = client->number && (number ? client->number == number : true);
    if (meant && client->outbox.count >= (number ? LIVE_MOST_ANSWERS : LIVE_OUTBOX)) continue; // it does not listen
    if (meant) post_to(live, client, text);
  }
  pthread_mutex_unlock(&live->post_lock);
  if (live->def.wake) live->def.wake(live->def.user);
}

// ---- news ---------------------------------------------------------------------------------------

static void say_vector(live_text *text, const double *v) {
  live_say(text, "[");
  for (uint32_t k = 0; k < 3; k++) {
    if (k) live_say(text, ", ");
    live_say_number(text, v[k]);
  }
  live_say(text, "]");
}

static void say_pair(live_text *text, const char *before, const char *name, double value) {
  live_say(text, "%s\"%s\": ", before, name);
  live_say_number(text, value);
}

static void say_stages(clv_live *live, live_text *text) {
  const clv_world_report *sums = &live->sums;
  const double n = live->sum_steps ? (double)live->sum_steps : 1;
  say_pair(text, ", \"stages\": {", "forces", sums->solver.force_seconds / n);
  say_pair(text, ", ", "solve", sums->solver.solve_seconds / n);
  say_pair(text, ", ", "events", sums->events_seconds / n);
  say_pair(text, ", ", "step", sums->total_seconds / n);
  say_pair(text, ", ", "send", live->send_seconds / n);
  live_say(text, "}");
  live->sums = (clv_world_report){0};
  live->sum_steps = 0;
  live->send_seconds = 0;
}

static void say_measures(clv_live *live, live_text *text) {
  clv_energies sum = {0};
  double momentum[3] = {0, 0, 0};
  for (uint32_t b = 0; b < live->body_count; b++) {
    clv_body *body = clv_world_body(live->world, b);
    clv_energies e = {0};
    clv_momenta m;
    if (clv_body_energies(body, &e) != CLV_OK) e = (clv_energies){NAN, NAN, NAN};
    clv_body_momenta(body, &m);
    sum.kinetic += e.kinetic;
    sum.elastic += e.elastic;
    sum.gravitational += e.gravitational;
    for (uint32_t k = 0; k < 3; k++) momentum[k] += m.linear[k];
  }
  say_pair(text, ", \"energy\": {", "kinetic", sum.kinetic);
  say_pair(text, ", ", "elastic", sum.elastic);
  say_pair(text, ", ", "potential", sum.gravitational);
  live_say(text, "}, \"momentum\": ");
  say_vector(text, momentum);
}

// What cuts laid open: faces; of surfaces, sides.
static uint32_t count_open(const live_table *table) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < table->faces.count; k++) {
    const uint32_t flags = table->faces.data[k].flags;
    count += flags & LIVE_FACE_OPEN;
    for (uint32_t side = 0; side < 3; side++) count += (flags & (uint32_t)LIVE_FACE_OPEN_SIDE << side) != 0;
  }
  return count;
}

static void say_bodies(clv_live *live, live_text *text) {
  live_say(text, ", \"bodies\": [");
  for (uint32_t b = 0; b < live->body_count; b++) {
    live_body *own = &live->bodies[b];
    clv_body *body = clv_world_body(live->world, b);
    const clv_map *map = clv_body_map(body);
    uint64_t cells = 0, vertices = 0;
    for (int kind = CLV_TRI; kind <= CLV_POLYHEDRON; kind++) cells += clv_cell_count(map, (clv_kind)kind);
    for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
      vertices++;
    if (own->revision != clv_map_revision(map)) own->components = live_show_components(&own->show);
    own->revision = clv_map_revision(map);
    live_say(
        text, "%s{\"vertices\": %llu, \"cells\": %llu, \"components\": %u, \"cut\": %u, \"model\": ", b ? ", " : "",
        (unsigned long long)vertices, (unsigned long long)cells, own->components, count_open(&own->show.layers[0]));
    live_say_text(text, live_model_name(live, b));
    live_say(text, ", \"integrator\": \"%s\"}",
             clv_method_name(clv_solver_get_def(clv_world_solver(live->world, b))->method));
  }
  live_say(text, "]");
}

static void say_lines(const clv_live *live, live_text *text, const char *name, bool warnings) {
  live_say(text, ", \"%s\": [", name);
  for (uint32_t k = 0; k < live->line_count[warnings]; k++) {
    if (k) live_say(text, ", ");
    live_say_text(text, live->lines[warnings][k]);
  }
  live_say(text, "]");
}

void live_news(clv_live *live) {
  pthread_mutex_lock(&live->post_lock);
  bool anybody = false;
  for (uint32_t k = 0; k < CLV_LIVE_CLIENTS; k++) anybody |= live->clients[k].number != 0;
  pthread_mutex_unlock(&live->post_lock);
  if (!anybody) return;
  live_text *text = &live->text;
  const double now = live_clock(), time = live->world ? clv_world_time(live->world) : live->board.time;
  const double factor = now > live->news_wall ? fmax(0, time - live->news_time) / (now - live->news_wall) : 0;
  text->bytes.count = 0;
  say_pair(text, "{\"news\": {", "time", time);
  live_say(text, ", \"step\": %llu, \"paused\": %s",
           (unsigned long long)(live->world ? clv_world_steps(live->world) : live->frame),
           live->paused ? "true" : "false");
  say_pair(text, ", ", "factor", factor);
  say_pair(text, ", ", "speed", live->factor);
  live->news_wall = now;
  live->news_time = time;
  if (live->world) {
    say_stages(live, text);
    say_measures(live, text);
    say_bodies(live, text);
    live_say(text, ", \"undo\": %u, \"recording\": %s", live->undo.count, live->recording ? "true" : "false");
    live_say(text, ", \"settings\": {");
    for (uint32_t k = 0; k < LIVE_SETTINGS; k++)
      say_pair(text, k ? ", " : "", live_setting_names[k], live->settings[k].value);
    live_say(text, "}");
  }
  say_lines(live, text, "journal", false);
  say_lines(live, text, "warnings", true);
  live_say(text, "}}");
  live_post(live, 0, text);
}

// ---- the hello ----------------------------------------------------------------------------------

static void say_body(clv_live *live, live_text *text, uint32_t b) {
  const char *name = live->series ? clv_series_body_name(live->series, b) : clv_world_body_name(live->world, b);
  live_say(text, "%s{\"name\": ", b ? ", " : "");
  live_say_text(text, name);
  if (live->world) {
    live_say(text, ", \"dimension\": %u, \"model\": ", clv_body_map(clv_world_body(live->world, b))->dimension);
    live_say_text(text, live_model_name(live, b));
    live_say(text, ", \"integrator\": \"%s\"",
             clv_method_name(clv_solver_get_def(clv_world_solver(live->world, b))->method));
  } else {
    live_say(text, ", \"dimension\": %d, \"model\": null, \"integrator\": null", clv_mesh_dimension(&live->meshes[b]));
  }
  live_say(text, "}");
}

static void say_settings(const clv_live *live, live_text *text) {
  live_say(text, ", \"settings\": {");
  for (uint32_t k = 0; live->world && k < LIVE_SETTINGS; k++) {
    const live_setting *s = &live->settings[k];
    live_say(text, "%s\"%s\": ", k ? ", " : "", live_setting_names[k]);
    say_pair(text, "{", "value", s->value);
    say_pair(text, ", ", "least", s->least);
    say_pair(text, ", ", "most", s->most);
    live_say(text, "}");
  }
  live_say(text, "}");
}

static void say_hello(clv_live *live, live_text *text) {
  const char *name;
  live_say(text, "{\"hello\": 1, \"kind\": \"%s\", \"title\": ", live->series ? "result" : "scene");
  live_say_text(text, live->scene ? clv_scene_title(live->scene) : live->source ? live->source : "");
  live_say(text, ", \"bodies\": [");
  for (uint32_t b = 0; b < live->body_count; b++) say_body(live, text, b);
  live_say(text, "], \"models\": [");
  for (uint32_t k = 0, said = 0; live->world && (name = clv_model_list(k, NULL)); k++)
    if (strcmp(name, "rules") != 0) live_say(text, "%s\"%s\"", said++ ? ", " : "", name);
  live_say(text, "], \"integrators\": [");
  for (uint32_t k = 0; live->world && k < CLV_METHOD_COUNT; k++)
    live_say(text, "%s\"%s\"", k ? ", " : "", clv_method_name((clv_method)k));
  live_say(text, "], \"fields\": [");
  for (uint32_t k = 0; k < LIVE_FIELDS; k++) live_say(text, "%s\"%s\"", k ? ", " : "", live_field_names[k]);
  live_say(text, "]");
  say_settings(live, text);
  live_say(text, ", \"box\": [");
  say_vector(text, live->box[0]);
  live_say(text, ", ");
  say_vector(text, live->box[1]);
  live_say(text, "], \"frames\": %u}", live->series ? clv_series_frames(live->series) : 0);
}

// A text of its own: the one for answers may be half written when this is called.
void live_renew_hello(clv_live *live) {
  live_text text = {.allocator = &live->allocator};
  say_hello(live, &text);
  if (!text.failed) {
    pthread_mutex_lock(&live->post_lock);
    const live_text old = live->hello;
    live->hello = text;
    text = old;
    pthread_mutex_unlock(&live->post_lock);
    live_post(live, 0, &live->hello);
  }
  live_text_free(&text);
}
