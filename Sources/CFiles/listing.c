#define _GNU_SOURCE
#include "files_listing.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)FILES_TYPE_DIRECTORY == (int)DT_DIR && (int)FILES_TYPE_REGULAR == (int)DT_REG, "types of entries");

int files_listing_open(int directory, files_listing_t *listing) {
    *listing = (files_listing_t){0};
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return errno;
    listing->reader = fdopendir(copy);
    if (listing->reader) return 0;
    int result = errno;
    close(copy);
    return result;
}

static int grow(void **memory, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) return 0;
    size_t new_capacity = *capacity ? *capacity * 2 : 1024;
    if (new_capacity < needed) new_capacity = needed;
    void *larger = reallocarray(*memory, new_capacity, size);
    if (!larger) return ENOMEM;
    *memory = larger;
    *capacity = new_capacity;
    return 0;
}

static int by_inode(const void *a, const void *b) {
    uint64_t x = ((const files_listing_entry_t *)a)->inode, y = ((const files_listing_entry_t *)b)->inode;
    return (x > y) - (x < y);
}

int files_listing_next(files_listing_t *listing, size_t limit) {
    listing->count = listing->names_length = 0;
    while (listing->reader && listing->count < limit) {
        errno = 0;
        struct dirent *entry = readdir(listing->reader);
        if (!entry) {
            if (errno) return errno;
            /* Close early: the caller may list other directories while it uses these entries. */
            closedir(listing->reader);
            listing->reader = NULL;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        size_t length = strlen(entry->d_name) + 1;
        if (listing->names_length + length > UINT32_MAX) break;
        if (grow((void **)&listing->entries, &listing->capacity, listing->count + 1, sizeof *listing->entries)
            || grow((void **)&listing->names, &listing->names_capacity, listing->names_length + length, 1))
            return ENOMEM;
        memcpy(listing->names + listing->names_length, entry->d_name, length);
        listing->entries[listing->count++] =
            (files_listing_entry_t){entry->d_ino, (uint32_t)listing->names_length, (uint8_t)entry->d_type, false};
        listing->names_length += length;
    }
    /* Inode order is disk order. */
    if (listing->count > 1) qsort(listing->entries, listing->count, sizeof *listing->entries, by_inode);
    return 0;
}

void files_listing_close(files_listing_t *listing) {
    if (listing->reader) closedir(listing->reader);
    free(listing->entries);
    free(listing->names);
    *listing = (files_listing_t){0};
}
