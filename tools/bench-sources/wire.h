/* For: what the driver and the plain loop both need: the clock and the lines of the module (three digits, data, sum). */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Appends sum and line end to the payload that stands in `line`; returns the whole length. */
static inline size_t finish_line(char *line, size_t length) {
    unsigned sum = 0;
    for (size_t i = 0; i < length; i++) sum += (unsigned char)line[i];
    static const char digits[] = "0123456789ABCDEF";
    line[length++] = digits[sum >> 4 & 15];
    line[length++] = digits[sum & 15];
    line[length++] = '\r';
    line[length++] = '\n';
    return length;
}

static inline int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/* The length of code and data of a line without its line end; 0 when it is too short or its sum is wrong. */
static inline size_t checked_payload(const char *line, size_t length) {
    if (length < 5) return 0;
    unsigned sum = 0;
    for (size_t i = 0; i < length - 2; i++) sum += (unsigned char)line[i];
    int high = hex_value(line[length - 2]), low = hex_value(line[length - 1]);
    if (high < 0 || low < 0 || (sum & 255) != (unsigned)(high << 4 | low)) return 0;
    return length - 2;
}

/* The next line whose sum is right, from `*head` on, which moves behind it; NULL: no whole line is left. */
static inline const char *next_line(const char *buffer, size_t end, size_t *head, size_t *payload) {
    const char *feed;
    while ((feed = memchr(buffer + *head, '\n', end - *head))) {
        const char *line = buffer + *head;
        size_t length = (size_t)(feed - line);
        *head += length + 1;
        while (length && (line[length - 1] == '\r' || line[length - 1] == ' ')) length--;
        *payload = checked_payload(line, length);
        if (*payload) return line;
    }
    return NULL;
}

/* Sends a line; 0: it could not be sent whole. */
static inline int send_line(int panel, const char *payload) {
    char line[64];
    size_t length = strlen(payload);
    memcpy(line, payload, length);
    length = finish_line(line, length);
    return write(panel, line, length) == (ssize_t)length;
}

#endif
