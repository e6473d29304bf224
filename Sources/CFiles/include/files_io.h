#ifndef FILES_IO_H
#define FILES_IO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Complete reads and writes: interrupted calls are repeated, and RLIMIT_FSIZE raises no signal. Each call returns 0
 * or an errno, with the number of bytes done in `count`. Fewer bytes are read only at the end of the file. */

int files_read(int descriptor, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
int files_write(int descriptor, const void *_Nonnull bytes, size_t count);
int files_pread(int descriptor, void *_Nullable out, size_t length, int64_t offset, size_t *_Nonnull count);
int files_pwrite(int descriptor, const void *_Nullable bytes, size_t length, int64_t offset, size_t *_Nonnull count);
/* Append through an O_APPEND descriptor; `offset` is where the bytes went. */
int files_append(int descriptor, const void *_Nullable bytes, size_t length, int64_t *_Nonnull offset, size_t *_Nonnull count);
/* Set O_APPEND on an open descriptor. */
int files_set_append(int descriptor);
/* The first bytes of a file, in one read. */
int files_read_start(int descriptor, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
/* The next range of data at or after `offset`; both ends are the file's size if there is none. */
int files_next_data(int descriptor, int64_t offset, int64_t *_Nonnull begin, int64_t *_Nonnull end);
int files_truncate(int descriptor, int64_t size);
/* fsync, or fdatasync. */
int files_sync(int descriptor, bool is_data_only);

#endif
