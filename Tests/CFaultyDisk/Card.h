// What is on the card, what was written since, and which of it survives.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { sector_size = 512 };

/// Bytes of one sector at most; without bytes, the file's new size.
struct piece {
    size_t offset;
    size_t length;
    unsigned char *bytes;
};

struct content {
    unsigned char *bytes;
    size_t size;
};

/// A file apart from its name: a name that was removed and made again has two.
struct card_file {
    struct card_file *next;
    char *path;
    /// The real file's; 0 where it was removed or is not made yet.
    uint64_t inode;
    struct content durable;
    struct piece *pending;
    size_t pending_count, pending_room;
    /// The path leads to it now; and after a power cut.
    int is_named, is_named_durably;
    /// Its next sync also makes names durable, as SQLite's own layer does for a log or journal that it may have made.
    int syncs_names;
};

struct card {
    struct card_file *files;
    uint64_t dice;
    int is_cut;
    struct {
        char *path;
        struct content content;
    } *image;
    size_t image_count;
};

/// What the path leads to now, taken over from the real file where that is not known yet; NULL when there is none.
struct card_file *card_find(struct card *card, const char *path);
struct card_file *card_create(struct card *card, const char *path);
/// The real file of this name is there now.
void card_made(struct card_file *file);
void card_remove(struct card_file *file);
void card_write(struct card_file *file, const void *bytes, size_t length, size_t offset);
void card_truncate(struct card_file *file, size_t size);
void card_sync(struct card *card, struct card_file *file);
void card_sync_names(struct card *card);
/// A sync that failed: of what it was to write each sector is there or lost for good.
void card_fail_sync(struct card *card, struct card_file *file);
void card_cut(struct card *card);
void card_free(struct card *card);
/// From 0 to below `bound`.
size_t card_roll(struct card *card, size_t bound);
