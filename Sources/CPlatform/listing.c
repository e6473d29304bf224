#define _GNU_SOURCE
#include "platform_owner.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int platform_listing_open(int directory, platform_listing_t *listing) {
    *listing = (platform_listing_t){0};
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
    size_t wanted = *capacity ? *capacity * 2 : 1024;
    if (wanted < needed) wanted = needed;
    void *larger = reallocarray(*memory, wanted, size);
    if (!larger) return ENOMEM;
    *memory = larger;
    *capacity = wanted;
    return 0;
}

static int by_inode(const void *a, const void *b) {
    uint64_t x = ((const platform_listed_t *)a)->inode, y = ((const platform_listed_t *)b)->inode;
    return (x > y) - (x < y);
}

int platform_listing_next(platform_listing_t *listing, size_t limit) {
    listing->count = listing->used = 0;
    while (listing->reader && listing->count < limit) {
        errno = 0;
        struct dirent *entry = readdir(listing->reader);
        if (!entry) {
            if (errno) return errno;
            /* Others may be listed before the caller is done with these: a descriptor less. */
            closedir(listing->reader);
            listing->reader = NULL;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        size_t length = strlen(entry->d_name) + 1;
        if (listing->used + length > UINT32_MAX) break;
        if (grow((void **)&listing->entries, &listing->capacity, listing->count + 1, sizeof *listing->entries) ||
            grow((void **)&listing->names, &listing->room, listing->used + length, 1))
            return ENOMEM;
        memcpy(listing->names + listing->used, entry->d_name, length);
        listing->entries[listing->count++] =
            (platform_listed_t){entry->d_ino, (uint32_t)listing->used, (uint8_t)entry->d_type, false};
        listing->used += length;
    }
    /* Inodes lie on the disk in this order. */
    if (listing->count > 1) qsort(listing->entries, listing->count, sizeof *listing->entries, by_inode);
    return 0;
}

void platform_listing_close(platform_listing_t *listing) {
    if (listing->reader) closedir(listing->reader);
    free(listing->entries);
    free(listing->names);
    *listing = (platform_listing_t){0};
}
