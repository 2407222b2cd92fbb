// A scene in words. The world is built for it, so that what is said of cells, laws and particles is what there is.

#include "scene/scene.h"
#include "scene/table.h"
#include "scene/text.h"

#include <math.h>
#include <stdio.h>

typedef struct explainer {
  scene_text out;
  clv_scene *scene;
  clv_world *world;
} explainer;

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static void add_vector(scene_text *out, const double v[3]) {
  scene_add(out, "(%s, %s, %s)", scene_real_show(v[0]).text, scene_real_show(v[1]).text, scene_real_show(v[2]).text);
}

// ---- what it is made of -------------------------------------------------------------------------

static void add_mesh(explainer *e, const scene_mesh *mesh, clv_body *body) {
  scene_text *out = &e->out;
  if (mesh->file) {
    scene_add(out, "  mesh      %s", mesh->file);
  } else {
    scene_add(out, "  mesh      a grid of %s, %u x %u x %u", clv_grid_name((clv_grid_kind)mesh->grid), mesh->cells[0],
              mesh->cells[1], mesh->cells[2] ? mesh->cells[2] : 1);
  }
  clv_momenta momenta;
  clv_body_momenta(body, &momenta);
  const clv_map *map = clv_body_map(body);
  const char *before = ": ";
  for (int kind = CLV_TRI; kind <= CLV_POLYHEDRON; kind++) {
    const uint32_t count = clv_cell_count(map, (clv_kind)kind);
    if (count == 0) continue;
    scene_add(out, "%s%u %s", before, count, clv_kind_name((clv_kind)kind));
    before = ", ";
  }
  scene_add(out, "\n  mass      %g kg\n", momenta.mass);
}

// The constants that elastic laws are written in.
static void add_constants(scene_text *out, const clv_material *m, bool flat) {
  const double mu = m->young / (2 * (1 + m->poisson));
  scene_add(out, "            E = %g Pa, nu = %g, rho = %g kg/m^3", m->young, m->poisson, m->density);
  if (flat) {
    scene_add(out, ", thickness %g m: plane stress lambda = E nu/(1 - nu^2) = %g Pa, mu = E/(2(1 + nu)) = %g Pa\n",
              m->thickness, m->young * m->poisson / (1 - m->poisson * m->poisson), mu);
  } else {
    scene_add(out, ": lambda = E nu/((1 + nu)(1 - 2 nu)) = %g Pa, mu = E/(2(1 + nu)) = %g Pa\n",
              m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson)), mu);
  }
  // The fastest wave tells what an explicit step has to follow.
  const double poisson = flat ? 0 : m->poisson;
  const double stiff = m->young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson));
  scene_add(out, "            sound runs at %g m/s\n", sqrt(stiff / m->density));
}

static void add_parameters(scene_text *out, const scene_parameters *params) {
  for (uint32_t k = 0; k < params->count; k++) {
    const scene_parameter *parameter = &params->items[k];
    scene_add(out, "%s%s = %g%s", k ? ", " : "; ", parameter->name, parameter->values[0],
              parameter->count > 1 ? " ..." : "");
  }
}

static void add_model(scene_text *out, const char *where, const scene_model *model, const clv_material *material,
                      bool flat) {
  if (model->rules.count) {
    scene_add(out, "  %-9s rules of your own:", where);
    for (uint32_t k = 0; k < model->rules.count; k++) scene_add(out, " %s", model->rules.items[k]);
    add_parameters(out, &model->params);
    scene_add(out, "\n");
  } else {
    const char *what = "";
    const char *name = clv_model_list(model->name, &what);
    scene_add(out, "  %-9s %s: %s\n", where, name, what);
  }
  add_constants(out, material, flat);
}

static void add_laws(explainer *e, clv_body *body) {
  clv_views *views = clv_body_views(body);
  scene_add(&e->out, "  forces   ");
  for (uint32_t law = 0; law < clv_views_law_count(views); law++) {
    const char *name = clv_views_law_name(views, law);
    const uint64_t rows = clv_views_rows(views, name);
    if (rows) scene_add(&e->out, " %s (%llu place%s)", name, (unsigned long long)rows, plural(rows));
  }
  scene_add(&e->out, "\n");
}

// ---- what is done to it -------------------------------------------------------------------------

static void add_zone(scene_text *out, const scene_part *part, const scene_group *group, const scene_zone *zone) {
  const scene_key *key = scene_zone_key(part, group);
  if (!key) return;
  scene_add(out, "%s ", key->name);
  if (strcmp(key->name, "region") == 0) {
    if (zone->region.name) {
      scene_add(out, "%s", scene_text_show(zone->region.name).text);
    } else {
      scene_add(out, "%d", zone->region.tag);
    }
  } else if (strcmp(key->name, "box") == 0) {
    add_vector(out, zone->box[0]);
    scene_add(out, " to ");
    add_vector(out, zone->box[1]);
  } else if (strcmp(key->name, "sphere") == 0) {
    scene_add(out, "of radius %g m about ", zone->sphere.radius);
    add_vector(out, zone->sphere.center);
  } else if (strcmp(key->name, "capsule") == 0) {
    scene_add(out, "of radius %g m from ", zone->capsule.radius);
    add_vector(out, zone->capsule.from);
    scene_add(out, " to ");
    add_vector(out, zone->capsule.to);
  } else if (strcmp(key->name, "plane") == 0) {
    scene_add(out, "through ");
    add_vector(out, zone->plane.point);
    scene_add(out, ", normal ");
    add_vector(out, zone->plane.normal);
  } else if (strcmp(key->name, "nearest") == 0) {
    scene_add(out, "to ");
    add_vector(out, zone->nearest);
  }
}

static void add_path(scene_text *out, const scene_path *path, const char *unit) {
  if (path->count == 1) {
    scene_add(out, ", ");
    add_vector(out, path->items[0].value);
    scene_add(out, " %s", unit);
    return;
  }
  scene_add(out, ", a path of %u points: ", path->count);
  add_vector(out, path->items[0].value);
  scene_add(out, " at %g s to ", path->items[0].time);
  add_vector(out, path->items[path->count - 1].value);
  scene_add(out, " %s at %g s", unit, path->items[path->count - 1].time);
}

// Nothing where it is not said.
static void add_where(scene_text *out, const char *word, const scene_where *where, const scene_group *group) {
  if (!scene_zone_key(&where->part, group)) return;
  scene_add(out, "%s", word);
  add_zone(out, &where->part, group, &where->zone);
}

static void add_adapt(scene_text *out, const scene_hold *hold) {
  static const char *const units[CLV_ADAPT_KIND_COUNT] = {" m", " Pa", " 1/m"};
  const clv_adapt_kind kind = scene_adapt_kind(hold);
  if (kind != CLV_ADAPT_ZONE) scene_add(out, "%g%s", hold->bound[kind], units[kind]);
  if (kind == CLV_ADAPT_NEAR) {
    scene_add(out, " to ");
    add_vector(out, hold->centre);
  }
  scene_add(out, "%sto level %u", kind == CLV_ADAPT_ZONE ? "" : ", ", hold->level);
  add_where(out, ", in ", &hold->in, &scene_group_where);
  if (hold->most) scene_add(out, ", at most %u cell%s a step", hold->most, plural(hold->most));
}

static void add_tear(scene_text *out, const scene_hold *hold) {
  static const char *const units[CLV_TEAR_KIND_COUNT] = {" Pa", "", " N"};
  const int kind = clv_tear_from_name(scene_zone_key(&hold->part, &scene_group_tear)->name);
  scene_add(out, "%g%s", hold->threshold[kind], units[kind]);
  add_where(out, ", in ", &hold->in, &scene_group_where);
  add_where(out, ", along ", &hold->along, &scene_group_where);
  if (hold->most) scene_add(out, ", at most %u facet%s a step", hold->most, plural(hold->most));
}

static void add_apply(scene_text *out, const scene_hold *hold) {
  const scene_key *on = &scene_group_apply.keys[scene_key_number(&scene_group_apply, "on")];
  scene_add(out, "%s", scene_text_show(hold->rule).text);
  if (hold->file) scene_add(out, " of %s", scene_text_show(hold->file).text);
  if (hold->on) scene_add(out, ", on each %s", on->word(hold->on));
  if (hold->rounds > 1) scene_add(out, ", %u rounds at most", hold->rounds);
  if (hold->most) scene_add(out, ", at most %u time%s at once", hold->most, plural(hold->most));
  add_where(out, ", in ", &hold->in, &scene_group_where);
  add_where(out, ", along ", &hold->along, &scene_group_where);
  add_where(out, ", touching ", &hold->touching, &scene_group_touching);
  add_parameters(out, &hold->params);
}

static void add_edge(scene_text *out, const double (*edge)[3]) {
  scene_add(out, "edge ");
  add_vector(out, edge[0]);
  scene_add(out, " to ");
  add_vector(out, edge[1]);
}

static void add_slice(scene_text *out, const scene_hold *hold) {
  const clv_slice *slice = &hold->slice;
  if (hold->blade.path.count) {
    add_edge(out, hold->blade.edge);
    add_path(out, &hold->blade.path, "m");
  }
  if (slice->level) scene_add(out, ", refined to level %u", slice->level);
  scene_add(out, ", %s cells", slice->exact ? "through" : "round");
}

static void add_hold(scene_text *out, const scene_hold *hold, const scene_group *group) {
  add_zone(out, &hold->part, group, &hold->zone);
  if (hold->surface) scene_add(out, "%s", scene_text_show(hold->surface).text);
  if (hold->particles.count)
    scene_add(out, "nearest to %u point%s", hold->particles.count, plural(hold->particles.count));
  if (group == &scene_group_knife) add_edge(out, hold->edge);
  if (group == &scene_group_tear) add_tear(out, hold);
  if (group == &scene_group_slice) add_slice(out, hold);
  if (group == &scene_group_adapt) add_adapt(out, hold);
  if (group == &scene_group_apply) add_apply(out, hold);
  if (group == &scene_group_refine || group == &scene_group_coarsen) scene_add(out, ", to level %u", hold->level);
  if (group == &scene_group_scalpel)
    scene_add(out, "of radius %g m, sharpness %g, toughness %g Pa", hold->scalpel.radius, hold->scalpel.sharpness,
              hold->scalpel.toughness);
  if (hold->axes && hold->axes != CLV_XYZ) {
    scene_add(out, ", along %s%s%s", hold->axes & CLV_X ? "x" : "", hold->axes & CLV_Y ? "y" : "",
              hold->axes & CLV_Z ? "z" : "");
  }
  if (hold->lasts > 0)
    scene_add(out, ", before every step for %g s", hold->lasts);
  else if (hold->path.count)
    add_path(out, &hold->path, group == &scene_group_pull ? "N" : "m");
}

static void add_holds(scene_text *out, const char *word, const scene_holds *holds, const scene_group *group) {
  for (uint32_t k = 0; k < holds->count; k++) {
    scene_add(out, "  %-9s ", word);
    add_hold(out, &holds->items[k], group);
    scene_add(out, "\n");
  }
}

static void add_held(explainer *e, clv_body *body) {
  const uint32_t *held = clv_body_held(body);
  const double *masses = clv_body_masses(body);
  uint32_t particles = 0, count = 0;
  for (uint32_t s = 0; s < clv_body_slots(body); s++) {
    particles += masses[s] > 0;
    count += held[s] != 0;
  }
  scene_add(&e->out, "  particles %u, of which %u %s held or moved\n", particles, count, count == 1 ? "is" : "are");
}

static void add_body(explainer *e, uint32_t b) {
  const scene_body *part = &e->scene->bodies.items[b];
  clv_body *body = clv_world_body(e->world, b);
  scene_text *out = &e->out;
  const bool flat = clv_body_map(body)->dimension == 2;
  scene_add(out, "\nBody %s\n", part->part.name);
  add_mesh(e, &part->mesh, body);
  add_model(out, "model", &part->model, &part->material.values, flat);
  for (uint32_t k = 0; k < part->regions.count; k++) {
    const scene_section *section = &part->regions.items[k];
    scene_add(out, "  in        ");
    add_zone(out, &section->part, &scene_group_section, &section->zone);
    scene_add(out, "\n");
    add_model(out, "", section->model.part.node ? &section->model : &part->model, &section->material.values, flat);
  }
  add_laws(e, body);
  add_held(e, body);
  add_holds(out, "fixed", &part->fix, &scene_group_fix);
  add_holds(out, "moved", &part->move, &scene_group_move);
  add_holds(out, "pulled", &part->pull, &scene_group_pull);
  const scene_damping *damping = &part->damping;
  scene_add(out, "  damping   drag %g 1/s; Rayleigh %g 1/s of mass, %g s of stiffness\n", damping->drag,
            damping->rayleigh.mass, damping->rayleigh.stiffness);
}

// ---- the whole ----------------------------------------------------------------------------------

static void add_events(explainer *e) {
  const scene_root *root = &e->scene->root;
  if (root->events.count) scene_add(&e->out, "\nEvents\n");
  for (uint32_t k = 0; k < root->events.count; k++) {
    const scene_event *event = &root->events.items[k];
    scene_add(&e->out, "  at %g s%s%s: ", event->at, event->body ? ", body " : "", event->body ? event->body : "");
    bool found = false;
    for (int kind = 0; kind < CLV_ACTION_KIND_COUNT; kind++) {
      const scene_hold *hold = &event->action[kind];
      if (!hold->part.node) continue;
      found = true;
      scene_add(&e->out, "%s ", clv_action_name((clv_action_kind)kind));
      add_hold(&e->out, hold, scene_action_groups[kind]);
    }
    if (!found) {
      scene_add(&e->out, "gravity ");
      add_vector(&e->out, event->gravity);
      scene_add(&e->out, " m/s^2");
    }
    scene_add(&e->out, "%s\n", event->at > root->until ? " (behind the end)" : "");
  }
}

static void add_solver(explainer *e) {
  const scene_solver *solver = &e->scene->root.solver;
  const double step = clv_world_get_step(e->world);
  scene_add(&e->out, "\nSolver\n  method    %s, linear systems by %s\n", clv_method_name((clv_method)solver->method),
            clv_linear_name((clv_linear)solver->linear));
  scene_add(&e->out, "  steps     of %g s until %g s: %.0f of them\n", step, e->scene->root.until,
            ceil(e->scene->root.until / step - 1e-9));
  for (uint32_t b = 0; b < clv_world_bodies(e->world); b++) {
    double stable = INFINITY;
    if (clv_solver_stable_step(clv_world_solver(e->world, b), &stable) || !isfinite(stable)) continue;
    scene_add(&e->out, "  stable    up to %g s for body %s%s\n", stable, clv_world_body_name(e->world, b),
              step > stable ? ": THE STEP IS TOO LARGE" : "");
  }
}

static void add_output(explainer *e) {
  const scene_output *output = &e->scene->root.output;
  scene_add(&e->out, "\nOutput\n  frames   ");
  if (output->formats == 0) scene_add(&e->out, " none");
  if (output->formats & SCENE_FORMAT_VTU) scene_add(&e->out, " vtu");
  if (output->formats & SCENE_FORMAT_VTKHDF) scene_add(&e->out, " vtkhdf");
  if (isfinite(output->frames)) {
    scene_add(&e->out, output->frames > 0 ? ", every %g s\n" : ", every step\n", output->frames);
  } else {
    scene_add(&e->out, ", the first and the last\n");
  }
  for (uint32_t p = 0; p < output->probes.count; p++) {
    const scene_probe *probe = &output->probes.items[p];
    scene_add(&e->out, "  probe     %s: ", probe->part.name);
    add_zone(&e->out, &probe->part, &scene_group_probe, &probe->zone);
    scene_add(&e->out, "\n");
  }
}

// Keys that were not given, with what they are then.
static void add_defaults(explainer *e, const scene_group *group, const char *path, const char *part) {
  const scene_part *head = (const scene_part *)(const void *)part;
  for (uint32_t k = 0; group->keys[k].name; k++) {
    const scene_key *key = &group->keys[k];
    const bool given = head->given >> k & 1;
    const bool apart = key->with && !(head->given >> scene_key_number(group, key->with) & 1);
    if (!given && key->without && !apart) {
      scene_add(&e->out, "  %s%s: %s\n", path, key->name, key->without);
    } else if (key->type == SCENE_GROUP && key->need != SCENE_CHOICE && !apart) {
      char below[96];
      snprintf(below, sizeof below, "%s%s.", path, key->name);
      add_defaults(e, key->group, below, part + key->offset);
    }
  }
}

clv_result clv_scene_explain(clv_scene *scene, clv_text_writer *write, void *user, clv_error *error) {
  explainer e = {.out = {.allocator = &scene->allocator}, .scene = scene};
  e.world = clv_scene_world(scene, 0, error);
  if (!e.world) return error ? error->code : CLV_ERROR_INPUT;
  const scene_root *root = &scene->root;
  scene_add(&e.out, "%s%s%s\n", scene->name, root->title[0] ? ": " : "", root->title);
  scene_add(&e.out, "%u bod%s, gravity ", scene->bodies.count, scene->bodies.count == 1 ? "y" : "ies");
  add_vector(&e.out, root->gravity);
  scene_add(&e.out, " m/s^2, %u thread%s\n", root->threads, plural(root->threads));
  for (uint32_t b = 0; b < scene->bodies.count; b++) add_body(&e, b);
  add_solver(&e);
  add_events(&e);
  add_output(&e);
  scene_add(&e.out, "\nNot given, and so\n");
  add_defaults(&e, &scene_group_root, "", (const char *)root);
  for (uint32_t b = 0; b < root->bodies.count; b++) {
    char path[96];
    snprintf(path, sizeof path, "bodies.%s.", root->bodies.items[b].part.name);
    add_defaults(&e, &scene_group_body, path, (const char *)&root->bodies.items[b]);
  }
  clv_world_destroy(e.world);
  return scene_text_finish(&e.out, write, user, error);
}
