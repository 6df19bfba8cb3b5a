/* For: measuring a program that keeps a panel's lines, from outside: this is the panel, the reader of the database and
 * the follower at once. Both subjects, the daemon and the plain loop, are measured by the same code.
 *
 * Usage: driver probe DIRECTORY
 *        driver measure daemon PROGRAM DIRECTORY SINGLES SPACING-MS BURST IDLE-SECONDS
 *        driver measure loop   PROGRAM DIRECTORY SINGLES SPACING-MS BURST IDLE-SECONDS
 * Prints "name value" lines; times in milliseconds. BENCH_PRELOAD names a library to preload into the subject.
 *
 * "seen" is the time from send() until another connection to the database file sees the row: SQLite shows a row only
 * after the write-ahead log with its commit was synced. It looks about every 50 microseconds, which is the error.
 * "told" is the time until the subject itself said so: an event on the control socket, a line on the loop's pipe.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire.h"

#define ZONES 64

static void die(const char *what) {
    fprintf(stderr, "driver: %s (%s)\n", what, strerror(errno));
    exit(1);
}

static int is_daemon, panel = -1, listener = -1, report = -1, is_up;
static pid_t subject;
static char directory[512], program[512], database_path[600], control_path[600];
static long told_lines;
static int64_t told_at, inner_ns;
static int is_refused;

/* MARK: figures */

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void print_percentiles(const char *name, int64_t *values, int count) {
    if (!count) return;
    qsort(values, (size_t)count, sizeof *values, ascending);
    const int shares[] = {50, 90, 99};
    for (int i = 0; i < 3; i++) {
        int index = count * shares[i] / 100;
        printf("%s_p%d %.3f\n", name, shares[i], (double)values[index < count ? index : count - 1] / 1e6);
    }
    printf("%s_max %.3f\n", name, (double)values[count - 1] / 1e6);
}

/* CPU time in nanoseconds, with threads that have ended, and how often the others were put to sleep. */
static void cpu_time(int64_t *nanoseconds, long *switches) {
    char path[300], line[200];
    snprintf(path, sizeof path, "/proc/%d/task", subject);
    DIR *tasks = opendir(path);
    struct dirent *entry;
    clockid_t clock;
    struct timespec used = {0};
    if (!clock_getcpuclockid(subject, &clock)) clock_gettime(clock, &used);
    *nanoseconds = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    *switches = 0;
    while (tasks && (entry = readdir(tasks))) {
        if (entry->d_name[0] == '.') continue;
        long count;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", subject, entry->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) *switches += count;
        if (file) fclose(file);
    }
    if (tasks) closedir(tasks);
}

static void print_memory(void) {
    char path[64], line[200];
    snprintf(path, sizeof path, "/proc/%d/status", subject);
    FILE *file = fopen(path, "r");
    long kib;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %ld", &kib) == 1) printf("rss %.1f\n", (double)kib / 1024);
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) printf("rss_peak %.1f\n", (double)kib / 1024);
        if (sscanf(line, "RssAnon: %ld", &kib) == 1) printf("rss_own %.1f\n", (double)kib / 1024);
    }
    if (file) fclose(file);
}

/* MARK: the panel */

static void panel_send(const char *payload) {
    char line[300];
    size_t length = strlen(payload);
    memcpy(line, payload, length);
    length = finish_line(line, length);
    if (send(panel, line, length, MSG_NOSIGNAL) != (ssize_t)length) die("the subject left the panel");
}

static void status_report(void) {
    char text[8192];
    size_t length = 0;
    for (int zone = 1; zone <= ZONES; zone++) {
        sprintf(text + length, "610%03d", zone);
        length += finish_line(text + length, 6);
    }
    const char *rest[] = {"6501", "6502", "8411", "8412", "51080", "51100"};
    for (int i = 0; i < 6; i++) {
        size_t count = strlen(rest[i]);
        memcpy(text + length, rest[i], count);
        length += finish_line(text + length, count);
    }
    if (send(panel, text, length, MSG_NOSIGNAL) != (ssize_t)length) die("the subject left the panel");
}

static void panel_heard(const char *line, size_t length) {
    size_t payload = checked_payload(line, length);
    if (payload < 3) die("the subject sent a line with a wrong sum");
    char acknowledgement[7] = "500";
    memcpy(acknowledgement + 3, line, 3);
    panel_send(acknowledgement);
    if (!memcmp(line, "005", 3)) panel_send("5051");
    if (!memcmp(line, "001", 3)) status_report();
    if (!memcmp(line, "008", 3)) {
        /* Every zone was closed for as long as the module can count. */
        char timers[3 + 4 * ZONES + 1] = "615";
        memset(timers + 3, '0', 4 * ZONES);
        panel_send(timers);
    }
}

static void panel_readable(void) {
    static char buffer[8192];
    static size_t held;
    ssize_t count = recv(panel, buffer + held, sizeof buffer - held, 0);
    if (count <= 0) die("the subject closed the panel session");
    held += (size_t)count;
    char *feed;
    while ((feed = memchr(buffer, '\n', held))) {
        size_t length = (size_t)(feed - buffer);
        panel_heard(buffer, length && buffer[length - 1] == '\r' ? length - 1 : length);
        held -= length + 1;
        memmove(buffer, feed + 1, held);
    }
}

/* MARK: what the subject says of itself */

static void follow(void) {
    int control = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", control_path);
    if (connect(control, (struct sockaddr *)&address, sizeof address)) {
        close(control);
        return;
    }
    const char *request = "{\"request\":\"events\",\"after\":0,\"order\":\"oldest-first\",\"limit\":200,\"follow\":true}\n";
    if (write(control, request, strlen(request)) < 0) die("the control socket does not take a request");
    report = control;
}

static void reported(char *line, int64_t now) {
    if (!is_daemon) {
        long long inner;
        if (!strcmp(line, "up")) is_up = 1;
        if (sscanf(line, "c %ld %lld", &told_lines, &inner) == 2) {
            inner_ns = inner;
            told_at = now;
        }
        return;
    }
    if (strstr(line, "\"error\"")) {
        if (is_up) die(line);
        is_refused = 1; /* The daemon is still opening its journal. */
    }
    if (strstr(line, "PANEL_ONLINE")) is_up = 1;
    for (char *at = line; (at = strstr(at, "\"code\":\"6")); at += 8)
        if (!memcmp(at + 8, "609\"", 4) || !memcmp(at + 8, "610\"", 4)) {
            told_lines++;
            told_at = now;
        }
}

static void report_readable(void) {
    static char buffer[1 << 20];
    static size_t held;
    ssize_t count = read(report, buffer + held, sizeof buffer - 1 - held);
    if (count <= 0 && (is_up || !is_daemon)) die("the subject closed its reports");
    int64_t now = now_ns();
    if (count < 0) count = 0;
    is_refused = count == 0;
    held += (size_t)count;
    char *feed;
    while ((feed = memchr(buffer, '\n', held))) {
        *feed = 0;
        reported(buffer, now);
        held -= (size_t)(feed - buffer) + 1;
        memmove(buffer, feed + 1, held);
    }
    if (is_refused) {
        close(report);
        report = -1;
        held = 0;
    }
}

/* One look at everything, at most `span` nanoseconds long. */
static void serve(int64_t span) {
    if (is_daemon && report < 0) follow();
    struct pollfd items[] = {{.fd = panel, .events = POLLIN}, {.fd = report, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    struct timespec limit = {span / 1000000000, span % 1000000000};
    if (ppoll(items, 3, &limit, NULL) < 0 && errno != EINTR) die("poll");
    if (items[2].revents && panel < 0) {
        int one = 1;
        panel = accept(listener, NULL, NULL);
        setsockopt(panel, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        panel_send("5053");
        return;
    }
    if (items[0].revents && panel >= 0) panel_readable();
    if (items[1].revents) report_readable();
    int status;
    if (waitpid(subject, &status, WNOHANG) == subject) die("the subject ended by itself");
}

/* MARK: the database, seen by another connection */

static sqlite3 *database;
static sqlite3_stmt *newest;

static void open_database(void) {
    if (sqlite3_open_v2(database_path, &database, SQLITE_OPEN_READONLY, NULL) ||
        sqlite3_prepare_v2(database, "SELECT raw FROM events ORDER BY seq DESC LIMIT 3", -1, &newest, NULL)) {
        fprintf(stderr, "driver: %s: %s\n", database_path, sqlite3_errmsg(database));
        exit(1);
    }
}

static int is_seen(const char *raw) {
    int found = 0;
    while (sqlite3_step(newest) == SQLITE_ROW)
        found |= !strcmp((const char *)sqlite3_column_text(newest, 0), raw);
    sqlite3_reset(newest);
    return found;
}

static long query(const char *sql) {
    sqlite3_stmt *statement;
    long value = -1;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) die(sqlite3_errmsg(database));
    if (sqlite3_step(statement) == SQLITE_ROW) value = (long)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* Waits until the row is seen and `lines` were told. */
static void await(const char *raw, long lines, int64_t sent, int64_t *seen, int64_t *told) {
    *seen = *told = 0;
    while (!*seen || !*told) {
        if (!*seen && is_seen(raw)) *seen = now_ns() - sent;
        if (!*told && told_lines >= lines) *told = told_at - sent;
        if (*seen && *told) break;
        if (now_ns() - sent > 120000000000) die("a line was not stored within two minutes");
        serve(30000);
    }
}

/* MARK: measuring */

static void launch(int port) {
    int pipes[2];
    char port_text[16], config[600];
    snprintf(port_text, sizeof port_text, "%d", port);
    snprintf(config, sizeof config, "%s/bench.yaml", directory);
    if (is_daemon) {
        FILE *file = fopen(config, "w");
        if (!file) die(config);
        fprintf(file,
            "site: {name: Bench, time_zone: UTC}\npanel: {host: 127.0.0.1, port: %d, password: user, set_clock: false}\n"
            "partitions: {1: Ground floor, 2: Workshop}\nzones:\n", port);
        for (int zone = 1; zone <= ZONES; zone++)
            fprintf(file, "  %d: {name: Window number %d, partition: 1}\n", zone, zone);
        fchmod(fileno(file), 0600);
        fclose(file);
    } else if (pipe(pipes)) die("pipe");
    fflush(stdout);
    subject = fork();
    if (subject) {
        if (!is_daemon) {
            close(pipes[1]);
            report = pipes[0];
        }
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getenv("BENCH_PRELOAD")) setenv("LD_PRELOAD", getenv("BENCH_PRELOAD"), 1);
    if (!is_daemon) {
        dup2(pipes[1], 1);
        execl(program, program, port_text, database_path, NULL);
    } else {
        char log[600];
        snprintf(log, sizeof log, "%s/bench.log", directory);
        int file = open(log, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        dup2(file, 1);
        dup2(file, 2);
        execl(program, program, "run", "--config", config, "--state", directory, NULL);
    }
    _exit(127);
}

static void rest(int64_t span) {
    for (int64_t end = now_ns() + span, left; (left = end - now_ns()) > 0;) serve(left < 50000000 ? left : 50000000);
}

static void measure_singles(int count, int spacing) {
    int64_t *seen = calloc((size_t)count, 8), *told = calloc((size_t)count, 8), *inner = calloc((size_t)count, 8);
    for (int i = 0; i < count; i++) {
        char raw[16];
        snprintf(raw, sizeof raw, "%s%03d", i / ZONES % 2 ? "610" : "609", i % ZONES + 1);
        long lines = told_lines + 1;
        int64_t sent = now_ns();
        panel_send(raw);
        await(raw, lines, sent, &seen[i], &told[i]);
        inner[i] = inner_ns;
        rest((int64_t)spacing * 1000000);
    }
    print_percentiles("seen", seen, count);
    print_percentiles("told", told, count);
    if (!is_daemon) print_percentiles("inner", inner, count);
}

/* The daemon's own histogram: line read to commit reported. Only while it holds nothing but single events. */
static void print_inner(void) {
    char command[1400], text[65536];
    snprintf(command, sizeof command, "'%s' status --json --state '%s'", program, directory);
    FILE *file = popen(command, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) pclose(file);
    text[length] = 0;
    double p50, p90, p99, max;
    int count;
    char *at = strstr(text, "\"latency_ms\":{");
    if (!at || sscanf(at, "\"latency_ms\":{\"count\":%d,\"p50\":%lf,\"p90\":%lf,\"p99\":%lf,\"max\":%lf", &count, &p50, &p90,
                  &p99, &max) != 5)
        die("status --json has no latencies");
    printf("inner_p50 %.3f\ninner_p90 %.3f\ninner_p99 %.3f\ninner_max %.3f\n", p50, p90, p99, max);
}

static void measure_burst(int count) {
    char *text = malloc((size_t)count * 16);
    size_t length = 0;
    char raw[16];
    for (int i = 0; i < count; i++) {
        /* The last line is the only one of its kind, so that it is found. */
        snprintf(raw, sizeof raw, "%s%03d", i / (ZONES - 1) % 2 ? "610" : "609", i % (ZONES - 1) + 1);
        if (i == count - 1) snprintf(raw, sizeof raw, "609%03d", ZONES);
        memcpy(text + length, raw, 6);
        length += finish_line(text + length, 6);
    }
    long lines = told_lines + count;
    int64_t seen, told, cpu_before, cpu_after;
    long switches;
    cpu_time(&cpu_before, &switches);
    int64_t sent = now_ns();
    for (size_t done = 0; done < length;) {
        ssize_t n = send(panel, text + done, length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) done += (size_t)n;
        else serve(200000);
    }
    await(raw, lines, sent, &seen, &told);
    cpu_time(&cpu_after, &switches);
    printf("burst_seen %.3f\nburst_told %.3f\nburst_cpu %.3f\n", (double)seen / 1e6, (double)told / 1e6,
        (double)(cpu_after - cpu_before) / 1e6);
    free(text);
}

static void measure(int singles, int spacing, int burst, double idle) {
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1)) die("listen");
    getsockname(listener, (struct sockaddr *)&address, &size);

    int64_t start = now_ns();
    launch(ntohs(address.sin_port));
    while (!is_up) {
        serve(500000);
        if (now_ns() - start > 60000000000) die("the panel session was not up within a minute");
    }
    printf("start %.1f\n", (double)(now_ns() - start) / 1e6);
    open_database();
    rest(1000000000);
    char sql[200];
    long before = query("SELECT max(seq) FROM events");
    snprintf(sql, sizeof sql, "SELECT count(*) FROM events WHERE code IN ('609', '610') AND seq > %ld", before);

    measure_singles(singles, spacing);
    if (is_daemon) print_inner();
    rest(500000000);
    measure_burst(burst);
    rest(500000000);
    printf("lost %ld\n", singles + burst - query(sql));
    printf("gaps %ld\n", query("SELECT max(seq) - min(seq) + 1 - count(*) FROM events"));
    print_memory();
    if (idle > 0) {
        rest(2000000000);
        int64_t cpu_before, cpu_after;
        long switches_before, switches_after;
        cpu_time(&cpu_before, &switches_before);
        rest((int64_t)(idle * 1e9));
        cpu_time(&cpu_after, &switches_after);
        printf("idle_cpu %.4f\n", (double)(cpu_after - cpu_before) / idle / 1e7);
        printf("idle_wakeups %.2f\n", (double)(switches_after - switches_before) / idle);
    }
    sqlite3_finalize(newest);
    sqlite3_close(database);
    kill(subject, SIGTERM);
    waitpid(subject, NULL, 0);
}

static void probe(void) {
    char path[600], page[4096];
    int64_t times[200];
    memset(page, 0x5A, sizeof page);
    snprintf(path, sizeof path, "%s/probe", directory);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0) die(path);
    for (int i = 0; i < 200; i++) {
        int64_t start = now_ns();
        if (write(file, page, sizeof page) != sizeof page || fdatasync(file)) die(path);
        times[i] = now_ns() - start;
    }
    unlink(path);
    print_percentiles("sync", times, 200);
}

int main(int count, char **arguments) {
    prctl(PR_SET_TIMERSLACK, 1);
    signal(SIGPIPE, SIG_IGN);
    if (count == 3 && !strcmp(arguments[1], "probe")) {
        snprintf(directory, sizeof directory, "%s", arguments[2]);
        probe();
        return 0;
    }
    if (count != 9 || strcmp(arguments[1], "measure")) return 64;
    is_daemon = !strcmp(arguments[2], "daemon");
    snprintf(program, sizeof program, "%s", arguments[3]);
    snprintf(directory, sizeof directory, "%s", arguments[4]);
    snprintf(database_path, sizeof database_path, "%s/journal.db", directory);
    snprintf(control_path, sizeof control_path, "%s/control", directory);
    measure(atoi(arguments[5]), atoi(arguments[6]), atoi(arguments[7]), atof(arguments[8]));
    return 0;
}
