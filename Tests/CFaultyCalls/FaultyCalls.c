#define _GNU_SOURCE
#include "CFaultyCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local struct {
    uint64_t place, count;
    int error, is_once;
    char struck[200];
} refusal;

void faulty_calls_refuse(uint64_t place, int once, int error) {
    memset(&refusal, 0, sizeof refusal);
    refusal.place = place;
    refusal.is_once = once;
    refusal.error = error;
}

void faulty_calls_end(void) { refusal.error = 0; }

const char *faulty_calls_struck(void) { return refusal.struck; }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEEPS_CALLS 1
#endif
#endif

#ifdef KEEPS_CALLS

int faulty_calls_can(void) { return 0; }

#else

int faulty_calls_can(void) { return 1; }

/// Counts a call; errno is set where it is refused.
static int is_refused(const char *call, const char *path) {
    if (refusal.error == 0) return 0;
    refusal.count++;
    if (refusal.count < refusal.place || (refusal.is_once && refusal.count > refusal.place)) return 0;
    const char *name = path ? strrchr(path, '/') : NULL;
    if (!refusal.struck[0]) {
        snprintf(refusal.struck, sizeof refusal.struck, "%s %s", call, name ? name + 1 : path ? path : "");
    }
    errno = refusal.error;
    return 1;
}

// The linker takes these in the place of the C library's, in the test program and in the libraries that it loads.

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | __O_TMPFILE)) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if ((flags & O_CREAT) && is_refused("open", path)) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
    return is_refused("mkdir", path) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

ssize_t write(int file, const void *bytes, size_t count) {
    return is_refused("write", NULL) ? -1 : syscall(SYS_write, file, bytes, count);
}

int fsync(int file) { return is_refused("fsync", NULL) ? -1 : (int)syscall(SYS_fsync, file); }

int rename(const char *old, const char *new) {
    return is_refused("rename", new) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

#endif
