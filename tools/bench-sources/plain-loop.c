/* For: the limit that tools/bench measures against: the least a program can do to keep a panel's lines durably.
 *
 * Logs in, reads lines, verifies their sums, inserts each as a row (the columns and the size of our table `events`) into
 * SQLite with WAL and synchronous=FULL; all lines that one read returned go into one transaction. No state, no clients,
 * no checks, no error handling worth the name.
 *
 * Usage: plain-loop PORT DATABASE        reports on standard output: "up", then "c LINES NANOSECONDS" after each COMMIT:
 *                                        zone lines so far, and the time since this transaction's read() returned
 *        plain-loop --parse FILE SECONDS reports "parsed LINES NANOSECONDS": splitting and verifying FILE over and over
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

#include "wire.h"

static sqlite3 *database;
static sqlite3_stmt *begin, *insert, *commit;
static long zone_lines;

static void die(const char *what) {
    fprintf(stderr, "plain-loop: %s: %s\n", what, database ? sqlite3_errmsg(database) : "failed");
    exit(1);
}

static void open_database(const char *path) {
    if (sqlite3_open(path, &database)) die("open");
    if (sqlite3_exec(database,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, time_trusted INTEGER NOT NULL,"
            " type TEXT NOT NULL, code TEXT NOT NULL, raw TEXT NOT NULL, message TEXT NOT NULL, \"partition\" INTEGER,"
            " partition_name TEXT, zone INTEGER, zone_name TEXT, user INTEGER, user_name TEXT, flags INTEGER NOT NULL,"
            " flap_count INTEGER, command INTEGER, unstored TEXT)",
            NULL, NULL, NULL))
        die("schema");
    sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL);
    sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL);
    if (sqlite3_prepare_v2(database,
            "INSERT INTO events (time, time_trusted, type, code, raw, message, \"partition\", partition_name, zone,"
            " zone_name, flags) VALUES (?1, 1, 'info', ?2, ?3, ?4, 1, 'Ground floor', ?5, ?6, 0)",
            -1, &insert, NULL))
        die("prepare");
}

static void step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) die("step");
    sqlite3_reset(statement);
}

static void store(const char *payload, size_t length) {
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    int zone = length >= 6 ? atoi((char[]){payload[3], payload[4], payload[5], 0}) : 0;
    char name[32], message[64];
    int name_length = snprintf(name, sizeof name, "Window number %d", zone);
    int message_length =
        snprintf(message, sizeof message, "%s %s", name, memcmp(payload, "609", 3) ? "closed" : "opened");
    sqlite3_bind_int64(insert, 1, wall.tv_sec * 1000 + wall.tv_nsec / 1000000);
    sqlite3_bind_text(insert, 2, payload, 3, SQLITE_TRANSIENT);
    sqlite3_bind_text(insert, 3, payload, (int)length, SQLITE_TRANSIENT);
    sqlite3_bind_text(insert, 4, message, message_length, SQLITE_TRANSIENT);
    sqlite3_bind_int(insert, 5, zone);
    sqlite3_bind_text(insert, 6, name, name_length, SQLITE_TRANSIENT);
    step(insert);
    if (!memcmp(payload, "609", 3) || !memcmp(payload, "610", 3)) zone_lines++;
}

static void say(int panel, const char *payload) {
    if (!send_line(panel, payload)) die("send");
}

static void run(int port, const char *path) {
    open_database(path);
    int panel = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(panel, (struct sockaddr *)&address, sizeof address)) die("connect");
    setsockopt(panel, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    static char buffer[65536];
    size_t held = 0;
    for (;;) {
        ssize_t count = read(panel, buffer + held, sizeof buffer - held);
        if (count <= 0) return;
        int64_t start = now_ns();
        size_t end = held + (size_t)count, head = 0;
        int is_open = 0, is_up = 0;
        size_t payload;
        const char *line;
        while ((line = next_line(buffer, end, &head, &payload))) {
            if (payload == 4 && !memcmp(line, "5053", 4)) say(panel, "005user");
            else if (payload == 4 && !memcmp(line, "5051", 4)) say(panel, "001");
            else if (!memcmp(line, "500", 3)) is_up |= payload == 6 && !memcmp(line + 3, "001", 3);
            else {
                if (!is_open) step(begin);
                is_open = 1;
                store(line, payload);
            }
        }
        memmove(buffer, buffer + head, end - head);
        held = end - head;
        char report[64];
        int length = 0;
        if (is_open) {
            step(commit);
            length = snprintf(report, sizeof report, "c %ld %lld\n", zone_lines, (long long)(now_ns() - start));
        }
        if (is_up) length += snprintf(report + length, sizeof report - (size_t)length, "up\n");
        if (length && write(1, report, (size_t)length) != length) return;
    }
}

static void parse(const char *path, double seconds) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status)) die("open");
    size_t size = (size_t)status.st_size, held = 0;
    char *bytes = malloc(size);
    if (read(file, bytes, size) != (ssize_t)size) die("read");
    static char buffer[8192];
    long lines = 0, rejected = 0;
    int64_t start = now_ns(), limit = (int64_t)(seconds * 1e9);
    while (now_ns() - start < limit) {
        for (size_t at = 0; at < size;) {
            /* What one segment on an Ethernet carries. */
            size_t count = size - at < 1448 ? size - at : 1448;
            memcpy(buffer + held, bytes + at, count);
            at += count;
            size_t end = held + count, head = 0;
            char *feed;
            while ((feed = memchr(buffer + head, '\n', end - head))) {
                size_t length = (size_t)(feed - buffer) - head;
                const char *line = buffer + head;
                head += length + 1;
                while (length && line[length - 1] == '\r') length--;
                if (length && !checked_payload(line, length)) rejected++;
                if (length) lines++;
            }
            held = end - head;
            if (held > 2048) held = 0;
            memmove(buffer, buffer + head, held);
        }
    }
    printf("parsed %ld %lld\n", lines, (long long)(now_ns() - start));
    if (rejected > lines) die("parse");
}

int main(int count, char **arguments) {
    if (count == 4 && !strcmp(arguments[1], "--parse")) parse(arguments[2], atof(arguments[3]));
    else if (count == 3) run(atoi(arguments[1]), arguments[2]);
    else return 64;
    return 0;
}
