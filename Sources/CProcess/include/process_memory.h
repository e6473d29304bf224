#ifndef PROCESS_MEMORY_H
#define PROCESS_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero memory; the compiler cannot optimise the call away. */
void process_zero(void *_Nonnull pointer, size_t length);
/* Compare in constant time. */
bool process_equal(const void *_Nonnull a, const void *_Nonnull b, size_t length);
/* Fill with random bytes from getrandom(2); false on failure. */
bool process_random(void *_Nonnull pointer, size_t length);

/* Memory for results that the host releases; zeroed over its whole allocation on release. */
void *_Nullable process_result_alloc(size_t length);
void process_result_free(void *_Nullable pointer);

/* Have the process leave no core dump, and no other process of its user read its memory, from now on. */
void process_refuse_dumps(void);

/* strnlen: the length of NUL-terminated text, reading at most `limit` bytes. */
size_t process_text_length(const char *_Nonnull text, size_t limit);

#endif
