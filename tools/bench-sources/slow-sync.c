/* For: a card that takes long to sync, simulated. Preloaded into a program: each fsync and fdatasync takes
 * BENCH_SYNC_MS milliseconds longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_card(void) {
    const char *text = getenv("BENCH_SYNC_MS");
    long milliseconds = text ? atol(text) : 0;
    struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    if (milliseconds > 0) nanosleep(&span, NULL);
}

static int slowly(const char *name, int descriptor) {
    int (*call)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    wait_for_card();
    return call(descriptor);
}

int fsync(int descriptor) { return slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
