#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

int ha_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

void ha_return_memory(void) { malloc_trim(0); }

void ha_return_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

int ha_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int ha_open_directory(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

int ha_peer_credentials(int socket, uint32_t *user, int32_t *process) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *user = credentials.uid;
    *process = credentials.pid;
    return 0;
}

int ha_pidfd_open(int32_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int ha_window_size(int descriptor, uint16_t *columns, uint16_t *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int ha_clock_is_synchronised(void) {
    struct timex query;
    memset(&query, 0, sizeof query);
    int state = adjtimex(&query);
    return state >= 0 && state != TIME_ERROR && (query.status & STA_UNSYNC) == 0;
}

struct start {
    void (*body)(void *);
    void *argument;
};

static void *run(void *pointer) {
    struct start start = *(struct start *)pointer;
    free(pointer);
    start.body(start.argument);
    return NULL;
}

int ha_start_thread(void (*body)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    *start = (struct start){body, argument};
    // The thread inherits the mask of the one that starts it.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int result = pthread_create(&thread, &attributes, run, start);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (result != 0) free(start);
    return result;
}

void ha_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void ha_stay_behind(int nice) { setpriority(PRIO_PROCESS, 0, nice); }

const char *ha_error_text(int number) {
    const char *text = strerrordesc_np(number);
    return text ? text : "unknown error";
}

char **ha_environment(void) { return environ; }

int ha_unacknowledged(int socket, int *count) { return ioctl(socket, SIOCOUTQ, count); }

int ha_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int ha_open_direct(const char *path) { return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC); }

int ha_open(const char *path, int flags, unsigned int mode) { return open(path, flags, mode); }
