#ifndef PLATFORM_GROUND_H
#define PLATFORM_GROUND_H
#include "platform_file.h"
#include <stddef.h>

/* Whether nobody but root and `owner` decides which file a path leads to: every directory on the way, with links followed one
 * by one, belongs to one of them and lets neither group nor others write; a sticky one may, where its entry on the way belongs
 * to one of them. Returns 0, with what the path leads to in `facts`, or an errno: EPERM for a directory that others decide
 * about, which `place` then names. */
int platform_ground_of(
    const char *_Nonnull path, uint32_t owner, platform_file_facts_t *_Nonnull facts, char *_Nonnull place, size_t capacity);

#endif
