// For tests: the calls of the C library that make, fill, sync and move files, for what does not go through SQLite (that is
// CFaultyDisk). A thread can have its own calls refused; those of all others, and its own otherwise, reach the system. It
// knows nothing of what a refused call had done before: a write that is refused writes nothing.
#pragma once
#include <stdint.h>

/// 0: this build keeps the calls of the C library (ThreadSanitizer watches them), and nothing is ever refused.
int faulty_calls_can(void);

/// From now on the calls of this thread that change a disk are counted from 1: open where it makes a file, mkdir, write,
/// fsync, rename. The one at `place` fails with `error`; and with `once` 0 all that follow.
void faulty_calls_refuse(uint64_t place, int once, int error);

/// Nothing is refused any more.
void faulty_calls_end(void);

/// The first call that was refused since then, in words; empty where none was.
const char *faulty_calls_struck(void);
