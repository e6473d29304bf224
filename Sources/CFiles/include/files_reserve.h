#ifndef FILES_RESERVE_H
#define FILES_RESERVE_H
#include <stdbool.h>
#include <stdint.h>

/* Allocate a file of zeros, to be freed when the disk is full. False if the file exists, or without space for it. */
bool files_reserve_at(int directory, const char *_Nonnull name, int64_t size);

#endif
