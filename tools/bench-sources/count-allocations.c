/* For: what a program asks of the heap, counted from outside. Preloaded into it: how often its first thread has asked for memory
 * stands, as 8 bytes, in the file that COUNTED_ALLOCATIONS names and that is there already. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static volatile int64_t *counted;
static pthread_t first;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("COUNTED_ALLOCATIONS");
    int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    first = pthread_self();
    void *place = mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (place != MAP_FAILED) counted = place;
}

static void count(void) {
    if (counted && pthread_equal(pthread_self(), first)) ++*counted;
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12;
}
