#ifndef FILES_REMOVAL_H
#define FILES_REMOVAL_H
#include "files_listing.h"

/* Entries of one directory that may be removed: regular files with one link whose extended attribute equals a mark
 * or, with `takes_unmarked`, is missing. */
typedef struct files_removal {
    files_listing_entry_t *_Nullable entries;
    const char *_Nullable names;
    size_t next, count; /* entries before `next` are left alone */
    int directory;
    bool takes_unmarked;
} files_removal_t;

/* Remove those of several directories on this thread and at most `helpers` more with every signal blocked, which
 * have ended when it returns; sets `is_removed`. Each entry is checked and removed at once; entries of another type,
 * with more links or that cannot be removed are left to the caller. An empty mark matches no file. */
enum { FILES_REMOVAL_THREADS = 3, FILES_MARK_BYTES = 4096 };
void files_remove_marked(
    files_removal_t *_Nonnull removals, size_t count, const char *_Nonnull attribute, const void *_Nullable mark, size_t length,
    unsigned helpers);

#endif
