#ifndef FILES_CONTENTS_H
#define FILES_CONTENTS_H
#include <stddef.h>
#include <stdint.h>

/* Small files as a whole. Each call returns 0 or an errno. */

/* Read a whole file of at most `capacity` bytes; EFBIG if it is longer. files_read_at does not follow a symbolic
 * link. */
int files_read_at(int directory, const char *_Nonnull name, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
int files_read_path(const char *_Nonnull path, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
/* Create a file of mode 0600 that is either complete and durable or absent; EEXIST if the name is taken. */
int files_create_at(int directory, const char *_Nonnull name, const void *_Nonnull bytes, size_t count);
/* Reduce the mode of a file of this user to 0600 if group or others have access; does not follow a symbolic link. */
int files_restrict_at(int directory, const char *_Nonnull name);
/* Let this user change a directory of theirs. */
int files_make_writable(int descriptor);
/* Let this user read a file of theirs, or list and change a directory; does not follow a symbolic link. */
int files_make_readable_at(int directory, const char *_Nonnull name);
/* Extend an existing file to at least this length; does not follow a symbolic link. */
int files_lengthen(const char *_Nonnull path, int64_t length);

#endif
