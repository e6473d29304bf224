/* An SQLite file system that seals what it writes: databases page by page, logs, journals and temporary files by records.
 * docs/sqlite.md describes the forms. It lies over the default file system of whichever SQLite it is registered with, and
 * calls no other SQLite. */
#ifndef CENCRYPTEDSQLITE_H
#define CENCRYPTEDSQLITE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "CPlatform.h"

/* What an account's file system may do, as a session last said; files hold on to it. */
typedef struct encrypted_access encrypted_access_t;

enum { ENCRYPTED_OPEN = 0, ENCRYPTED_CLOSED = 1, ENCRYPTED_NO_KEY = 2 };

/* What there is to tell of a file. */
enum {
    ENCRYPTED_DAMAGED = 1, /* a page does not verify */
    ENCRYPTED_FOREIGN = 2, /* the file is of neither form, or of another kind */
    ENCRYPTED_LAYOUT = 3,  /* a page of another size, or without the reserved bytes, was refused */
    ENCRYPTED_PLAIN = 4,   /* a plain database stays plain although new ones are encrypted */
    ENCRYPTED_CREATED = 5, /* a database is begun, of either form; nobody has a lock on it */
};

/* What is asked of a session. No function may use the database that it is called for. */
typedef struct encrypted_calls {
    void *_Nonnull context;
    /* The state has changed, or the answer is closed: publish what holds now. ENCRYPTED_OPEN or ENCRYPTED_CLOSED. */
    int32_t (*_Nonnull refresh)(void *_Nonnull context);
    /* 32 bytes that `info` makes of the account's key of an epoch (0: the newest, told back). */
    int32_t (*_Nonnull derive)(
        void *_Nonnull context, uint32_t *_Nonnull epoch, const void *_Nonnull info, size_t length, void *_Nonnull key);
    /* How many more pages the newest key may seal, counted already; 0: none, or that cannot be written down. The newest key may
     * be another one afterwards. */
    int64_t (*_Nonnull reserve)(void *_Nonnull context);
    void (*_Nonnull tell)(void *_Nonnull context, int32_t what, const char *_Nonnull path, uint64_t page);
    /* The context is not used any more. */
    void (*_Nonnull release)(void *_Nonnull context);
} encrypted_calls_t;

/* Register a name with the SQLite that this library is linked with; `token` is the session's. NULL when the name is taken
 * (`*is_taken`), or there is no memory. */
encrypted_access_t *_Nullable encrypted_register(
    const char *_Nonnull name, uintptr_t token, const platform_words_t *_Nonnull words, encrypted_calls_t calls,
    bool *_Nonnull is_taken);
/* Publish the answers of a generation. Without `takes_new` existing databases open for reading, and no new one is made. `keys`
 * is another number whenever the account's keys are others; a generation of UINT64_MAX is never current. */
void encrypted_publish(
    encrypted_access_t *_Nonnull access, uint64_t generation, bool is_encrypting, bool takes_new, uint64_t keys);
/* After a wipe: end what the connections to its databases are doing. How many of them are in a transaction: those still read
 * the pages that SQLite has in memory. */
uint32_t encrypted_interrupt(encrypted_access_t *_Nonnull access);
/* The name opens nothing any more, and open files answer closed. */
void encrypted_unregister(encrypted_access_t *_Nonnull access);
/* The same in a forked child, where nothing may be waited for: open files answer closed, and the name may be taken. */
void encrypted_abandon(encrypted_access_t *_Nonnull access);

/* An extension's entry: register every name with the SQLite that loads it. The result and `error` are as SQLite wants them. */
int32_t encrypted_load(void *_Nullable database, char *_Nullable *_Nullable error, const void *_Nullable api);

#endif
