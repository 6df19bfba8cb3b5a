// What Swift cannot see of Linux: macros, variadic calls and what glibc shows to GNU sources only.
// Everything of ours begins with ha_. Calls return -1 and set errno as the call that they wrap.
#pragma once
#if __has_feature(modules)
// C's own types stay with Glibc (see COpenSSL/shim.h).
#pragma clang module import SwiftGlibc
#endif
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

/// accept4: the accepted socket is non-blocking and closed on exec.
int ha_accept(int listener);
/// pipe2 with O_CLOEXEC; ends[0] is read from.
int ha_pipe(int ends[2]);
/// A file that is in memory only (memfd_create), closed on exec.
int ha_memory_file(const char *name);
/// A directory as a place only (O_PATH), closed on exec.
int ha_open_directory(const char *path);
/// SO_PEERCRED of a Unix socket.
int ha_peer_credentials(int socket, uint32_t *user, int32_t *process);
int ha_pidfd_open(int32_t process);
/// Columns and rows of the terminal behind a descriptor.
int ha_window_size(int descriptor, uint16_t *columns, uint16_t *rows);
/// 1 when the kernel's clock is marked as synchronised, 0 when not.
int ha_clock_is_synchronised(void);
/// Starts a detached thread that takes no signals. Returns 0 or an error number.
int ha_start_thread(void (*body)(void *), void *argument);
/// Names the calling thread (15 bytes are kept).
void ha_name_thread(const char *name);
/// The sentence for an error number; never null, valid for ever.
const char *ha_error_text(int number);
/// The environment of the process as posix_spawn wants it.
char **ha_environment(void);
/// FIONREAD-like count of bytes that the kernel has not had acknowledged yet (SIOCOUTQ).
int ha_unacknowledged(int socket, int *count);
/// open(2), which is variadic.
int ha_open(const char *path, int flags, unsigned int mode);
/// For reading past the page cache (O_DIRECT); buffers, places and counts are then multiples of the block size.
int ha_open_direct(const char *path);
/// From now on a crash writes its CLOCK_BOOTTIME in nanoseconds and the mark (8 bytes each, this machine's byte order) to
/// the descriptor, says in two lines at `words` where in this program it happened and who called, and then ends the process
/// as it would have ended.
void ha_record_crashes(int descriptor, int words, const char *program);

/// The calling thread runs behind others from now on, by so much (setpriority(2); on Linux it is the thread's own).
void ha_stay_behind(int nice);

/// Gives free memory of the heap back to the system (malloc_trim), in all threads' parts of it.
void ha_return_memory(void);

/// Blocks of 128 KiB and more go back to the system when they are freed. By itself glibc raises that limit to the largest
/// block it has seen freed, and keeps such blocks in the heap from then on (mallopt(3)). The heap's own end goes back when
/// 256 KiB of it are free: at 128, as much as it grows by, one alarm could make it grow and shrink.
void ha_return_large_blocks(void);

/// From now on a crash ends the process only so many milliseconds later (0 to 999): other threads finish meanwhile.
void ha_linger_in_crashes(int milliseconds);

/// What a crash writes down as its mark; 0 at first.
void ha_mark_crashes(int mark);
