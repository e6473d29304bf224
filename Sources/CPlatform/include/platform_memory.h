#ifndef PLATFORM_MEMORY_H
#define PLATFORM_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform_secrets.h"

/* Zero so that the compiler cannot leave it out. */
void platform_zero(void *_Nonnull pointer, size_t length);
/* Equal in constant time. */
bool platform_equal(const void *_Nonnull a, const void *_Nonnull b, size_t length);
/* Fill with the system's random numbers; false when it has none. */
bool platform_random(void *_Nonnull pointer, size_t length);

/* malloc'ed memory for results; zeroed by its real size on release. */
void *_Nullable platform_result_alloc(size_t length);
void platform_result_free(void *_Nullable pointer);

/* Length of NUL-terminated text, looking at no more than `limit` bytes. */
size_t platform_text_length(const char *_Nonnull text, size_t limit);

#endif
