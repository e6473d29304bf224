#ifndef FILES_RESERVE_H
#define FILES_RESERVE_H
#include <stdbool.h>
#include <stdint.h>

/* Make a file of zeros, to be freed when the disk is full. One that was freed gets as much space as there is; a new one all of it or
 * none, so that a small disk is left to others. Returns whether it has that size. */
bool files_reserve_at(int directory, const char *_Nonnull name, int64_t size);
/* Free its space. One byte stays, as a sign that it was reserved. Returns whether space was freed. */
bool files_free_reserve_at(int directory, const char *_Nonnull name);

#endif
