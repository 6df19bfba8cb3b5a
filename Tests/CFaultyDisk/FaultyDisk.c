#include "CFaultyDisk.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Card.h"

struct faulty_disk {
    // First, so that a pointer to it is one to the disk, and everything else in it stays as the real layer needs it.
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    char name[32];
    struct card card;
    faulty_disk_fault fault;
    uint64_t place, changes, writes, reads;
    int is_once, ignores_syncs, open_files;
    char struck[200];
};

struct handle {
    sqlite3_file base;
    faulty_disk *disk;
    // NULL: a temporary file, which nobody misses.
    struct card_file *file;
    // The real file lies behind.
};

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((struct handle *)file + 1); }
static struct handle *handle(sqlite3_file *file) { return (struct handle *)file; }

enum verdict { goes_well, cut, fails, fails_half };

static void note(faulty_disk *disk, const char *what, const char *path, long long offset, long long length) {
    if (disk->struck[0]) return;
    const char *name = strrchr(path, '/');
    snprintf(disk->struck, sizeof disk->struck, "%s of %s, %lld bytes at %lld", what, name ? name + 1 : path, length,
             offset);
}

static int is_struck(const faulty_disk *disk, uint64_t count) {
    return count == disk->place || (count > disk->place && !disk->is_once);
}

/// Counts a change, and says what becomes of it; errno is set where it fails.
static enum verdict change(faulty_disk *disk, const char *what, const char *path, long long offset, long long length,
                           int is_write) {
    disk->changes++;
    disk->writes += is_write != 0;
    if (disk->card.is_cut) {
        errno = EIO;
        return fails;
    }
    enum verdict verdict = goes_well;
    switch (disk->fault) {
    case faulty_disk_fault_none:
    case faulty_disk_fault_unreadable: break;
    case faulty_disk_fault_cut: verdict = disk->changes == disk->place ? cut : goes_well; break;
    case faulty_disk_fault_io:
    case faulty_disk_fault_full: verdict = is_struck(disk, disk->changes) ? fails : goes_well; break;
    case faulty_disk_fault_short: verdict = is_write && is_struck(disk, disk->writes) ? fails_half : goes_well; break;
    }
    if (verdict == goes_well) return verdict;
    note(disk, what, path, offset, length);
    errno = disk->fault == faulty_disk_fault_full || disk->fault == faulty_disk_fault_short ? ENOSPC : EIO;
    return verdict;
}

static int close_file(sqlite3_file *file) {
    handle(file)->disk->open_files--;
    return real(file)->pMethods->xClose(real(file));
}

static int read_file(sqlite3_file *file, void *buffer, int length, sqlite3_int64 offset) {
    faulty_disk *disk = handle(file)->disk;
    if (handle(file)->file && !disk->card.is_cut) {
        disk->reads++;
        if (disk->fault == faulty_disk_fault_unreadable && is_struck(disk, disk->reads)) {
            note(disk, "read", handle(file)->file->path, offset, length);
            errno = EIO;
            return SQLITE_IOERR_READ;
        }
    }
    return real(file)->pMethods->xRead(real(file), buffer, length, offset);
}

static int write_file(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    faulty_disk *disk = handle(file)->disk;
    struct card_file *kept = handle(file)->file;
    if (!kept) return real(file)->pMethods->xWrite(real(file), bytes, length, offset);
    enum verdict verdict = change(disk, "write", kept->path, offset, length, 1);
    int error = errno;
    size_t written = verdict == fails ? 0 : verdict == fails_half ? (size_t)length / 2 : (size_t)length;
    if (written > 0) {
        int result = real(file)->pMethods->xWrite(real(file), bytes, (int)written, offset);
        if (result != SQLITE_OK) return result;
        card_write(kept, bytes, written, (size_t)offset);
    }
    if (verdict == goes_well) return SQLITE_OK;
    if (verdict == cut) card_cut(&disk->card);
    errno = error;
    return error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    struct card_file *kept = handle(file)->file;
    if (kept) {
        faulty_disk *disk = handle(file)->disk;
        enum verdict verdict = change(disk, "truncation", kept->path, size, 0, 0);
        if (verdict == goes_well || verdict == cut) card_truncate(kept, (size_t)size);
        if (verdict == cut) card_cut(&disk->card);
        if (verdict != goes_well) return SQLITE_IOERR_TRUNCATE;
    }
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int sync_file(sqlite3_file *file, int flags) {
    struct card_file *kept = handle(file)->file;
    faulty_disk *disk = handle(file)->disk;
    if (kept) {
        enum verdict verdict = change(disk, "sync", kept->path, 0, 0, 0);
        int error = errno;
        if (verdict == cut) card_cut(&disk->card);
        if (verdict == fails && !disk->card.is_cut && error == EIO) card_fail_sync(&disk->card, kept);
        errno = error;
        if (verdict != goes_well) return SQLITE_IOERR_FSYNC;
        if (disk->ignores_syncs) return SQLITE_OK;
    }
    int result = real(file)->pMethods->xSync(real(file), flags);
    if (result == SQLITE_OK && kept) card_sync(&disk->card, kept);
    return result;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) { return real(f)->pMethods->xFileSize(real(f), size); }
static int lock(sqlite3_file *f, int level) { return real(f)->pMethods->xLock(real(f), level); }
static int unlock(sqlite3_file *f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
static int is_reserved(sqlite3_file *f, int *out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
static int control(sqlite3_file *f, int what, void *with) { return real(f)->pMethods->xFileControl(real(f), what, with); }
static int size_of_sector(sqlite3_file *f) { return real(f)->pMethods->xSectorSize(real(f)); }
static int characteristics(sqlite3_file *f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
static int shm_lock(sqlite3_file *f, int o, int n, int flags) { return real(f)->pMethods->xShmLock(real(f), o, n, flags); }
static void shm_barrier(sqlite3_file *f) { real(f)->pMethods->xShmBarrier(real(f)); }
static int shm_unmap(sqlite3_file *f, int removes) { return real(f)->pMethods->xShmUnmap(real(f), removes); }

static int shm_map(sqlite3_file *f, int page, int size, int extends, void volatile **out) {
    return real(f)->pMethods->xShmMap(real(f), page, size, extends, out);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = is_reserved,
    .xFileControl = control,
    .xSectorSize = size_of_sector,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    faulty_disk *disk = (faulty_disk *)vfs;
    file->pMethods = NULL;
    struct card_file *kept = NULL;
    int is_log = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
    if (path && (is_log || flags & SQLITE_OPEN_MAIN_DB)) {
        kept = card_find(&disk->card, path);
        if (!kept && flags & SQLITE_OPEN_CREATE) {
            enum verdict verdict = change(disk, "making", path, 0, 0, 0);
            if (verdict == goes_well || verdict == cut) kept = card_create(&disk->card, path);
            if (verdict == cut) card_cut(&disk->card);
            if (verdict != goes_well) return SQLITE_CANTOPEN;
        }
        // Whether it was there or not: the real layer does not ask.
        if (kept && is_log && flags & SQLITE_OPEN_CREATE) kept->syncs_names = 1;
    }
    int result = disk->real->xOpen(disk->real, path, real(file), flags, out_flags);
    if (result != SQLITE_OK) return result;
    if (kept) card_made(kept);
    *handle(file) = (struct handle){.base = {.pMethods = &methods}, .disk = disk, .file = kept};
    disk->open_files++;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs) {
    faulty_disk *disk = (faulty_disk *)vfs;
    struct card_file *kept = card_find(&disk->card, path);
    if (kept) {
        enum verdict verdict = change(disk, "removal", path, 0, 0, 0);
        if (verdict == goes_well || verdict == cut) card_remove(kept);
        if (verdict == cut) card_cut(&disk->card);
        if (verdict != goes_well) return SQLITE_IOERR_DELETE;
    }
    int result = disk->real->xDelete(disk->real, path, syncs);
    if (result == SQLITE_OK && syncs && !disk->ignores_syncs) card_sync_names(&disk->card);
    return result;
}

faulty_disk *faulty_disk_make(uint64_t seed) {
    static atomic_uint made;
    faulty_disk *disk = calloc(1, sizeof *disk);
    sqlite3_vfs *real = sqlite3_vfs_find("unix");
    if (!disk || !real) {
        free(disk);
        return NULL;
    }
    disk->real = real;
    disk->vfs = *real;
    disk->vfs.pNext = NULL;
    snprintf(disk->name, sizeof disk->name, "faulty-%u", atomic_fetch_add(&made, 1));
    disk->vfs.zName = disk->name;
    disk->vfs.szOsFile = (int)sizeof(struct handle) + real->szOsFile;
    disk->vfs.xOpen = open_file;
    disk->vfs.xDelete = delete_file;
    disk->card.dice = seed;
    sqlite3_vfs_register(&disk->vfs, 0);
    return disk;
}

void faulty_disk_free(faulty_disk *disk) {
    if (disk->open_files != 0) abort();
    sqlite3_vfs_unregister(&disk->vfs);
    card_free(&disk->card);
    free(disk);
}

const char *faulty_disk_name(const faulty_disk *disk) { return disk->name; }

void faulty_disk_adopt(faulty_disk *disk, const char *path) { card_find(&disk->card, path); }

void faulty_disk_set_fault(faulty_disk *disk, faulty_disk_fault fault, uint64_t place, int once) {
    disk->fault = fault;
    disk->place = place;
    disk->is_once = once;
    disk->changes = disk->writes = disk->reads = 0;
}

void faulty_disk_ignore_syncs(faulty_disk *disk) { disk->ignores_syncs = 1; }
uint64_t faulty_disk_changes(const faulty_disk *disk) { return disk->changes; }
const char *faulty_disk_struck(const faulty_disk *disk) { return disk->struck; }
void faulty_disk_cut(faulty_disk *disk) { card_cut(&disk->card); }
int faulty_disk_is_cut(const faulty_disk *disk) { return disk->card.is_cut; }

int faulty_disk_store_image(const faulty_disk *disk, const char *directory) {
    for (size_t index = 0; index < disk->card.image_count; index++) {
        const char *path = disk->card.image[index].path;
        const struct content *content = &disk->card.image[index].content;
        const char *name = strrchr(path, '/');
        char target[1024];
        snprintf(target, sizeof target, "%s/%s", directory, name ? name + 1 : path);
        FILE *stream = fopen(target, "we");
        if (!stream) return -1;
        size_t written = content->size ? fwrite(content->bytes, 1, content->size, stream) : 0;
        if (fclose(stream) != 0 || written != content->size) return -1;
    }
    return 0;
}
