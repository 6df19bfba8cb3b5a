// What Embedded Swift asks of a C library, for wasm32 without one: memory, the seed of its hashing, long products.
//
// A block has a size of a power of two and a head of 16 bytes that says which. A freed block waits in the list of its
// size and is used again: memory grows to the sum of what was in use at once in each size, and never beyond.
#include <stddef.h>
#include <stdint.h>

#define HEAD 16u
#define PAGE 65536u

extern unsigned char __heap_base;

struct block {
    uint32_t power;
    struct block *next;
};

static struct block *waiting[32];
static uintptr_t top;

// Growing may copy all there is: an eighth more at a time, where that can be had.
static int reach(uintptr_t end) {
    size_t held = __builtin_wasm_memory_size(0);
    size_t wanted = (end + (PAGE - 1)) / PAGE;
    if (wanted <= held) return 1;
    size_t more = wanted - held;
    if (more < held / 8 && __builtin_wasm_memory_grow(0, held / 8) != (size_t)-1) return 1;
    return __builtin_wasm_memory_grow(0, more) != (size_t)-1;
}

static void *take(size_t size) {
    if (size > (1u << 30)) return 0;
    uint32_t power = 5;
    while ((1u << power) < size + HEAD) power++;
    struct block *block = waiting[power];
    if (block) {
        waiting[power] = block->next;
    } else {
        if (!top) top = ((uintptr_t)&__heap_base + 15u) & ~(uintptr_t)15u;
        uintptr_t end = top + (1u << power);
        if (end < top || !reach(end)) return 0;
        block = (struct block *)top;
        block->power = power;
        top = end;
    }
    return (unsigned char *)block + HEAD;
}

// Alignments above 16 do not occur in the core: they are refused, which stops it at once.
int posix_memalign(void **place, size_t alignment, size_t size) {
    *place = alignment > HEAD ? 0 : take(size);
    return *place ? 0 : 12;
}

void free(void *place) {
    if (!place) return;
    struct block *block = (struct block *)((unsigned char *)place - HEAD);
    block->next = waiting[block->power];
    waiting[block->power] = block;
}

// Each is one instruction (memory.copy, memory.fill).
void *memcpy(void *to, const void *from, size_t count) { return __builtin_memcpy(to, from, count); }
void *memmove(void *to, const void *from, size_t count) { return __builtin_memmove(to, from, count); }
void *memset(void *place, int byte, size_t count) { return __builtin_memset(place, byte, count); }

int memcmp(const void *a, const void *b, size_t count) {
    const unsigned char *left = a, *right = b;
    for (size_t index = 0; index < count; index++) {
        if (left[index] != right[index]) return left[index] - right[index];
    }
    return 0;
}

__attribute__((import_module("page"), import_name("random"))) void page_random(void *place, size_t count);

void arc4random_buf(void *place, size_t count) { page_random(place, count); }

// A product of 128 bits, by parts of 32; the compiler has no instruction for it.
__int128 __multi3(__int128 a, __int128 b) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    uint64_t low = (x & 0xFFFFFFFF) * (y & 0xFFFFFFFF);
    uint64_t one = (x >> 32) * (y & 0xFFFFFFFF) + (low >> 32);
    uint64_t other = (x & 0xFFFFFFFF) * (y >> 32) + (one & 0xFFFFFFFF);
    uint64_t high = (x >> 32) * (y >> 32) + (one >> 32) + (other >> 32);
    high += x * (uint64_t)(b >> 64) + (uint64_t)(a >> 64) * y;
    return (__int128)((unsigned __int128)high << 64 | (other << 32 | (low & 0xFFFFFFFF)));
}

// Reading a number with a fraction. No call and no message has one: it is refused as what makes no sense.
const char *_swift_stdlib_strtod_clocale(const char *text, double *number) {
    (void)text;
    *number = 0;
    return 0;
}
