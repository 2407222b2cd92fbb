#include "live/command.h"
#include "live/json.h"

#include <math.h>
#include <stdio.h>

enum {
  BODY = 1,
  POINT = 2,
  CELL = 4,
  AT = 8,
  FROM_TO = 16,
  RADIUS = 32,
  LEVEL = 64,
  BLADE = 128,
  NAME = 256,
  VALUE = 512,
  FACTOR = 1024,
  COUNT = 2048, // may be missing: 1
  FRAME = 4096,
  ON = 8192,
  LOOK = 16384, // may each be missing
  CHANGES = 32768,
  EDITS = 65536 | CHANGES,
};

static const struct {
  const char *name;
  unsigned needs;
} verbs[LIVE_VERBS] = {
    [LIVE_LOOK] = {"look", LOOK},
    [LIVE_PAUSE] = {"pause", 0},
    [LIVE_RUN] = {"run", 0},
    [LIVE_STEP] = {"step", COUNT},
    [LIVE_SPEED] = {"speed", FACTOR},
    [LIVE_RESET] = {"reset", CHANGES},
    [LIVE_UNDO] = {"undo", CHANGES},
    [LIVE_GRAB] = {"grab", BODY | POINT | AT | CHANGES},
    [LIVE_DRAG] = {"drag", AT | CHANGES},
    [LIVE_DROP] = {"drop", CHANGES},
    [LIVE_KNIFE] = {"knife", BODY | BLADE | EDITS},
    [LIVE_KNIFE_END] = {"knife-end", CHANGES},
    [LIVE_PIERCE] = {"pierce", BODY | FROM_TO | RADIUS | EDITS},
    [LIVE_REMOVE] = {"remove", BODY | CELL | EDITS},
    [LIVE_REFINE] = {"refine", BODY | AT | RADIUS | LEVEL | EDITS},
    [LIVE_COARSEN] = {"coarsen", BODY | AT | RADIUS | LEVEL | EDITS},
    [LIVE_FIX] = {"fix", BODY | AT | RADIUS | EDITS},
    [LIVE_FREE] = {"free", BODY | AT | RADIUS | EDITS},
    [LIVE_SET] = {"set", NAME | VALUE | CHANGES},
    [LIVE_MODEL] = {"model", BODY | NAME | CHANGES},
    [LIVE_INTEGRATOR] = {"integrator", BODY | NAME | CHANGES},
    [LIVE_PICK] = {"pick", BODY | CELL},
    [LIVE_RECORD] = {"record", ON},
    [LIVE_SEEK] = {"seek", FRAME},
};

bool live_verb_changes(live_verb verb) {
  return verbs[verb].needs & CHANGES;
}

bool live_verb_edits(live_verb verb) {
  return (verbs[verb].needs & EDITS) == EDITS;
}

const char *live_verb_name(live_verb verb) {
  return verbs[verb].name;
}

typedef struct reading {
  const live_json_document *document;
  const live_json *object;
  const char *verb;
  live_reason *reason;
} reading;

static bool fail(const reading *r, const char *member, const char *what) {
  snprintf(r->reason->text, sizeof r->reason->text, "command '%s': '%s' %s", r->verb, member, what);
  return false;
}

static const live_json *find(const reading *r, const char *key) {
  return live_json_member(r->document, r->object, key);
}

static bool read_real(const reading *r, const char *key, double least, double most, double *to) {
  const live_json *node = find(r, key);
  if (!node || node->kind != LIVE_JSON_NUMBER) return fail(r, key, "must be a number");
  if (!(node->number >= least && node->number <= most)) return fail(r, key, "is out of its range");
  *to = node->number;
  return true;
}

static bool read_whole(const reading *r, const char *key, double most, uint32_t *to) {
  double number;
  if (!read_real(r, key, 0, most, &number)) return false;
  if (floor(number) != number) return fail(r, key, "must be a whole number");
  *to = (uint32_t)number;
  return true;
}

static bool is_vector(const reading *r, const live_json *node, double to[3]) {
  if (!node || node->kind != LIVE_JSON_LIST || node->count != 3) return false;
  for (uint32_t k = 0; k < 3; k++) {
    const live_json *item = live_json_item(r->document, node, k);
    if (item->kind != LIVE_JSON_NUMBER || fabs(item->number) > 1e6) return false;
    to[k] = item->number;
  }
  return true;
}

static bool read_vector(const reading *r, const char *key, double to[3]) {
  return is_vector(r, find(r, key), to) || fail(r, key, "must be three numbers");
}

static bool read_blade(const reading *r, double to[4][3]) {
  const live_json *node = find(r, "blade");
  bool good = node && node->kind == LIVE_JSON_LIST && node->count == 2;
  for (uint32_t k = 0; good && k < 4; k++) {
    const live_json *edge = live_json_item(r->document, node, k / 2);
    good = edge->kind == LIVE_JSON_LIST && edge->count == 2 &&
           is_vector(r, live_json_item(r->document, edge, k % 2), to[k]);
  }
  return good || fail(r, "blade", "must be [[p, q], [r, s]], each of three numbers");
}

static bool read_name(const reading *r, char to[LIVE_NAME]) {
  const live_json *node = find(r, "name");
  if (!node || node->kind != LIVE_JSON_TEXT) return fail(r, "name", "must be a text");
  if (strlen(node->text) >= LIVE_NAME) return fail(r, "name", "is too long");
  memcpy(to, node->text, strlen(node->text) + 1);
  return true;
}

static bool read_field(const reading *r, const live_json *node, live_look *to) {
  to->field = LIVE_NO_FIELD;
  if (node->kind == LIVE_JSON_NULL) return true;
  for (uint32_t k = 0; node->kind == LIVE_JSON_TEXT && k < LIVE_FIELDS; k++)
    if (!strcmp(node->text, live_field_names[k])) to->field = (live_field_name)k;
  return to->field != LIVE_NO_FIELD || fail(r, "field", "is none of the hello's, nor null");
}

static bool read_look(const reading *r, live_command *c) {
  uint32_t layer = 0;
  if (find(r, "rate") && !read_real(r, "rate", 0, 60, &c->rate)) return false;
  if (!find(r, "rate")) c->rate = -1;
  if (find(r, "layer") && !read_whole(r, "layer", 1, &layer)) return false;
  c->look.inner = layer == 1;
  c->looks_inner = find(r, "layer");
  c->looks_field = find(r, "field");
  return !c->looks_field || read_field(r, find(r, "field"), &c->look);
}

static bool read_needs(const reading *r, unsigned needs, live_command *c) {
  const live_json *on = find(r, "on");
  c->count = 1;
  if (needs & BODY && !read_whole(r, "body", UINT32_MAX, &c->body)) return false;
  if (needs & POINT && !read_whole(r, "point", UINT32_MAX, &c->point)) return false;
  if (needs & CELL && !read_whole(r, "cell", UINT32_MAX, &c->cell)) return false;
  if (needs & AT && !read_vector(r, "at", c->at)) return false;
  if (needs & FROM_TO && (!read_vector(r, "from", c->from) || !read_vector(r, "to", c->to))) return false;
  if (needs & RADIUS && !read_real(r, "radius", 1e-9, 1e6, &c->radius)) return false;
  if (needs & LEVEL && !read_whole(r, "level", 8, &c->level)) return false;
  if (needs & BLADE && !read_blade(r, c->blade)) return false;
  if (needs & NAME && !read_name(r, c->name)) return false;
  if (needs & VALUE && !read_real(r, "value", -1e12, 1e12, &c->value)) return false;
  if (needs & FACTOR && !read_real(r, "factor", 0, 1000, &c->factor)) return false;
  if (needs & COUNT && find(r, "count") && !read_whole(r, "count", 10000, &c->count)) return false;
  if (needs & FRAME && !read_whole(r, "frame", UINT32_MAX, &c->frame)) return false;
  if (needs & ON && (!on || on->kind != LIVE_JSON_BOOL)) return fail(r, "on", "must be true or false");
  if (needs & ON) c->on = on->truth;
  return !(needs & LOOK) || read_look(r, c);
}

bool live_command_read(live_command *command, const char *text, size_t size, live_reason *reason) {
  live_json_document document;
  const char *wrong;
  *command = (live_command){.verb = LIVE_VERBS, .look = {.field = LIVE_NO_FIELD}};
  const live_json *object = live_json_read(&document, text, size, &wrong);
  if (!object) {
    snprintf(reason->text, sizeof reason->text, "no JSON object: %s", wrong);
    return false;
  }
  const live_json *verb = live_json_member(&document, object, "do");
  for (uint32_t k = 0; verb && verb->kind == LIVE_JSON_TEXT && k < LIVE_VERBS; k++)
    if (!strcmp(verb->text, verbs[k].name)) command->verb = (live_verb)k;
  if (command->verb == LIVE_VERBS) {
    snprintf(reason->text, sizeof reason->text, "it names no command: 'do' must be one of those of the protocol");
    return false;
  }
  const reading r = {&document, object, verbs[command->verb].name, reason};
  command->asked = live_json_member(&document, object, "seq");
  if (command->asked && !read_real(&r, "seq", 0, 9007199254740992.0, &command->seq)) return false;
  return read_needs(&r, verbs[command->verb].needs, command);
}
