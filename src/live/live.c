// Live worlds as a whole: making them, and the clients' side.

#include "live/live.h"

#include <math.h>
#include <stdlib.h>

clv_live_def clv_default_live_def(void) {
  return (clv_live_def){.factor = 1, .allocator = clv_default_allocator()};
}

// ---- making -------------------------------------------------------------------------------------

static char *copy_text(const clv_allocator *a, const char *text) {
  char *copy = base_allocate(a, strlen(text) + 1);
  return copy ? memcpy(copy, text, strlen(text) + 1) : NULL;
}

static bool make_locks(clv_live *live) {
  pthread_condattr_t attributes;
  if (pthread_mutex_init(&live->board_lock, NULL) != 0) return false;
  if (pthread_mutex_init(&live->post_lock, NULL) != 0) {
    pthread_mutex_destroy(&live->board_lock);
    return false;
  }
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  live->locks = pthread_cond_init(&live->called, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  if (live->locks) return true;
  pthread_mutex_destroy(&live->board_lock);
  pthread_mutex_destroy(&live->post_lock);
  return false;
}

static clv_live *make(const clv_live_def *given, clv_error *error) {
  const clv_live_def def = given ? *given : clv_default_live_def();
  clv_live *live = base_allocate(&def.allocator, sizeof *live);
  if (!live) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a live world was made");
    return NULL;
  }
  memset(live, 0, sizeof *live);
  live->allocator = def.allocator;
  live->def = def;
  live->paused = def.paused;
  live->factor = def.factor;
  live->paced_wall = -1;
  live->changed = true;
  live->text.allocator = live->hello.allocator = &live->allocator;
  bool good = make_locks(live);
  if (good && def.replays) good = (live->replays = copy_text(&live->allocator, def.replays));
  if (good && def.source) good = (live->source = copy_text(&live->allocator, def.source));
  if (good) return live;
  clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a live world was made");
  clv_live_destroy(live);
  return NULL;
}

static clv_result make_bodies(clv_live *live, uint32_t count, clv_error *error) {
  live->bodies = base_allocate(&live->allocator, count * sizeof *live->bodies);
  if (live->bodies) memset(live->bodies, 0, count * sizeof *live->bodies);
  if (live->bodies) live->body_count = count;
  if (live->bodies && live_board_create(&live->board, &live->allocator, count)) return CLV_OK;
  return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a live world was made");
}

static void find_box(clv_live *live) {
  for (uint32_t k = 0; k < 3; k++) {
    live->box[0][k] = INFINITY;
    live->box[1][k] = -INFINITY;
  }
  for (uint32_t b = 0; b < live->body_count; b++) {
    clv_body *body = clv_world_body(live->world, b);
    const clv_map *map = clv_body_map(body);
    const double *x = clv_body_positions(body);
    for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
      for (uint32_t k = 0; k < 3; k++) {
        live->box[0][k] = fmin(live->box[0][k], x[3 * (size_t)id.index + k]);
        live->box[1][k] = fmax(live->box[1][k], x[3 * (size_t)id.index + k]);
      }
  }
}

// How many bodies a scene has is known when a world of it stands.
static clv_result open_scene(clv_live *live, clv_error *error) {
  clv_world *world = clv_scene_world(live->scene, live->def.threads, error);
  if (!world) return error->code;
  clv_result result = make_bodies(live, clv_world_bodies(world), error);
  clv_world_destroy(world);
  if (result == CLV_OK) result = live_make_world(live, NULL, error);
  if (result == CLV_OK && clv_world_get_step(live->world) == 0)
    result = clv_error_set(error, CLV_ERROR_REFUSED, "%s", clv_world_error(live->world));
  if (result != CLV_OK) return result;
  for (uint32_t b = 0; b < live->body_count; b++) live->bodies[b].choice = (live_choice){NULL, -1};
  live_settings_find(live);
  find_box(live);
  return CLV_OK;
}

static clv_live *finish(clv_live *live, clv_result result) {
  if (result == CLV_OK) {
    live_renew_hello(live);
    live_publish(live);
    return live;
  }
  clv_live_destroy(live);
  return NULL;
}

clv_live *clv_live_scene(clv_scene *scene, const clv_live_def *def, clv_error *error) {
  clv_error own;
  if (!error) error = &own;
  clv_live *live = make(def, error);
  if (!live) return NULL;
  live->scene = scene;
  return finish(live, open_scene(live, error));
}

clv_live *clv_live_series(const clv_series *series, const clv_live_def *def, clv_error *error) {
  clv_error own;
  if (!error) error = &own;
  clv_live *live = make(def, error);
  if (!live) return NULL;
  live->series = series;
  clv_result result = make_bodies(live, clv_series_bodies(series), error);
  if (result == CLV_OK) result = live_result_open(live, error);
  return finish(live, result);
}

clv_result clv_live_start(clv_live *live, clv_error *error) {
  if (live->running) return clv_error_set(error, CLV_ERROR_ARGUMENT, "the engine runs already");
  if (pthread_create(&live->thread, NULL, live_engine, live) != 0)
    return clv_error_set(error, CLV_ERROR_SYSTEM, "the system grants no thread for the engine");
  live->running = true;
  return CLV_OK;
}

clv_result clv_live_advance(clv_live *live, uint32_t steps, clv_error *error) {
  if (live->running) return clv_error_set(error, CLV_ERROR_ARGUMENT, "the engine runs: it goes on by itself");
  clv_result result = CLV_OK;
  live_obey(live);
  for (uint32_t k = 0; result == CLV_OK && k < steps; k++) result = live_step(live);
  live_publish(live);
  if (result == CLV_OK) return CLV_OK;
  return clv_error_set(error, result, "%s", live->world ? clv_world_error(live->world) : "the frame cannot be read");
}

clv_world *clv_live_world(const clv_live *live) {
  return live->world;
}

static void free_message(const clv_live *live, live_message *message) {
  base_free(&live->allocator, message->data, CLV_LIVE_HEAD + message->size + 1);
  *message = (live_message){NULL, 0};
}

static void free_client(const clv_live *live, live_client *client) {
  for (uint32_t k = 0; k < client->outbox.count; k++) free_message(live, &client->outbox.data[k]);
  BASE_RELEASE(&live->allocator, &client->outbox);
  BASE_RELEASE(&live->allocator, &client->frame.data);
  free_message(live, &client->said);
  base_free(&live->allocator, client->known, live->body_count * sizeof *client->known);
  *client = (live_client){0};
}

void clv_live_destroy(clv_live *live) {
  if (!live) return;
  if (live->running) {
    pthread_mutex_lock(&live->post_lock);
    live->quitting = true;
    pthread_cond_signal(&live->called);
    pthread_mutex_unlock(&live->post_lock);
    pthread_join(live->thread, NULL);
  }
  const clv_allocator a = live->allocator;
  for (uint32_t k = 0; k < CLV_LIVE_CLIENTS; k++) free_client(live, &live->clients[k]);
  for (uint32_t k = 0; k < live->inbox.count; k++)
    base_free(&a, live->inbox.data[k].text, live->inbox.data[k].length + 1u);
  BASE_RELEASE(&a, &live->inbox);
  BASE_RELEASE(&a, &live->working);
  live_grab_leave(live);
  BASE_RELEASE(&a, &live->grabs);
  live_snapshot_free(live);
  live_history_free(live);
  for (uint32_t b = 0; b < live->body_count; b++) live_show_free(&live->bodies[b].show);
  live_board_free(&live->board);
  live_result_free(live);
  clv_world_destroy(live->world);
  base_free(&a, live->bodies, live->body_count * sizeof *live->bodies);
  live_text_free(&live->text);
  live_text_free(&live->hello);
  if (live->replays) base_free(&a, live->replays, strlen(live->replays) + 1);
  if (live->source) base_free(&a, live->source, strlen(live->source) + 1);
  if (live->locks) {
    pthread_mutex_destroy(&live->board_lock);
    pthread_mutex_destroy(&live->post_lock);
    pthread_cond_destroy(&live->called);
  }
  base_free(&a, live, sizeof *live);
}

// ---- clients ------------------------------------------------------------------------------------

static live_client *find_client(clv_live *live, uint32_t number) {
  for (uint32_t k = 0; number && k < CLV_LIVE_CLIENTS; k++)
    if (live->clients[k].number == number) return &live->clients[k];
  return NULL;
}

uint32_t clv_live_join(clv_live *live) {
  live_client fresh = {.rate = 60, .look = {.field = LIVE_NO_FIELD}};
  const size_t size = live->body_count * sizeof *fresh.known;
  fresh.known = base_allocate(&live->allocator, size);
  if (!fresh.known) return 0;
  memset(fresh.known, 0, size);
  pthread_mutex_lock(&live->post_lock);
  uint32_t k = 0;
  while (k < CLV_LIVE_CLIENTS && live->clients[k].number) k++;
  if (k < CLV_LIVE_CLIENTS) {
    const size_t length = live->hello.bytes.count;
    fresh.number = ++live->next_client;
    char *hello = base_allocate(&live->allocator, CLV_LIVE_HEAD + length + 1);
    const bool good = hello && BASE_RESERVE(&live->allocator, &fresh.outbox, 8);
    if (good) {
      memset(hello, 0, CLV_LIVE_HEAD);
      memcpy(hello + CLV_LIVE_HEAD, live->hello.bytes.data, length + 1);
      fresh.outbox.data[fresh.outbox.count++] = (live_message){hello, length};
      live->clients[k] = fresh;
    } else {
      base_free(&live->allocator, hello, CLV_LIVE_HEAD + length + 1);
      k = CLV_LIVE_CLIENTS;
    }
  }
  pthread_mutex_unlock(&live->post_lock);
  if (k < CLV_LIVE_CLIENTS) return fresh.number;
  base_free(&live->allocator, fresh.known, size);
  return 0;
}

static void count_wishes(clv_live *live) {
  live->inner_wanted = 0;
  memset(live->field_wanted, 0, sizeof live->field_wanted);
  for (uint32_t k = 0; k < CLV_LIVE_CLIENTS; k++) {
    const live_client *client = &live->clients[k];
    if (!client->number) continue;
    live->inner_wanted += client->look.inner;
    if (client->look.field < LIVE_FIELDS) live->field_wanted[client->look.field]++;
  }
}

static bool put_command(clv_live *live, const live_command *command) {
  if (!BASE_RESERVE(&live->allocator, &live->inbox, (uint64_t)live->inbox.count + 1)) return false;
  live->inbox.data[live->inbox.count++] = *command;
  pthread_cond_signal(&live->called);
  return true;
}

void clv_live_leave(clv_live *live, uint32_t number) {
  pthread_mutex_lock(&live->post_lock);
  live_client *client = find_client(live, number);
  if (client) {
    // Whatever it said last comes before this.
    put_command(live, &(live_command){.verb = LIVE_VERBS, .client = number});
    free_client(live, client);
    count_wishes(live);
  }
  pthread_mutex_unlock(&live->post_lock);
}

// What a client sees is decided on its own side; the engine only hears that somebody looks.
static void set_look(clv_live *live, live_client *client, const live_command *command) {
  if (command->rate >= 0) client->rate = command->rate;
  if (command->looks_inner) client->look.inner = command->look.inner;
  if (command->looks_field && client->look.field != command->look.field) {
    client->look.field = command->look.field;
    for (uint32_t b = 0; b < live->body_count; b++) client->known[b].field = 0;
  }
  client->publication = 0; // it sees something else now
  client->due = 0;
  count_wishes(live);
}

// A replay has one command to a line.
static bool keep_text(const clv_live *live, live_command *command, const char *text, size_t size) {
  command->text = base_allocate(&live->allocator, size + 1);
  if (!command->text) return false;
  for (size_t k = 0; k < size; k++) command->text[k] = text[k] == '\n' || text[k] == '\r' ? ' ' : text[k];
  command->text[size] = '\0';
  command->length = (uint32_t)size;
  return true;
}

clv_result clv_live_tell(clv_live *live, uint32_t number, const char *text, size_t size, clv_error *error) {
  live_command command;
  live_reason reason;
  if (!live_command_read(&command, text, size, &reason))
    return clv_error_set(error, CLV_ERROR_INPUT, "%s", reason.text);
  command.client = number;
  if (live_verb_changes(command.verb) && !keep_text(live, &command, text, size))
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory");
  pthread_mutex_lock(&live->post_lock);
  live_client *client = find_client(live, number);
  bool good = client && live->inbox.count < LIVE_INBOX;
  if (good && command.verb == LIVE_LOOK) set_look(live, client, &command);
  if (good) good = put_command(live, &command);
  pthread_mutex_unlock(&live->post_lock);
  if (good) return CLV_OK;
  if (command.text) base_free(&live->allocator, command.text, command.length + 1u);
  if (!client) return clv_error_set(error, CLV_ERROR_ARGUMENT, "there is no client %u", number);
  return clv_error_set(error, CLV_ERROR_REFUSED, "too much waits to be done");
}

char *clv_live_hear(clv_live *live, uint32_t number, size_t *size) {
  char *text = NULL;
  pthread_mutex_lock(&live->post_lock);
  live_client *client = find_client(live, number);
  if (client) free_message(live, &client->said);
  if (client && client->outbox.count) {
    client->said = client->outbox.data[0];
    client->outbox.count--;
    memmove(client->outbox.data, client->outbox.data + 1, client->outbox.count * sizeof *client->outbox.data);
    text = client->said.data + CLV_LIVE_HEAD;
    *size = client->said.size;
  }
  pthread_mutex_unlock(&live->post_lock);
  return text;
}

uint8_t *clv_live_frame(clv_live *live, uint32_t number, size_t *size, double *wait) {
  const double now = live_clock();
  *wait = INFINITY;
  pthread_mutex_lock(&live->post_lock);
  live_client *client = find_client(live, number);
  const double rate = client ? client->rate : 0, due = client ? client->due : 0;
  pthread_mutex_unlock(&live->post_lock);
  if (!client || rate <= 0) return NULL;
  if (due > now) {
    *wait = due - now;
    return NULL;
  }
  pthread_mutex_lock(&live->board_lock);
  bool good = live->board.publication > client->publication;
  if (good) good = live_board_frame(&live->board, client->look, client->known, &live->allocator, &client->frame);
  if (good) client->publication = live->board.publication;
  pthread_mutex_unlock(&live->board_lock);
  if (!good) return NULL;
  client->due = live_next_beat(due, now, rate);
  *size = client->frame.data.count - CLV_LIVE_HEAD;
  return client->frame.data.data + CLV_LIVE_HEAD;
}
