// See server.h.

#include "server.h"
#include "page.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

enum {
  MESSAGE_BYTES = 16384, // of a client's message
  MESSAGES = 1000,       // in any
  MESSAGE_SECONDS = 2,   // seconds
  TOKEN_BYTES = 16,
  HEADER_BYTES = 2048,
  CHUNK = 32768, // of a file
};

struct cli_server {
  struct lws_context *context;
  struct lws_vhost *host;
  clv_live *live;
  bool open_to_others;
  uint32_t port;
  char token[2 * TOKEN_BYTES + 1];
  char link[512];
};

// A connection.
typedef struct connection {
  lws_sorted_usec_list_t timer; // first: found from itself
  struct lws *wsi;
  uint32_t client;
  bool joined;
  char *message; // what has come of one
  size_t length;
  double *times; // of the last messages, a ring
  uint32_t next_time;
  const view_page_file *file;
  size_t sent;
} connection;

static volatile sig_atomic_t stop_signal;

static void note_signal(int number) {
  stop_signal = number;
}

static double seconds(void) {
  return (double)lws_now_usecs() * 1e-6;
}

static cli_server *server_of(struct lws *wsi) {
  return lws_context_user(lws_get_context(wsi));
}

// ---- who may connect ----------------------------------------------------------------------------

// Whatever the library listens at: without --listen, only what came to the loopback's own address is let in.
static bool came_to_loopback(int socket) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &size) != 0 || address.sin_family != AF_INET) return false;
  return ntohl(address.sin_addr.s_addr) >> 24 == 127;
}

static bool get_header(struct lws *wsi, enum lws_token_indexes which, char *text, int size) {
  text[0] = '\0';
  return lws_hdr_copy(wsi, text, size, which) >= 0;
}

// A page of another site can name this address, and a name of its own that leads here: both say so in these headers.
static bool host_is_ours(const cli_server *server, struct lws *wsi, char host[256]) {
  static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
  if (!get_header(wsi, WSI_TOKEN_HOST, host, 256)) return false;
  if (server->open_to_others) return host[0] != '\0'; // the token decides
  char wanted[64];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    snprintf(wanted, sizeof wanted, "%s:%u", names[k], server->port);
    if (strcmp(host, wanted) == 0) return true;
  }
  return false;
}

static bool origin_is_ours(struct lws *wsi, const char *host) {
  char origin[300], wanted[300];
  if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) <= 0) return true; // no browser
  if (!get_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)) return false;
  snprintf(wanted, sizeof wanted, "http://%s", host);
  return strcmp(origin, wanted) == 0;
}

// In the same time whatever is wrong with it.
static bool token_is_right(const cli_server *server, struct lws *wsi) {
  char given[128] = "";
  if (!server->open_to_others) return true;
  const char *token = lws_get_urlarg_by_name(wsi, "token=", given, sizeof given);
  const size_t length = strlen(server->token);
  if (!token || strlen(token) != length) return false;
  unsigned differs = 0;
  for (size_t k = 0; k < length; k++) differs |= (unsigned)(token[k] ^ server->token[k]);
  return differs == 0;
}

static bool may_connect(struct lws *wsi) {
  const cli_server *server = server_of(wsi);
  char path[64], host[256];
  return get_header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) && strcmp(path, "/ws") == 0 &&
         host_is_ours(server, wsi, host) && origin_is_ours(wsi, host) && token_is_right(server, wsi);
}

// ---- the page -----------------------------------------------------------------------------------

static const struct {
  const char *name, *value;
} headers[] = {
    {"content-security-policy:",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; "
     "font-src 'self'; worker-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"x-content-type-options:", "nosniff"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cache-control:", "no-store"},
};

static int begin_answer(struct lws *wsi, unsigned status, const char *type, size_t size) {
  unsigned char buffer[LWS_PRE + HEADER_BYTES], *start = buffer + LWS_PRE, *at = start,
                                                *end = buffer + sizeof buffer - 1;
  if (lws_add_http_common_headers(wsi, status, type, (lws_filepos_t)size, &at, end)) return 1;
  for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
    if (lws_add_http_header_by_name(wsi, (const unsigned char *)headers[k].name,
                                    (const unsigned char *)headers[k].value, (int)strlen(headers[k].value), &at, end))
      return 1;
  return lws_finalize_write_http_header(wsi, start, &at, end);
}

static const view_page_file *find_file(const char *path) {
  static const char missing[] = "This program was built without its page: npm was not there. See the README.\n";
  static const view_page_file no_page = {"/index.html", "text/plain", (const unsigned char *)missing,
                                         sizeof missing - 1};
  if (strcmp(path, "/") == 0) path = "/index.html";
  for (size_t k = 0; k < view_page_file_count; k++)
    if (strcmp(view_page_files[k].path, path) == 0) return &view_page_files[k];
  return view_page_file_count == 0 && strcmp(path, "/index.html") == 0 ? &no_page : NULL;
}

static int refuse_http(struct lws *wsi, unsigned status, const char *text) {
  unsigned char body[LWS_PRE + 128];
  const size_t length = (size_t)snprintf((char *)body + LWS_PRE, sizeof body - LWS_PRE, "%s", text);
  if (begin_answer(wsi, status, "text/plain", length)) return 1;
  if (lws_write(wsi, body + LWS_PRE, length, LWS_WRITE_HTTP_FINAL) != (int)length) return 1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int serve(struct lws *wsi, connection *s, const char *path) {
  const cli_server *server = server_of(wsi);
  char host[256];
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) return refuse_http(wsi, 405, "Only GET.\n");
  if (!host_is_ours(server, wsi, host)) return refuse_http(wsi, 403, "This is not the name of this server.\n");
  s->file = find_file(path);
  s->sent = 0;
  if (!s->file) return refuse_http(wsi, 404, "There is nothing here.\n");
  if (begin_answer(wsi, 200, s->file->type, s->file->size)) return 1;
  lws_callback_on_writable(wsi);
  return 0;
}

static int serve_more(struct lws *wsi, connection *s) {
  static const size_t chunk = CHUNK;
  if (!s->file) return 0;
  unsigned char buffer[LWS_PRE + CHUNK];
  const size_t left = s->file->size - s->sent, size = left < chunk ? left : chunk;
  memcpy(buffer + LWS_PRE, s->file->data + s->sent, size);
  const bool last = size == left;
  if (lws_write(wsi, buffer + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) != (int)size) return 1;
  s->sent += size;
  if (!last) return lws_callback_on_writable(wsi) < 0;
  s->file = NULL;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  connection *s = user;
  switch (reason) {
  case LWS_CALLBACK_HTTP:
    (void)length;
    return serve(wsi, s, in);
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return serve_more(wsi, s);
  case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
    return server_of(wsi)->open_to_others || came_to_loopback((int)(intptr_t)in) ? 0 : -1;
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return -1; // a WebSocket that names no protocol of ours
  default:
    return 0;
  }
}

// ---- clients ------------------------------------------------------------------------------------

static int end(struct lws *wsi, enum lws_close_status code, const char *reason) {
  char text[124]; // what fits into a close frame
  snprintf(text, sizeof text, "%.120s", reason);
  lws_close_reason(wsi, code, (unsigned char *)text, strlen(text));
  return -1;
}

static int join(struct lws *wsi, connection *s) {
  s->wsi = wsi;
  s->client = clv_live_join(server_of(wsi)->live);
  s->joined = s->client != 0;
  s->message = malloc(MESSAGE_BYTES);
  s->times = calloc(MESSAGES, sizeof *s->times);
  if (!s->message || !s->times) return -1;
  for (uint32_t k = 0; k < MESSAGES; k++) s->times[k] = -INFINITY;
  lws_callback_on_writable(wsi);
  return 0;
}

static void leave(struct lws *wsi, connection *s) {
  lws_sul_cancel(&s->timer);
  clv_live *live = server_of(wsi)->live;
  if (s->joined && live) clv_live_leave(live, s->client);
  free(s->message);
  free(s->times);
  *s = (connection){.wsi = NULL};
}

static bool too_many(connection *s) {
  const double now = seconds(), oldest = s->times[s->next_time];
  s->times[s->next_time] = now;
  s->next_time = (s->next_time + 1) % MESSAGES;
  return now - oldest < MESSAGE_SECONDS;
}

static int receive(struct lws *wsi, connection *s, const char *in, size_t length) {
  if (!s->joined) return -1;
  if (lws_frame_is_binary(wsi)) return end(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "commands are texts");
  if (s->length + length > MESSAGE_BYTES)
    return end(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message is at most 16 KiB long");
  if (length) memcpy(s->message + s->length, in, length);
  s->length += length;
  if (lws_remaining_packet_payload(wsi) || !lws_is_final_fragment(wsi)) return 0;
  if (too_many(s)) return end(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "more than 500 messages a second");
  clv_error error = {0};
  const clv_result result = clv_live_tell(server_of(wsi)->live, s->client, s->message, s->length, &error);
  s->length = 0;
  return result == CLV_OK ? 0 : end(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, error.message);
}

static void ask_again(lws_sorted_usec_list_t *timer) {
  const connection *s = lws_container_of(timer, connection, timer);
  lws_callback_on_writable(s->wsi);
}

// One message at a time: the next when this one has gone.
static int send_next(struct lws *wsi, connection *s) {
  clv_live *live = server_of(wsi)->live;
  size_t size = 0;
  double wait = INFINITY;
  if (!s->joined) return end(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many are looking already");
  char *text = clv_live_hear(live, s->client, &size);
  if (text) {
    if (lws_write(wsi, (unsigned char *)text, size, LWS_WRITE_TEXT) < (int)size) return -1;
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
  }
  uint8_t *frame = clv_live_frame(live, s->client, &size, &wait);
  if (frame) {
    if (lws_write(wsi, frame, size, LWS_WRITE_BINARY) < (int)size) return -1;
    return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
  }
  if (isfinite(wait)) lws_sul_schedule(lws_get_context(wsi), 0, &s->timer, ask_again, (lws_usec_t)(wait * 1e6) + 1000);
  return 0;
}

static int on_client(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  connection *s = user;
  switch (reason) {
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return may_connect(wsi) ? 0 : -1;
  case LWS_CALLBACK_ESTABLISHED:
    return join(wsi, s);
  case LWS_CALLBACK_CLOSED:
    leave(wsi, s);
    return 0;
  case LWS_CALLBACK_RECEIVE:
    return receive(wsi, s, in, length);
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return send_next(wsi, s);
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    lws_callback_on_writable_all_protocol(lws_get_context(wsi), lws_get_protocol(wsi));
    return 0;
  default:
    return 0;
  }
}

// ---- the server ---------------------------------------------------------------------------------

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(connection)},
    {.name = "cleave-1", .callback = on_client, .per_session_data_size = sizeof(connection), .rx_buffer_size = 4096},
    {.name = NULL},
};

// A page that is asleep or gone without a word is noticed.
static const lws_retry_bo_t patience = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 60};

static bool make_token(char token[2 * TOKEN_BYTES + 1]) {
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
  for (size_t k = 0; k < sizeof bytes; k++) snprintf(token + 2 * k, 3, "%02x", bytes[k]);
  return true;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = note_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static int listen_at(cli_server *server, const cli_server_def *def) {
  const char *address = def->address ? def->address : "127.0.0.1";
  const struct lws_context_creation_info info = {
      .port = def->port ? (int)def->port : 0,
      .iface = address,
      .protocols = protocols,
      // With IPv6 libwebsockets takes `iface` for a name, finds none, and listens to everybody.
      .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6,
      .user = server,
      .gid = -1,
      .uid = -1,
      .retry_and_idle_policy = &patience,
  };
  lws_set_log_level(0, NULL);
  server->context = lws_create_context(&info);
  server->host = server->context ? lws_create_vhost(server->context, &info) : NULL;
  const int port = server->host ? lws_get_vhost_listen_port(server->host) : 0;
  if (port <= 0) {
    fprintf(stderr, "cleave: cannot listen at %s, port %u: %s\n", address, def->port,
            def->address ? "this machine has no such address, or another program has the port"
                         : "another program may have it; --port names another");
    return CLI_FAILURE;
  }
  server->port = (uint32_t)port;
  snprintf(server->link, sizeof server->link, "http://%s:%d/%s%s", address, port,
           server->open_to_others ? "?token=" : "", server->token);
  return CLI_OK;
}

cli_server *cli_server_open(const cli_server_def *def) {
  cli_server *server = calloc(1, sizeof *server);
  if (!server) {
    cli_failed("cleave: out of memory");
    return NULL;
  }
  server->open_to_others = def->address != NULL;
  if (server->open_to_others && !make_token(server->token)) {
    cli_failed("cleave: the system gives no random numbers for a token");
  } else if (listen_at(server, def) == CLI_OK) {
    catch_signals();
    return server;
  }
  cli_server_close(server);
  return NULL;
}

void cli_server_close(cli_server *server) {
  if (!server) return;
  if (server->context) lws_context_destroy(server->context);
  free(server);
}

const char *cli_server_link(const cli_server *server) {
  return server->link;
}

void cli_server_wake(void *user) {
  const cli_server *server = user;
  lws_cancel_service(server->context);
}

int cli_server_run(cli_server *server, clv_live *live) {
  server->live = live;
  while (!stop_signal && lws_service(server->context, 0) >= 0) continue;
  server->live = NULL; // connections that are still open end with the server, and this may be gone then
  return (int)stop_signal;
}
