#ifndef SHARED_CLOSED_ACCOUNTS_H
#define SHARED_CLOSED_ACCOUNTS_H
#include "shared_words.h"

/* Accounts that every process of a group keeps closed because one of them received a wipe that is not yet committed.
 * The table follows the shared words: adding an entry needs no descriptor, disk or lock, and the entry lasts as long
 * as any process uses the words. */

enum { SHARED_CLOSED_ACCOUNTS = 64, SHARED_ACCOUNT_BYTES = 16, SHARED_REASON_BYTES = 32 };

typedef struct shared_closed_account {
    unsigned char account[SHARED_ACCOUNT_BYTES];
    unsigned char reason[SHARED_REASON_BYTES];
} shared_closed_account_t;

/* Add an account; one that is listed already keeps its reason. False if the table is full. */
bool shared_closed_accounts_add(shared_words_t *_Nonnull words, const shared_closed_account_t *_Nonnull closed);
bool shared_closed_accounts_find(
    shared_words_t *_Nonnull words, const unsigned char *_Nonnull account, shared_closed_account_t *_Nonnull found);
bool shared_closed_accounts_any(shared_words_t *_Nonnull words);
/* Copy at most `capacity` entries; returns their number. */
size_t shared_closed_accounts_list(shared_words_t *_Nonnull words, shared_closed_account_t *_Nonnull found, size_t capacity);
void shared_closed_accounts_remove(shared_words_t *_Nonnull words, const unsigned char *_Nonnull account);

/* A number that differs in every call in the group, until 2^32 calls. */
uint32_t shared_unique_mark(shared_words_t *_Nonnull words);

#endif
