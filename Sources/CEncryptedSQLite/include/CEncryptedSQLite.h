/* An SQLite VFS that encrypts what it writes: databases page by page; WALs, journals and temporary files by records.
 * docs/sqlite.md describes the formats. It uses the default VFS of the SQLite that it is registered with as its base,
 * and calls no other SQLite. */
#ifndef CENCRYPTEDSQLITE_H
#define CENCRYPTEDSQLITE_H
#include <shared_words.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An account's access to databases, as last published by its session; open files keep a reference. */
typedef struct encrypted_access encrypted_access_t;

enum { ENCRYPTED_OPEN = 0, ENCRYPTED_CLOSED = 1, ENCRYPTED_NO_KEY = 2, ENCRYPTED_UNLESS_PLAIN = 3 };

/* Reports about a file. */
enum {
    ENCRYPTED_DAMAGED_PAGE = 1,   /* a page does not verify */
    ENCRYPTED_UNKNOWN_FORMAT = 2, /* the file is neither an encrypted nor a plain database */
    ENCRYPTED_BAD_LAYOUT = 3,     /* a page with another size, or without the reserved bytes, was refused */
    ENCRYPTED_STAYS_PLAIN = 4,    /* a plain database is only read, since new ones are encrypted */
    ENCRYPTED_CREATING = 5,       /* a database is being created, encrypted or plain; no lock on it is held */
    ENCRYPTED_NOT_CREATED = 6,    /* no new database is allowed */
    ENCRYPTED_NOT_WRITTEN = 7,    /* nothing was written to a plain database, since new ones are encrypted */
    ENCRYPTED_NOT_OPENED = 8,     /* a database was not opened, since it is plain: ENCRYPTED_UNLESS_PLAIN */
};

/* Functions of the session. None may use the database that it is called for. */
typedef struct encrypted_calls {
    void *_Nonnull context;
    /* Plain databases are written to even if new ones are encrypted: for conversions. */
    bool writes_plain;
    /* The state has changed, the access is closed, or it follows the screen: publish the current access. ENCRYPTED_OPEN or
     * ENCRYPTED_CLOSED, which makes the reason the thread's last error; the latter also where a database that is not open
     * yet may not be opened. */
    int32_t (*_Nonnull refresh)(void *_Nonnull context, bool is_opening);
    /* Whether a database at this path may be opened or created: ENCRYPTED_OPEN, ENCRYPTED_CLOSED as above, or
     * ENCRYPTED_UNLESS_PLAIN. It must not open the file: closing it drops the process's locks. */
    int32_t (*_Nonnull authorize)(void *_Nonnull context, const char *_Nonnull path);
    /* Derive 32 bytes with `info` from the account's key of an epoch (0: the newest, whose number is stored there). */
    int32_t (*_Nonnull derive)(
        void *_Nonnull context, uint32_t *_Nonnull epoch, const void *_Nonnull info, size_t length, void *_Nonnull key);
    /* Reserve pages that the newest key may seal: they are counted already. 0: none, or the count cannot be stored. The
     * newest key may be another one afterwards. */
    int64_t (*_Nonnull reserve)(void *_Nonnull context);
    void (*_Nonnull report)(void *_Nonnull context, int32_t event, const char *_Nonnull path, uint64_t page);
    /* The context is no longer used. */
    void (*_Nonnull release)(void *_Nonnull context);
} encrypted_calls_t;

/* Register a name with the SQLite that this library is linked with; `token` is the session's. NULL if the name is taken
 * (`*is_taken`), or without memory. */
encrypted_access_t *_Nullable encrypted_register(
    const char *_Nonnull name, uintptr_t token, const shared_words_t *_Nonnull words, encrypted_calls_t calls,
    bool *_Nonnull is_taken);
/* Publish the access at a generation. Without `allows_new` existing databases open for reading, and no new one is
 * created. `key_version` changes with the account's keys; a generation of UINT64_MAX is never current. With
 * `follows_screen` the access is refreshed every second, and whenever a database is opened. */
void encrypted_publish(
    encrypted_access_t *_Nonnull access, uint64_t generation, bool encrypts_new, bool allows_new, uint64_t key_version,
    bool follows_screen);
/* After a wipe: interrupt the connections to its databases. Returns how many are in a transaction: those can still read
 * the pages in SQLite's cache. */
uint32_t encrypted_interrupt(encrypted_access_t *_Nonnull access);
/* The name opens no more files, and open files fail as closed. */
void encrypted_unregister(encrypted_access_t *_Nonnull access);
/* The same in a forked child, without waiting: open files fail as closed, and the name may be registered again. */
void encrypted_mark_closed(encrypted_access_t *_Nonnull access);

/* The entry point of an SQLite extension: register every name with the SQLite that loads it. Result and `error` follow
 * SQLite's conventions. */
int32_t encrypted_extension_init(void *_Nullable database, char *_Nullable *_Nullable error, const void *_Nullable api);

#endif
