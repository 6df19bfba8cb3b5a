// For: what a process still does when it crashes: it writes down that it did, and says where.
// Guarantees: the record is written first, what other threads have to finish goes on meanwhile, and what reads the stack, which
// may be broken, comes last. The handler has a stack of its own on the thread that asked for it: one that has overflowed counts, too.
// Only calls that are allowed in a signal's handler: clock_gettime, write, nanosleep, poll, signal, raise.
#define _GNU_SOURCE
#include "CLinux.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static int record_descriptor = -1;
static int words_descriptor = -1;
static const char *program_words = "";
static struct timespec linger;
static volatile sig_atomic_t mark;

void ha_mark_crashes(int value) { mark = value; }

void ha_linger_in_crashes(int milliseconds) { linger.tv_nsec = milliseconds * 1000000L; }

// Where the program begins and ends in memory, by the linker. Each start has other addresses; the distance stays.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[];

struct line {
    char text[512];
    size_t length;
};

static void add(struct line *line, const char *text) {
    while (*text && line->length < sizeof line->text) line->text[line->length++] = *text++;
}

static void add_number(struct line *line, uintptr_t number, unsigned base) {
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do digits[--at] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    add(line, digits + at);
}

static void add_place(struct line *line, uintptr_t address) {
    uintptr_t begin = (uintptr_t)__ehdr_start;
    if (address < begin || address >= (uintptr_t)_end) {
        add(line, " elsewhere");
        return;
    }
    add(line, " +0x");
    add_number(line, address - begin, 16);
}

// A reader that does not keep up loses the line.
static void put(struct line *line) {
    struct pollfd ready = {.fd = words_descriptor, .events = POLLOUT};
    add(line, "\n");
    if (poll(&ready, 1, 100) == 1 && write(words_descriptor, line->text, line->length) < 0) {
        // Nothing can be done about it here.
    }
}

struct registers {
    uintptr_t code, caller, frame, stack;
};

static struct registers registers(const ucontext_t *context) {
#if defined(__aarch64__)
    const mcontext_t *machine = &context->uc_mcontext;
    return (struct registers){machine->pc, machine->regs[30], machine->regs[29], machine->sp};
#elif defined(__x86_64__)
    const greg_t *all = context->uc_mcontext.gregs;
    return (struct registers){all[REG_RIP], 0, all[REG_RBP], all[REG_RSP]};
#else
    (void)context;
    return (struct registers){0, 0, 0, 0};
#endif
}

// A frame begins with the place of its caller's frame, which lies further up, and then the place in its caller's code.
static void add_callers(struct line *line, struct registers at) {
    if (at.caller) add_place(line, at.caller);
    for (int depth = 0; depth < 20; depth++) {
        if (at.frame < at.stack || at.frame - at.stack > 256 * 1024 || at.frame % sizeof(uintptr_t) != 0) return;
        const uintptr_t *frame = (const uintptr_t *)at.frame;
        add_place(line, frame[1]);
        at.stack = at.frame;
        if (frame[0] <= at.frame) return;
        at.frame = frame[0];
    }
}

static void crashed(int number, siginfo_t *information, void *context) {
    (void)information;
    struct timespec now;
    if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
        int64_t record[] = {(int64_t)now.tv_sec * 1000000000 + now.tv_nsec, mark};
        if (write(record_descriptor, record, sizeof record) < 0) {
            // Nothing can be done about it here.
        }
    }
    if (linger.tv_nsec > 0) nanosleep(&linger, NULL);
    struct registers at = registers(context);
    struct line place = {.length = 0}, callers = {.length = 0};
    add(&place, program_words);
    add(&place, " crashed by signal ");
    add_number(&place, number, 10);
    add(&place, " at");
    add_place(&place, at.code);
    put(&place);
    // What is read now may not be there: that ends the process, too, and is not one crash more.
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    add(&callers, "it was called from");
    add_callers(&callers, at);
    put(&callers);
    raise(number);
}

void ha_record_crashes(int descriptor, int words, const char *program) {
    static const int numbers[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    // Of this thread; where another one's stack has no room left, nothing is written.
    static char stack[64 * 1024];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_RESETHAND | SA_SIGINFO | SA_ONSTACK};
    record_descriptor = descriptor;
    words_descriptor = words;
    program_words = strdup(program);
    if (!program_words) program_words = "";
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}
