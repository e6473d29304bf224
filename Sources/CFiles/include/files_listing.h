#ifndef FILES_LISTING_H
#define FILES_LISTING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The entries of a directory except "." and "..", in batches that are sorted by inode. Calls return 0 or an errno. */

typedef struct files_listing_entry {
    uint64_t inode;
    uint32_t name; /* offset in `names` */
    uint8_t type;  /* DT_*; 0 if the file system does not report it */
    bool is_removed;
} files_listing_entry_t;

typedef struct files_listing {
    void *_Nullable reader;
    files_listing_entry_t *_Nullable entries;
    char *_Nullable names;
    size_t count, capacity;              /* of `entries` */
    size_t names_length, names_capacity; /* in bytes */
} files_listing_t;

enum { FILES_TYPE_UNKNOWN = 0, FILES_TYPE_DIRECTORY = 4, FILES_TYPE_REGULAR = 8 };

/* Opens the directory again: the position of the given descriptor is not used. */
int files_listing_open(int directory, files_listing_t *_Nonnull listing);
/* Read the next entries, at most `limit`; none at the end. */
int files_listing_next(files_listing_t *_Nonnull listing, size_t limit);
void files_listing_close(files_listing_t *_Nonnull listing);

#endif
