#ifndef PLATFORM_OWNER_H
#define PLATFORM_OWNER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files that belong to somebody: found by name in a directory that is held open, without following a link, and the
 * attributes that say whose they are. Each call returns 0 or an errno. */

/* What tells one file from another. `born` and `changed` are nanoseconds; born is 0 where the file system does not say. */
typedef struct platform_entry {
    uint64_t device, inode, links;
    int64_t born, changed;
    uint32_t owner, mode;
    bool is_mounted; /* something is mounted there */
} platform_entry_t;

int platform_entry_of(int descriptor, platform_entry_t *_Nonnull entry);
/* `directory` may be PLATFORM_HERE: the working directory. */
enum { PLATFORM_HERE = -100 };
int platform_entry_at(int directory, const char *_Nonnull name, platform_entry_t *_Nonnull entry);

/* Open the directory that a path lies in, and tell where in the path its name begins. Links on the way are followed; of a
 * path without a name (…/, ., ..) the directory itself is opened, and the name is ".". A path may be longer than PATH_MAX. The
 * descriptor is for calls on what is in it alone (O_PATH). */
int platform_open_parent(const char *_Nonnull path, int *_Nonnull directory, const char *_Nullable *_Nonnull name);
/* Open a directory by a path from the root without following any link. */
int platform_open_exactly(const char *_Nonnull path, int *_Nonnull directory);
/* Open a regular file or a directory to look at it: ELOOP for a link, ENXIO for what is neither, before it is opened. */
int platform_open_entry(int directory, const char *_Nonnull name, int *_Nonnull descriptor, platform_entry_t *_Nonnull entry);
/* Close a file of the host's. Closing any descriptor of a file drops the locks that the process holds on it (fcntl(2)), and
 * the host's SQLite would not know: while there are locks, the descriptor stays open, and is looked at again by the next call. */
void platform_close_kindly(int descriptor);
/* The path of a descriptor without links, NUL-terminated; ENOENT where it has none any more. */
int platform_path_of(int descriptor, char *_Nonnull path, size_t capacity);
/* The first bytes of a file. */
int platform_peek(int descriptor, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);

/* A user attribute. ENODATA: there is none; EOPNOTSUPP: the file system knows none; ERANGE: it is longer. */
int platform_attribute_of(
    int descriptor, const char *_Nonnull attribute, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
int platform_attribute_at(
    int directory, const char *_Nonnull name, const char *_Nonnull attribute, void *_Nonnull bytes, size_t capacity,
    size_t *_Nonnull count);
int platform_attribute_remove(int descriptor, const char *_Nonnull attribute);
int platform_attribute_set(int descriptor, const char *_Nonnull attribute, const void *_Nonnull bytes, size_t count);

/* The flag by which dump and its kind leave a file out. EOPNOTSUPP where the file system has none. */
int platform_set_nodump(int descriptor, bool is_set);

int platform_remove_at(int directory, const char *_Nonnull name, bool is_directory);

/* The entries of a directory but "." and "..", sorted by inode, at most `limit` of them at a time. */
typedef struct platform_listed {
    uint64_t inode;
    uint32_t name; /* where it begins among `names` */
    uint8_t type;  /* DT_*; 0 where the file system does not say */
    bool is_removed;
} platform_listed_t;

typedef struct platform_listing {
    void *_Nullable reader;
    platform_listed_t *_Nullable entries;
    char *_Nullable names;
    size_t count, capacity, used, room;
} platform_listing_t;

enum { PLATFORM_TYPE_UNKNOWN = 0, PLATFORM_TYPE_DIRECTORY = 4, PLATFORM_TYPE_FILE = 8 };

/* The directory is opened anew: the descriptor's own place in it is not used. */
int platform_listing_open(int directory, platform_listing_t *_Nonnull listing);
/* The next entries; none when it is through. */
int platform_listing_next(platform_listing_t *_Nonnull listing, size_t limit);
void platform_listing_close(platform_listing_t *_Nonnull listing);

/* Entries of one directory that may go: regular files of one name each that carry a mark, or, with `takes_unmarked`, no
 * attribute at all. */
typedef struct platform_removal {
    platform_listed_t *_Nullable entries;
    const char *_Nullable names;
    size_t next, count; /* entries before `next` are left alone */
    int directory;
    bool takes_unmarked;
} platform_removal_t;

/* Remove those of several directories, on this thread and at most `helpers` more with every signal blocked, all of which end
 * before it returns; sets `is_removed`. Each is looked at and removed at once; what is anything else, has more names or
 * cannot be removed is left to the caller. A mark without bytes is carried by nothing. */
enum { PLATFORM_HELPERS = 3, PLATFORM_MARK = 4096 };
void platform_remove_marked(
    platform_removal_t *_Nonnull removals, size_t count, const char *_Nonnull attribute, const void *_Nullable mark,
    size_t length, unsigned helpers);

#endif
