/* Shared between the files of this folder only. */
#ifndef FILES_INTERNAL_H
#define FILES_INTERNAL_H
#include <stdbool.h>
#include <stdint.h>

/* Whether a file system type of statfs(2) is a network file system. */
bool files_is_network_type(uint64_t type);

#endif
