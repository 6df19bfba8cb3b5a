/* For: the limit that `tools/bench phone` measures against: the least a program can do to keep a panel's alarms durably and
 * hand each to the push service, and to pass a phone's command on to the panel.
 *
 * Logs in at the panel and at the service (docs/push.md A.3), reads lines, verifies their sums, stores each as a row
 * (SQLite, WAL, synchronous=FULL; all lines that one read returned in one transaction), then sends a message for each
 * over TLS. A message of a phone is stored as a row, then the panel gets a line, then the service its acknowledgement.
 * Nothing is sealed, signed, repeated or checked, and no error is handled.
 *
 * Usage: plain-push PANEL-PORT DATABASE PUSH-PORT AUTHORITY SENDER KEY TOKEN SIZE
 *        TOKEN names the phone; SIZE is how many bytes of data a message carries
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire.h"

static sqlite3 *database;
static sqlite3_stmt *begin, *insert, *commit;
static int panel;
static SSL *push;
static char heard[1 << 20]; /* of the service, as text, up to `heard_length` */
static size_t heard_length;
static const char *token;
static char *filling; /* what stands for a sealed event */
static long message_number;

static void die(const char *what) {
    fprintf(stderr, "plain-push: %s: %s\n", what, database ? sqlite3_errmsg(database) : "failed");
    ERR_print_errors_fp(stderr);
    exit(1);
}

static int reach(int port) {
    int connection = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) die("connect");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return connection;
}

/* MARK: storing */

static void open_database(const char *path) {
    if (sqlite3_open(path, &database)) die("open");
    if (sqlite3_exec(database,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, raw TEXT NOT NULL, message TEXT NOT NULL)",
            NULL, NULL, NULL))
        die("schema");
    sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL);
    sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL);
    if (sqlite3_prepare_v2(database, "INSERT INTO events (time, raw, message) VALUES (?1, ?2, ?3)", -1, &insert, NULL))
        die("prepare");
}

static void step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) die("step");
    sqlite3_reset(statement);
}

static void store(const char *raw, size_t length, const char *message) {
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    sqlite3_bind_int64(insert, 1, wall.tv_sec * 1000 + wall.tv_nsec / 1000000);
    sqlite3_bind_text(insert, 2, raw, (int)length, SQLITE_TRANSIENT);
    sqlite3_bind_text(insert, 3, message, -1, SQLITE_TRANSIENT);
    step(insert);
}

/* MARK: the service */

static void tell(const char *text) {
    if (SSL_write(push, text, (int)strlen(text)) <= 0) die("send to the service");
}

static void hear(void) {
    int count = SSL_read(push, heard + heard_length, (int)(sizeof heard - 1 - heard_length));
    if (count <= 0) die("the service closed");
    heard_length += (size_t)count;
    heard[heard_length] = 0;
}

static void await(const char *mark) {
    heard_length = 0;
    do hear();
    while (!strstr(heard, mark));
    heard_length = 0;
}

static void log_in(int port, const char *authority, const char *sender, const char *key) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!SSL_CTX_load_verify_locations(context, authority, NULL)) die("authority");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    push = SSL_new(context);
    SSL_set_tlsext_host_name(push, "localhost");
    SSL_set1_host(push, "localhost");
    SSL_set_fd(push, reach(port));
    if (SSL_connect(push) != 1) die("TLS");
    const char *stream = "<stream:stream to=\"gcm.googleapis.com\" version=\"1.0\" xmlns=\"jabber:client\" "
                         "xmlns:stream=\"http://etherx.jabber.org/streams\">";
    char plain[300], coded[500], text[700];
    int length = snprintf(plain, sizeof plain, "%c%s@gcm.googleapis.com%c%s", 0, sender, 0, key);
    EVP_EncodeBlock((unsigned char *)coded, (unsigned char *)plain, length);
    snprintf(text, sizeof text, "<auth mechanism=\"PLAIN\" xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\">%s</auth>", coded);
    tell(stream);
    await("</stream:features>");
    tell(text);
    await("<success");
    tell(stream);
    await("</stream:features>");
    tell("<iq type=\"set\" id=\"1\"><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/></iq>");
    await("</iq>");
    tell("<iq type=\"set\" id=\"2\"><session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\"/></iq>");
    await("type=\"result\"/>");
}

static void send_json(const char *json) {
    static char text[8192];
    snprintf(text, sizeof text, "<message><gcm xmlns=\"google:mobile:data\">%s</gcm></message>", json);
    tell(text);
}

static void send_alarm(void) {
    static char json[6000];
    snprintf(json, sizeof json,
        "{\"to\":\"%s\",\"message_id\":\"plain-%ld\",\"priority\":\"high\",\"delivery_receipt_requested\":true,"
        "\"time_to_live\":3600,\"data\":{\"e\":\"%s\"}}",
        token, ++message_number, filling);
    send_json(json);
}

/* The value of a member, as text. */
static void member(const char *text, const char *name, char *value, size_t size) {
    *value = 0;
    const char *at = strstr(text, name);
    if (!at) return;
    at += strlen(name);
    size_t length = strcspn(at, "\"");
    if (length < size) {
        memcpy(value, at, length);
        value[length] = 0;
    }
}

static void say(const char *payload) {
    if (!send_line(panel, payload)) die("send to the panel");
}

static void take_stanza(char *text) {
    static const char quote[] = "&quot;";
    char *out = text;
    for (char *in = text; *in; out++) {
        int is_quote = !strncmp(in, quote, sizeof quote - 1);
        *out = is_quote ? '"' : *in;
        in += is_quote ? sizeof quote - 1 : 1;
    }
    *out = 0;
    if (strstr(text, "\"message_type\":\"ack\"")) return;
    char from[300], id[300], json[700];
    member(text, "\"from\":\"", from, sizeof from);
    member(text, "\"message_id\":\"", id, sizeof id);
    if (!strstr(text, "\"message_type\"")) {
        step(begin);
        store(id, strlen(id), "output");
        step(commit);
        say("02011");
    }
    snprintf(json, sizeof json, "{\"to\":\"%s\",\"message_id\":\"%s\",\"message_type\":\"ack\"}", from, id);
    send_json(json);
}

static void service_readable(void) {
    static const char end[] = "</message>";
    do {
        hear();
        char *head = heard, *tail;
        while ((tail = strstr(head, end))) {
            *tail = 0;
            take_stanza(head);
            head = tail + sizeof end - 1;
        }
        heard_length -= (size_t)(head - heard);
        memmove(heard, head, heard_length + 1);
    } while (SSL_pending(push));
}

/* MARK: the panel */

static void panel_readable(void) {
    static char buffer[65536];
    static size_t held;
    ssize_t count = read(panel, buffer + held, sizeof buffer - held);
    if (count <= 0) exit(0);
    size_t end = held + (size_t)count, head = 0;
    int is_open = 0, alarms = 0;
    size_t payload;
    const char *line;
    while ((line = next_line(buffer, end, &head, &payload))) {
        if (payload == 4 && !memcmp(line, "5053", 4)) say("005user");
        else if (payload == 4 && !memcmp(line, "5051", 4)) say("001");
        else if (memcmp(line, "500", 3)) {
            if (!is_open) step(begin);
            is_open = 1;
            char message[64];
            snprintf(message, sizeof message, "Window number %.3s: alarm", line + 4);
            store(line, payload, message);
            alarms += !memcmp(line, "601", 3);
        }
    }
    memmove(buffer, buffer + head, end - head);
    held = end - head;
    if (is_open) step(commit);
    while (alarms--) send_alarm();
}

int main(int count, char **arguments) {
    if (count != 9) return 64;
    size_t size = (size_t)atoi(arguments[8]);
    if (size > 4000) return 64;
    token = arguments[7];
    filling = calloc(1, size + 1);
    memset(filling, 'A', size);
    open_database(arguments[2]);
    log_in(atoi(arguments[3]), arguments[4], arguments[5], arguments[6]);
    panel = reach(atoi(arguments[1]));
    struct pollfd items[] = {{.fd = panel, .events = POLLIN}, {.fd = SSL_get_fd(push), .events = POLLIN}};
    for (;;) {
        if (poll(items, 2, -1) < 0) die("poll");
        if (items[0].revents) panel_readable();
        if (items[1].revents) service_readable();
    }
}
