#ifndef PLATFORM_FILE_H
#define PLATFORM_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* File calls of the core. Each returns 0 or an errno. Directories are given as descriptors, so that nobody can move
 * the ground between two calls. */

typedef struct platform_file_facts {
    uint32_t owner, mode; /* mode: type and permission bits */
    int64_t size;
    uint64_t device, inode;
} platform_file_facts_t;

/* mkdir -p with mode 0700 for what is made. */
int platform_make_directories(const char *_Nonnull path);
int platform_make_directory_at(int directory, const char *_Nonnull name);
/* Open a directory; it may be a symbolic link. */
int platform_open_directory(const char *_Nonnull path, int *_Nonnull descriptor);
int platform_open_directory_at(int directory, const char *_Nonnull name, int *_Nonnull descriptor);
void platform_close(int descriptor);
int platform_facts_of(int descriptor, platform_file_facts_t *_Nonnull facts);
/* Without following a link. */
int platform_facts_at(int directory, const char *_Nonnull name, platform_file_facts_t *_Nonnull facts);
int platform_facts_of_name(const char *_Nonnull path, platform_file_facts_t *_Nonnull facts);
int platform_facts_of_path(const char *_Nonnull path, platform_file_facts_t *_Nonnull facts);
/* Whether the running user may write to a path. */
bool platform_is_writable(const char *_Nonnull path);
/* Whether the running user may read it. */
bool platform_is_readable(const char *_Nonnull path);
/* Call `each` with the name of every entry of a directory. */
int platform_list(
    int directory, void *_Nullable context, void (*_Nonnull each)(void *_Nullable context, const char *_Nonnull name));
uint32_t platform_effective_user(void);
/* The value of an environment variable; NULL in a set-user-id program as well. */
const char *_Nullable platform_environment(const char *_Nonnull name);
/* Whether a file system is one of the network (by its statfs type), and that type. */
int platform_is_network(int descriptor, bool *_Nonnull is_network, uint64_t *_Nonnull type);

/* Read a whole file of at most `capacity` bytes; EFBIG when it is longer. No link is followed. */
int platform_read_at(int directory, const char *_Nonnull name, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
int platform_read_path(const char *_Nonnull path, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
/* Make a file of mode 0600 that is whole and durable, or is not there; EEXIST when there is one. */
int platform_create_at(int directory, const char *_Nonnull name, const void *_Nonnull bytes, size_t count);
/* Mode 0600 for a file of this user that has more; no link is followed. */
int platform_restrict_at(int directory, const char *_Nonnull name);
/* Make a file that is there at least so long; no link is followed. */
int platform_lengthen(const char *_Nonnull path, int64_t length);

/* Open a file for reading and writing, made with mode 0600 where there is none; no link is followed. */
int platform_open_or_make_at(int directory, const char *_Nonnull name, int *_Nonnull descriptor);
/* A lock that the system drops with the process. EWOULDBLOCK when another process or descriptor holds it. */
int platform_lock_file_at(int directory, const char *_Nonnull name, int *_Nonnull descriptor);
/* Drop it, for copies of the descriptor in forked children as well, and close. */
void platform_unlock_file(int descriptor);

#endif
