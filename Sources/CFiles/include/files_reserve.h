#ifndef FILES_RESERVE_H
#define FILES_RESERVE_H
#include <stdbool.h>
#include <stdint.h>

/* Make or extend a file of zeros, to be freed when the disk is full, up to a size, or as far as there is space. Returns whether it
 * has that size. */
bool files_reserve_at(int directory, const char *_Nonnull name, int64_t size);

#endif
