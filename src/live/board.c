#include "live/board.h"
#include "cleave/live.h"

const char *const live_field_names[LIVE_FIELDS] = {"von_mises", "strain", "energy", "velocity", "region", "level"};

bool live_board_create(live_board *board, const clv_allocator *allocator, uint32_t bodies) {
  const size_t size = bodies * sizeof *board->panels;
  *board = (live_board){.allocator = allocator};
  board->panels = base_allocate(allocator, size ? size : 1);
  if (!board->panels) return false;
  memset(board->panels, 0, size);
  board->bodies = bodies;
  return true;
}

void live_board_free(live_board *board) {
  const clv_allocator *a = board->allocator;
  for (uint32_t b = 0; board->panels && b < board->bodies; b++) {
    live_panel *panel = &board->panels[b];
    BASE_RELEASE(a, &panel->points);
    BASE_RELEASE(a, &panel->held);
    for (uint32_t k = 0; k < LIVE_LAYERS; k++) {
      BASE_RELEASE(a, &panel->layers[k].faces);
      BASE_RELEASE(a, &panel->layers[k].stamps);
    }
    for (uint32_t k = 0; k < LIVE_FIELDS; k++) BASE_RELEASE(a, &panel->fields[k].values);
  }
  if (board->panels) base_free(a, board->panels, board->bodies ? board->bodies * sizeof *board->panels : 1);
  board->panels = NULL;
}

bool live_board_take(live_board *board, live_sheet *sheet, live_table *table) {
  const uint32_t count = table->faces.count;
  if (!BASE_RESERVE(board->allocator, &sheet->faces, count) || !BASE_RESERVE(board->allocator, &sheet->stamps, count)) {
    table->whole = true;
    return false;
  }
  if (table->whole && count) {
    memcpy(sheet->faces.data, table->faces.data, count * sizeof *table->faces.data);
    for (uint32_t k = 0; k < count; k++) sheet->stamps.data[k] = table->version;
  }
  for (uint32_t k = 0; !table->whole && k < table->dirty.count; k++) {
    const uint32_t slot = table->dirty.data[k];
    sheet->faces.data[slot] = table->faces.data[slot];
    sheet->stamps.data[slot] = table->stamps.data[slot];
  }
  // Slots that came and are empty still were said by nobody.
  for (uint32_t k = sheet->faces.count; !table->whole && k < count; k++) {
    sheet->faces.data[k] = table->faces.data[k];
    sheet->stamps.data[k] = table->version;
  }
  sheet->faces.count = sheet->stamps.count = count;
  sheet->version = table->version;
  table->dirty.count = 0;
  table->whole = false;
  return true;
}

// ---- frames -------------------------------------------------------------------------------------

enum { CLOCK = 1, FACES, FACES_CHANGED, POINTS, FIELD, HELD, SECTION_HEAD = 16 };

typedef struct writer {
  const clv_allocator *allocator;
  live_bytes *bytes;
  bool failed;
} writer;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "frames are little-endian, and so must be the machine: numbers go out as they lie in memory"
#endif

static void put(writer *w, const void *what, size_t size) {
  if (w->failed || !size) return;
  w->failed = !BASE_RESERVE(w->allocator, &w->bytes->data, (uint64_t)w->bytes->data.count + size);
  if (w->failed) return;
  memcpy(w->bytes->data.data + w->bytes->data.count, what, size);
  w->bytes->data.count += (uint32_t)size;
}

static void put_word(writer *w, uint32_t word) {
  put(w, &word, sizeof word);
}

static void begin(writer *w, uint32_t kind, uint32_t body, size_t size, uint32_t layer) {
  const uint32_t head[4] = {kind, body, (uint32_t)size, layer};
  put(w, head, sizeof head);
}

static void put_clock(writer *w, const live_board *board) {
  const uint32_t words[4] = {(uint32_t)board->step, (uint32_t)(board->step >> 32), board->frame, board->paused};
  begin(w, CLOCK, 0, sizeof board->time + sizeof words, 0);
  put(w, &board->time, sizeof board->time);
  put(w, words, sizeof words);
}

static void put_faces(writer *w, const live_sheet *sheet, uint32_t body, uint32_t layer, uint32_t known) {
  const uint32_t slots = sheet->faces.count;
  uint32_t changed = 0;
  if (known == sheet->version) return;
  for (uint32_t k = 0; known && k < slots; k++) changed += sheet->stamps.data[k] > known;
  if (!known || changed > slots / 2) {
    begin(w, FACES, body, 4 + slots * sizeof(live_face), layer);
    put_word(w, slots);
    put(w, sheet->faces.data, slots * sizeof(live_face));
    return;
  }
  begin(w, FACES_CHANGED, body, 8 + changed * (4 + sizeof(live_face)), layer);
  put_word(w, slots);
  put_word(w, changed);
  for (uint32_t k = 0; k < slots; k++) {
    if (sheet->stamps.data[k] <= known) continue;
    put_word(w, k);
    put(w, &sheet->faces.data[k], sizeof(live_face));
  }
}

static void put_field(writer *w, const live_field *field, uint32_t body) {
  const uint32_t where = field->on_cells, count = field->values.count;
  begin(w, FIELD, body, 16 + count * sizeof(float), 0);
  put_word(w, where);
  put(w, &field->least, sizeof(float));
  put(w, &field->greatest, sizeof(float));
  put_word(w, count);
  put(w, field->values.data, count * sizeof(float));
}

bool live_board_frame(const live_board *board, live_look look, live_known *known, const clv_allocator *allocator,
                      live_bytes *bytes) {
  static const uint8_t head[CLV_LIVE_HEAD] = {0};
  writer w = {.allocator = allocator, .bytes = bytes};
  bytes->data.count = 0;
  put(&w, head, sizeof head);
  put_clock(&w, board);
  for (uint32_t b = 0; b < board->bodies; b++) {
    const live_panel *panel = &board->panels[b];
    for (uint32_t layer = 0; layer < (look.inner ? 2u : 1u); layer++)
      put_faces(&w, &panel->layers[layer], b, layer, known[b].version[layer]);
    begin(&w, POINTS, b, 4 + panel->points.count * sizeof(float), 0);
    put_word(&w, panel->points.count / 3);
    put(&w, panel->points.data, panel->points.count * sizeof(float));
    const live_field *field = look.field < LIVE_FIELDS ? &panel->fields[look.field] : NULL;
    if (field && field->number != known[b].field) put_field(&w, field, b);
    if (panel->held_version == known[b].held) continue;
    begin(&w, HELD, b, 4 + panel->held.count * sizeof(uint32_t), 0);
    put_word(&w, panel->held.count);
    put(&w, panel->held.data, panel->held.count * sizeof(uint32_t));
  }
  for (uint32_t b = 0; !w.failed && b < board->bodies; b++) {
    const live_panel *panel = &board->panels[b];
    known[b].version[0] = panel->layers[0].version;
    known[b].version[1] = look.inner ? panel->layers[1].version : 0;
    known[b].held = panel->held_version;
    known[b].field = look.field < LIVE_FIELDS ? panel->fields[look.field].number : 0;
  }
  return !w.failed;
}
