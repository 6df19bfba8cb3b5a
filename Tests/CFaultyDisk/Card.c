#include "Card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A test without memory has nothing more to say.
static void *memory(void *old, size_t size) {
    void *new = realloc(old, size ? size : 1);
    if (!new) abort();
    return new;
}

static void *copy(const void *bytes, size_t size) { return memcpy(memory(NULL, size), bytes, size); }

size_t card_roll(struct card *card, size_t bound) {
    uint64_t x = card->dice += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return (size_t)((x ^ x >> 31) % bound);
}

static struct content read_file(const char *path) {
    struct content content = {NULL, 0};
    FILE *stream = fopen(path, "re");
    if (!stream) return content;
    unsigned char buffer[4096];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, stream)) > 0) {
        content.bytes = memory(content.bytes, content.size + count);
        memcpy(content.bytes + content.size, buffer, count);
        content.size += count;
    }
    fclose(stream);
    return content;
}

static struct card_file *add(struct card *card, const char *path) {
    struct card_file *file = memory(NULL, sizeof *file);
    memset(file, 0, sizeof *file);
    file->path = copy(path, strlen(path) + 1);
    file->is_named = 1;
    file->next = card->files;
    card->files = file;
    return file;
}

struct card_file *card_find(struct card *card, const char *path) {
    struct stat status;
    int is_there = stat(path, &status) == 0;
    struct card_file *found = NULL;
    for (struct card_file *file = card->files; file; file = file->next) {
        if (is_there && file->inode == status.st_ino) found = file;
        // Removed or renamed behind SQLite's back, and that is not durable.
        else if (file->is_named && strcmp(file->path, path) == 0) file->is_named = 0;
    }
    if (!is_there) return NULL;
    if (!found) {
        found = add(card, path);
        found->durable = read_file(path);
        found->is_named_durably = found->durable.size > 0;
    }
    if (strcmp(found->path, path) != 0) {
        // Renamed behind SQLite's back, and that is durable.
        for (struct card_file *file = card->files; file; file = file->next)
            if (strcmp(file->path, path) == 0) file->is_named_durably = 0;
        free(found->path);
        found->path = copy(path, strlen(path) + 1);
        found->is_named_durably = 1;
    }
    found->is_named = 1;
    found->inode = status.st_ino;
    // Cut short likewise.
    if (found->pending_count == 0 && (size_t)status.st_size < found->durable.size)
        card_truncate(found, (size_t)status.st_size);
    return found;
}

void card_made(struct card_file *file) {
    struct stat status;
    if (stat(file->path, &status) == 0) file->inode = status.st_ino;
}

void card_remove(struct card_file *file) {
    file->is_named = 0;
    file->inode = 0;
}

struct card_file *card_create(struct card *card, const char *path) { return add(card, path); }

static void append(struct card_file *file, struct piece piece) {
    if (file->pending_count == file->pending_room) {
        file->pending_room = file->pending_room * 2 + 16;
        file->pending = memory(file->pending, file->pending_room * sizeof piece);
    }
    file->pending[file->pending_count++] = piece;
}

void card_write(struct card_file *file, const void *bytes, size_t length, size_t offset) {
    const unsigned char *next = bytes;
    while (length > 0) {
        size_t part = sector_size - offset % sector_size;
        if (part > length) part = length;
        append(file, (struct piece){offset, part, copy(next, part)});
        next += part;
        offset += part;
        length -= part;
    }
}

void card_truncate(struct card_file *file, size_t size) { append(file, (struct piece){size, 0, NULL}); }

static void apply(const struct piece *piece, size_t length, struct content *content) {
    size_t end = piece->offset + length;
    if (!piece->bytes) {
        if (end < content->size) content->size = end;
        return;
    }
    if (end > content->size) {
        content->bytes = memory(content->bytes, end);
        memset(content->bytes + content->size, 0, end - content->size);
        content->size = end;
    }
    memcpy(content->bytes + piece->offset, piece->bytes, length);
}

static void drop_pending(struct card_file *file) {
    for (size_t index = 0; index < file->pending_count; index++) free(file->pending[index].bytes);
    file->pending_count = 0;
}

void card_sync(struct card *card, struct card_file *file) {
    for (size_t index = 0; index < file->pending_count; index++)
        apply(&file->pending[index], file->pending[index].length, &file->durable);
    drop_pending(file);
    if (file->syncs_names) card_sync_names(card);
    file->syncs_names = 0;
}

void card_sync_names(struct card *card) {
    for (struct card_file *file = card->files; file; file = file->next) file->is_named_durably = file->is_named;
}

void card_fail_sync(struct card *card, struct card_file *file) {
    for (size_t index = 0; index < file->pending_count; index++)
        if (card_roll(card, 2)) apply(&file->pending[index], file->pending[index].length, &file->durable);
    drop_pending(file);
}

struct survivor {
    struct piece *piece;
    struct content *content;
};

static void keep(struct card *card, const char *path, const struct content *content) {
    card->image = memory(card->image, (card->image_count + 1) * sizeof *card->image);
    card->image[card->image_count].path = copy(path, strlen(path) + 1);
    card->image[card->image_count++].content = *content;
}

/// Of what was not synced some sectors are there, in any order; the last of them is torn.
static void let_some_survive(struct card *card) {
    // Of eight sectors; nothing, everything and single losses are worth more than chance would give them.
    static const size_t shares[] = {0, 1, 4, 7, 8};
    size_t share = shares[card_roll(card, sizeof shares / sizeof *shares)];
    struct survivor *survivors = NULL;
    size_t count = 0;
    for (struct card_file *file = card->files; file; file = file->next)
        for (size_t index = 0; index < file->pending_count; index++) {
            if (card_roll(card, 8) >= share) continue;
            survivors = memory(survivors, (count + 1) * sizeof *survivors);
            survivors[count++] = (struct survivor){&file->pending[index], &file->durable};
        }
    if (card_roll(card, 2))
        for (size_t index = count; index > 1; index--) {
            size_t other = card_roll(card, index);
            struct survivor swapped = survivors[index - 1];
            survivors[index - 1] = survivors[other];
            survivors[other] = swapped;
        }
    for (size_t index = 0; index < count; index++) {
        struct piece *piece = survivors[index].piece;
        int is_torn = index == count - 1 && piece->bytes;
        apply(piece, is_torn ? card_roll(card, piece->length + 1) : piece->length, survivors[index].content);
    }
    free(survivors);
}

static struct card_file *named(struct card *card, const char *path, int durably) {
    for (struct card_file *file = card->files; file; file = file->next)
        if ((durably ? file->is_named_durably : file->is_named) && strcmp(file->path, path) == 0) return file;
    return NULL;
}

void card_cut(struct card *card) {
    if (card->is_cut) return;
    card->is_cut = 1;
    let_some_survive(card);
    for (struct card_file *file = card->files; file; file = file->next) {
        struct card_file *before = named(card, file->path, 1);
        struct card_file *after = named(card, file->path, 0);
        // Drawn once for each path.
        int is_first = 1;
        for (struct card_file *other = card->files; other != file; other = other->next)
            is_first &= strcmp(other->path, file->path) != 0;
        if (!is_first) continue;
        struct card_file *found = before == after || card_roll(card, 2) ? before : after;
        if (found) keep(card, found->path, &found->durable);
    }
}

void card_free(struct card *card) {
    while (card->files) {
        struct card_file *file = card->files;
        card->files = file->next;
        drop_pending(file);
        free(file->pending);
        free(file->durable.bytes);
        free(file->path);
        free(file);
    }
    for (size_t index = 0; index < card->image_count; index++) free(card->image[index].path);
    free(card->image);
}
