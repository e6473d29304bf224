#ifndef ENCRYPTED_INTERNAL_H
#define ENCRYPTED_INTERNAL_H
#define SQLITE_CORE 1 /* sqlite3ext.h for its struct alone, without its macros */
#include "CEncryptedSQLite.h"
#include "CSealing.h"
#include "platform_limit.h"
#include <pthread.h>
#include <sqlite3.h>
#include <sqlite3ext.h>
#include <stdatomic.h>
#include <string.h>

enum {
    MAGIC = 4,
    SALT = 16,
    NONCE = 12,
    TAG = SEALING_TAG,
    RESERVED = 32,   /* at the end of each page of a database: nonce, tag, epoch */
    CLEAR = 24,      /* at the beginning of its first page: salt, page size, reserved bytes */
    PREAMBLE = 48,   /* of logs and journals */
    SEAL = NONCE + TAG,
    FRAME = 24,      /* what SQLite's log has before a page */
    HEAD = FRAME + 1, /* that, and whether its checksum is of the sealed page */
    SMALLEST = 512,  /* pages */
    LARGEST = 65536,
    KEYS = 4,        /* epochs that a file keeps the contexts of */
};

/* What is called of the SQLite that a file system is registered with. */
typedef struct library {
    sqlite3_vfs *(*find)(const char *);
    int (*enter)(sqlite3_vfs *, int);
    int (*leave)(sqlite3_vfs *);
    int (*control)(sqlite3 *, const char *, int, void *);
    const char *(*schema)(sqlite3 *, int); /* NULL before 3.39 */
    char *(*print)(const char *, ...);
    const char *(*parameter)(const char *, const char *); /* of a database's URI */
    void (*interrupt)(sqlite3 *);
} library;

struct encrypted_access {
    _Atomic uint32_t holders;
    _Atomic bool is_over, is_encrypting, takes_new;
    _Atomic uint64_t generation, keys;
    _Atomic int64_t pages; /* that the newest key may seal before more are reserved */
    uintptr_t token;
    const platform_words_t *words;
    encrypted_calls_t calls;
};

/* A name in one SQLite. Never freed: connections hold on to it. */
typedef struct system {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    library library;
    encrypted_access_t *access; /* registry.c's lock */
    struct system *next;
    char name[];
} system_t;

typedef struct file file;

/* What a kind of file does with ranges of its plain bytes; called with the file's lock. */
typedef struct form {
    int (*read)(file *, unsigned char *, int, sqlite3_int64);
    int (*write)(file *, const unsigned char *, int, sqlite3_int64);
    int (*truncate)(file *, sqlite3_int64);
    int (*size)(file *, sqlite3_int64 *);
    int (*flush)(file *);
} form;

/* A context under one epoch's key of a file. */
typedef struct keyed {
    uint32_t epoch;
    sealing_held_t *context;
} keyed;

struct database {
    bool is_known;   /* the salt is the one on disk */
    bool has_salt;
    bool is_locked;  /* at least shared */
    bool is_log_unsure; /* another connection may have begun the log anew */
    unsigned char salt[SALT];
    uint32_t page;   /* size; 0 while nobody knows */
    uint32_t pages;  /* as the first page told when it was last seen */
    sqlite3_int64 have; /* bytes that the file has at least, as long as the lock is held under which that was seen */
    bool is_checkpointing, is_passing; /* a page is copied from the log as it is: the end of it */
    unsigned char passing[RESERVED];
    file *log;
};

/* What is known of the connection that has a database open, encrypted or plain; `next` and the first two with
 * encrypted_registry. */
struct connection {
    file *next;
    sqlite3 **handle;
    bool is_shared;     /* several connections have this one file, in SQLite's shared cache */
    _Atomic int level;  /* SQLITE_LOCK_* */
    _Atomic int readers; /* transactions that read with a log */
    _Atomic bool has_log;
};

struct log {
    file *database;
    bool is_there, is_dirty;
    unsigned char preamble[PREAMBLE];
    uint32_t page;
    uint32_t live;   /* frames known to be of this log */
    uint32_t index, from, to; /* the frame in `frame`, and which of its bytes */
    unsigned char *frame;
    uint32_t given;  /* the frame, from 1, that was last read whole: its page was given out sealed */
    uint32_t begun, heads; /* headers of frames from `begun` that were written since the lock was taken; their number */
    unsigned char (*head)[HEAD];
};

struct records {
    bool is_there, is_temporary, has_salt;
    unsigned char kind, preamble[PREAMBLE], salt[SALT]; /* of the database, where that is known */
    uint32_t size, per_page, stride; /* bytes in a record; records in a page, and from page to page */
    uint32_t base;
    uint64_t sealed; /* records under the key, by this file */
    sqlite3_int64 held; /* the record in `last`; -1: none */
    uint32_t held_length;
    unsigned char *last;
};

struct file {
    sqlite3_file base;
    const form *form;
    sqlite3_file *below;
    system_t *system;
    encrypted_access_t *access;
    const char *name;
    file *next;           /* encrypted_registry */
    pthread_mutex_t lock; /* guards the rest: threads of SQLite may share a temporary file */
    uint64_t round;       /* which keys `keys` are made of */
    keyed keys[KEYS];
    uint32_t newest, next_key;
    unsigned char *scratch;
    size_t scratch_size;
    platform_reach_t reach;
    int32_t event;        /* to tell when the lock is dropped */
    uint64_t event_page;
    struct connection connection;
    struct database database;
    struct log log;
    struct records records;
};

static inline uint32_t big32(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static inline void put32(unsigned char *at, uint32_t value) {
    for (int i = 3; i >= 0; i--, value >>= 8) at[i] = (unsigned char)value;
}
static inline void put64(unsigned char *at, uint64_t value) {
    for (int i = 7; i >= 0; i--, value >>= 8) at[i] = (unsigned char)value;
}
static inline bool is_zero(const unsigned char *at, size_t length) {
    unsigned char any = 0;
    for (size_t i = 0; i < length; i++) any |= at[i];
    return any == 0;
}
static inline bool is_page_size(uint32_t size) { return size >= SMALLEST && size <= LARGEST && !(size & (size - 1)); }
/* What the first page of a database says of the size of all. */
static inline uint32_t header_page_size(const unsigned char *header) {
    uint32_t size = (uint32_t)header[16] << 8 | header[17];
    return size == 1 ? LARGEST : size;
}

/* access.c */
int encrypted_check(encrypted_access_t *access); /* SQLITE_OK, or SQLITE_IOERR_AUTH */
/* One more page under the newest key: false where it may not be sealed. */
bool encrypted_count(encrypted_access_t *access);
void encrypted_hold(encrypted_access_t *access);
void encrypted_drop(encrypted_access_t *access);

/* keys.c; with the file's lock */
/* The context for an epoch (0: the newest, told back), where the file has it. */
sealing_held_t *keys_held(const file *f, uint32_t *epoch);
/* The context for an epoch (0: the newest) under what `info` makes of the account's key. */
int keys_find(file *f, uint32_t *epoch, const void *info, size_t length, sealing_held_t **context);
void keys_forget(file *f);
/* Those of a file that is used beside its own calls are of the latest round. */
void keys_renew(file *f);
bool keys_scratch(file *f, size_t size);
void tell_later(file *f, int32_t what, uint64_t page);

/* file.c */
extern const sqlite3_io_methods encrypted_methods;
int file_below_read(file *f, void *out, int amount, sqlite3_int64 offset);
int file_below_write(file *f, const void *in, int amount, sqlite3_int64 offset);
int file_below_size(file *f, sqlite3_int64 *size);
int file_below_close(file *f); /* the last of it: nothing of `f` is used after */

/* page.c */
extern const unsigned char page_magic[MAGIC], page_plain[SALT]; /* how the first page begins, sealed and plain */
/* The context of the pages of an epoch; 0: the newest, which it then is. */
int page_key(file *f, uint32_t *epoch, sealing_held_t **key);
/* Seal a page as SQLite gives it; its nonce stands at its place already. The first one tells whether all have room for their
 * seals. */
int page_seal(file *f, uint32_t number, const unsigned char *in, unsigned char *page);
/* Open a sealed page, in place or elsewhere; on failure nothing of it is left. */
int page_open(file *f, uint32_t number, const unsigned char *from, unsigned char *page);

/* database.c */
extern const form database_form;
/* Whose file it is, by its first bytes; read again only where another process may have begun it anew. */
int database_identify(file *f);
/* How many pages another key than the newest seals. */
int database_former(file *f, uint32_t *count);
void database_reserve(file *f); /* without the lock: tells SQLite to leave room at the end of each page */

/* log.c, records.c */
extern const form log_form;
extern const form records_form;
void log_close(file *f);

/* preamble.c */
enum { KIND_LOG = 1, KIND_JOURNAL = 2, KIND_SUPER = 3 };
/* A new one, under the newest of the account's keys. */
int preamble_make(
    file *f, unsigned char out[PREAMBLE], unsigned char kind, uint32_t size, const unsigned char *salt);
bool preamble_is(const unsigned char at[PREAMBLE], unsigned char kind);
/* The context of what follows it. */
int preamble_key(file *f, const unsigned char preamble[PREAMBLE], sealing_held_t **key);

/* record.c */
/* Seal a record; its nonce stands behind its place already. */
int record_seal(sealing_held_t *key, uint64_t number, const unsigned char *in, uint32_t length, unsigned char *out);
/* Open one, in place or elsewhere; SQLITE_IOERR_DATA and zeros where it does not verify. */
int record_open(sealing_held_t *key, uint64_t number, const unsigned char *at, uint32_t length, unsigned char *out);

/* plain.c */
void guard_plain(file *f); /* its methods: those of the file below, while the account is open */

/* registry.c */
extern pthread_mutex_t encrypted_registry;

/* connections.c */
file *connections_first(void); /* with encrypted_registry; the next is `connection.next` */
void connections_add(file *database);
void connections_remove(file *database);
/* SQLite tells whose file it is. */
void connections_tell(file *database, sqlite3 **handle);
/* A lock of the file was taken or dropped; one of its shared memory. */
void connections_lock(file *database, int level);
void connections_lock_shared(file *database, int offset, int flags);

/* system.c */
void system_fill(system_t *system);
void system_forget(file *f);
/* No file of it has keys any more, nor gets others once it is over. With the lock of the registry. */
void system_forget_keys(const encrypted_access_t *access);

#endif
