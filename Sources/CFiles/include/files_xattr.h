#ifndef FILES_XATTR_H
#define FILES_XATTR_H
#include <stddef.h>

/* Extended attributes. Each call returns 0 or an errno: ENODATA if there is no such attribute, EOPNOTSUPP if the
 * file system has none, ERANGE if the value is longer than `capacity`. */

int files_xattr_of(int descriptor, const char *_Nonnull attribute, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
int files_xattr_at(
    int directory, const char *_Nonnull name, const char *_Nonnull attribute, void *_Nonnull bytes, size_t capacity,
    size_t *_Nonnull count);
int files_xattr_set(int descriptor, const char *_Nonnull attribute, const void *_Nonnull bytes, size_t count);
int files_xattr_remove(int descriptor, const char *_Nonnull attribute);

#endif
