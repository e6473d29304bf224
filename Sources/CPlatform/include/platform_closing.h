#ifndef PLATFORM_CLOSING_H
#define PLATFORM_CLOSING_H
#include "platform_words.h"

/* Accounts that every process of a group closes, because one of them has received a wipe that is not written down yet. They
 * stand beside the shared words: to note one takes no descriptor, no disk and no lock, and it lasts as long as any process
 * uses the words. */

enum { PLATFORM_CLOSINGS = 64, PLATFORM_CLOSING_ACCOUNT = 16, PLATFORM_CLOSING_REASON = 32 };

typedef struct platform_closing {
    unsigned char account[PLATFORM_CLOSING_ACCOUNT];
    unsigned char reason[PLATFORM_CLOSING_REASON];
} platform_closing_t;

/* Note one; the same account again changes nothing. False where there is no room. */
bool platform_closing_add(platform_words_t *_Nonnull words, const platform_closing_t *_Nonnull closing);
/* Whether an account is noted, and with what reason. */
bool platform_closing_find(
    platform_words_t *_Nonnull words, const unsigned char *_Nonnull account, platform_closing_t *_Nonnull found);
bool platform_closing_any(platform_words_t *_Nonnull words);
/* Those that are noted, at most `capacity`; how many they are. */
size_t platform_closing_list(platform_words_t *_Nonnull words, platform_closing_t *_Nonnull found, size_t capacity);
void platform_closing_remove(platform_words_t *_Nonnull words, const unsigned char *_Nonnull account);

/* A number that no process of the group had before it, until 2^32 were given out. */
uint32_t platform_closing_mark(platform_words_t *_Nonnull words);

#endif
