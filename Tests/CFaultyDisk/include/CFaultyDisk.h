// For tests: a file layer for SQLite (VFS) over the real one that keeps apart what has surely reached the card and what
// was only written. It can take the power away at any operation, and can make any operation fail. What is on the card
// afterwards is given out as an image. Each disk is a layer with a name of its own, so that several can be used at once;
// one disk belongs to one thread.
//
// The journal makes, renames and removes some files without SQLite. Those calls are seen when SQLite opens the files: a
// file that is empty then has a name that no directory sync has made durable yet; a new name of a file that was known by
// another is durable, because the journal syncs the directory after it.
#pragma once
#include <stdint.h>

typedef struct faulty_disk faulty_disk;

/// What goes wrong. Places are counted from 1, over the operations that are named.
typedef enum {
    faulty_disk_fault_none,
    /// Over all operations that change the disk. At the cut this one is under way; nothing succeeds from then on.
    faulty_disk_fault_cut,
    /// The same operations: EIO. After a sync that fails so, what it was to sync is lost or not, and a later sync that
    /// succeeds says nothing about it (as Linux does it).
    faulty_disk_fault_io,
    /// The same operations: ENOSPC.
    faulty_disk_fault_full,
    /// Over writes: half of it is written.
    faulty_disk_fault_short,
    /// Over reads: EIO.
    faulty_disk_fault_unreadable,
} faulty_disk_fault;

/// NULL when there is no memory.
faulty_disk *faulty_disk_make(uint64_t seed);
/// No file may be open any more.
void faulty_disk_free(faulty_disk *disk);
/// The name of the layer, for sqlite3_open_v2.
const char *faulty_disk_name(const faulty_disk *disk);

/// A file that was on the card before.
void faulty_disk_adopt(faulty_disk *disk, const char *path);
/// Counting begins anew. `once`: one operation fails, else all from there on; a cut is always for good.
void faulty_disk_set_fault(faulty_disk *disk, faulty_disk_fault fault, uint64_t place, int once);
/// Syncs succeed and do nothing: a card that lies.
void faulty_disk_ignore_syncs(faulty_disk *disk);

/// Operations that changed the disk, since the fault was set.
uint64_t faulty_disk_changes(const faulty_disk *disk);
/// The first operation that the fault has struck, in words; empty when none was.
const char *faulty_disk_struck(const faulty_disk *disk);

/// Takes the power away now, if it is not gone already.
void faulty_disk_cut(faulty_disk *disk);
int faulty_disk_is_cut(const faulty_disk *disk);
/// Writes the files that are on the card after the cut into a directory. Returns 0, or -1 with errno.
int faulty_disk_store_image(const faulty_disk *disk, const char *directory);
