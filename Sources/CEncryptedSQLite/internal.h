#ifndef ENCRYPTED_INTERNAL_H
#define ENCRYPTED_INTERNAL_H
#define SQLITE_CORE 1 /* sqlite3ext.h for its struct alone, without its macros */
#include "CEncryptedSQLite.h"
#include "CSealing.h"
#include <process_size_limit.h>
#include <pthread.h>
#include <sqlite3.h>
#include <sqlite3ext.h>
#include <stdatomic.h>
#include <string.h>

enum {
    MAGIC = 4,
    SALT = 16,
    PLAIN_MAGIC = 16, /* at the beginning of a plain database */
    NONCE = 12,
    TAG = SEALING_TAG,
    RESERVED = 32,  /* at the end of each database page: nonce, tag, epoch */
    CLEARTEXT = 24, /* at the beginning of the first page: salt, page size, reserved bytes */
    PREAMBLE = 48,  /* of WALs and journals */
    SEAL = NONCE + TAG,
    FRAME_HEADER = 24,                /* SQLite's header of a WAL frame */
    STORED_HEADER = FRAME_HEADER + 1, /* and whether its checksum covers the sealed page */
    MIN_PAGE_SIZE = 512,
    MAX_PAGE_SIZE = 65536,
    CACHED_KEYS = 4, /* epochs whose keys a file keeps */
};

/* Functions of the SQLite that a VFS is registered with. */
typedef struct sqlite_functions {
    sqlite3_vfs *(*vfs_find)(const char *);
    int (*vfs_register)(sqlite3_vfs *, int);
    int (*vfs_unregister)(sqlite3_vfs *);
    int (*file_control)(sqlite3 *, const char *, int, void *);
    const char *(*db_name)(sqlite3 *, int); /* NULL before 3.39 */
    char *(*mprintf)(const char *, ...);
    const char *(*uri_parameter)(const char *, const char *);
    void (*interrupt)(sqlite3 *);
    const char *(*filename_database)(const char *);
} sqlite_functions;

struct encrypted_access {
    _Atomic uint32_t references;
    _Atomic bool is_closed, encrypts_new, allows_new, follows_screen;
    _Atomic int64_t refreshed_at; /* by the coarse monotonic clock */
    _Atomic uint64_t generation, key_version;
    _Atomic int64_t page_quota; /* pages that the newest key may seal before more are reserved */
    uintptr_t token;
    const shared_words_t *words;
    encrypted_calls_t calls;
};

/* A VFS name in one SQLite. Never freed: connections keep pointers to it. */
typedef struct encrypted_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    sqlite_functions sqlite;
    struct {
        encrypted_access_t *access;
        struct encrypted_vfs *next;
    } in_registry;
    char name[];
} encrypted_vfs_t;

typedef struct file file;

/* Operations on ranges of a file's plain bytes, for each kind of encrypted file. */
typedef struct file_kind {
    int (*read_locked)(file *, unsigned char *, int, sqlite3_int64);
    int (*write_locked)(file *, const unsigned char *, int, sqlite3_int64);
    int (*truncate_locked)(file *, sqlite3_int64);
    int (*size_locked)(file *, sqlite3_int64 *);
    int (*flush_locked)(file *);
    void (*close)(file *);
} file_kind;

typedef struct cached_key {
    uint32_t epoch;
    sealing_cipher_t *cipher;
} cached_key;

struct database {
    bool is_identified; /* the salt is the one in the file */
    bool has_salt;
    bool is_locked;            /* at least shared */
    bool may_wal_be_restarted; /* by another connection */
    unsigned char salt[SALT];
    uint32_t page_size;                /* 0 until known */
    uint32_t page_count;               /* of the first page when it was last read */
    sqlite3_int64 known_size;          /* a lower bound of the file's size, valid under the lock that was held when it was read */
    bool is_checkpointing, is_copying; /* a sealed page is on its way from the WAL; copied_seal is its end */
    unsigned char copied_seal[RESERVED];
    file *wal;
};

/* The connection that has a main database open, encrypted or plain. */
struct connection {
    struct {
        file *next;
        sqlite3 **handle;
        bool is_shared; /* several connections use this file, with SQLite's shared cache */
    } in_registry;
    _Atomic int level;   /* SQLITE_LOCK_* */
    _Atomic int readers; /* read transactions with a WAL */
    _Atomic bool has_wal;
};

struct wal {
    file *database;
    bool is_valid, is_dirty;
    unsigned char preamble[PREAMBLE];
    uint32_t page_size;
    uint32_t valid_frames;    /* frames known to belong to this WAL */
    uint32_t index, from, to; /* the frame in `frame`, and the range of its bytes */
    unsigned char *frame;
    uint32_t sealed_frame;               /* the frame, from 1, that was last read whole: SQLite got its page sealed */
    uint32_t first_header, header_count; /* frames whose headers this transaction has written; the headers */
    unsigned char (*headers)[STORED_HEADER];
};

struct records {
    bool is_valid, is_temporary, has_salt;
    bool is_listed;                                              /* a journal that is opened because a super-journal lists it */
    unsigned char preamble_type, preamble[PREAMBLE], salt[SALT]; /* the salt is the database's, if known */
    uint32_t record_size, per_page, stride;                      /* bytes in a record; records in a page; bytes from page to page */
    uint32_t start;                                              /* offset of the first record */
    uint64_t sealed_count;                                       /* records that this file has sealed under its key */
    sqlite3_int64 cached;                                        /* the record in `cached_bytes`; -1: none */
    uint32_t cached_length;
    unsigned char *cached_bytes;
};

struct file {
    sqlite3_file file;
    const file_kind *kind;
    sqlite3_file *base;
    encrypted_vfs_t *vfs;
    encrypted_access_t *access;
    const char *name;
    file *next_in_registry; /* of the encrypted files */
    struct connection connection;
    pthread_mutex_t lock; /* of what follows: threads of SQLite may share a temporary file */
    uint64_t key_version; /* of the keys in `keys` */
    cached_key keys[CACHED_KEYS];
    uint32_t newest_epoch, next_key;
    unsigned char *scratch;
    size_t scratch_size;
    process_size_limit_t size_limit;
    bool refuses_writes; /* a plain database, or its WAL, where new ones are encrypted: nothing new is written in the clear */
    int32_t report;      /* delivered after the lock is released */
    uint64_t report_page;
    union {
        struct database database;
        struct wal wal;
        struct records records;
    };
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
static inline bool is_page_size(uint32_t size) { return size >= MIN_PAGE_SIZE && size <= MAX_PAGE_SIZE && !(size & (size - 1)); }
/* The page size in the header of a database. */
static inline uint32_t header_page_size(const unsigned char *header) {
    uint32_t size = (uint32_t)header[16] << 8 | header[17];
    return size == 1 ? MAX_PAGE_SIZE : size;
}

/* registry_lock.c */

/* The lists that all threads share; the members `in_registry` belong to them. */
typedef struct registry {
    pthread_mutex_t mutex;
    encrypted_vfs_t *vfs_list;
    file *files;     /* encrypted ones */
    file *databases; /* those with a connection */
} registry;

registry *registry_lock(void); /* the only way to it */
void registry_unlock(registry *locked);

/* access.c */
int access_check(encrypted_access_t *access);         /* SQLITE_OK, or SQLITE_IOERR_AUTH */
int access_check_opening(encrypted_access_t *access); /* the same before a database is opened */
/* Count one more page under the newest key; false if it may not be sealed. */
bool access_count_page(encrypted_access_t *access);
void access_retain(encrypted_access_t *access);
void access_release(encrypted_access_t *access);

/* base.c */
int base_read(file *f, void *out, int amount, sqlite3_int64 offset);
int base_write(file *f, const void *in, int amount, sqlite3_int64 offset);
int base_size(file *f, sqlite3_int64 *size);
int base_close(file *f); /* `f` must not be used afterwards */

/* keys.c; an epoch of 0 stands for the newest and is replaced by its number. Names in `_locked` need the file's lock. */

/* The cached cipher of an epoch, or NULL. */
sealing_cipher_t *keys_cached_locked(const file *f, uint32_t *epoch);
/* The cipher of an epoch, with the key that is derived from the account's with `info`. */
int keys_get_locked(file *f, uint32_t *epoch, const void *info, size_t length, sealing_cipher_t **cipher);
void keys_clear_locked(file *f);
/* Clear the keys if they are not of the access's key version; for a file that is used outside its own calls too. */
void keys_refresh_locked(file *f);

/* page.c */
extern const unsigned char page_magic[MAGIC], sqlite_magic[PLAIN_MAGIC]; /* how the first page begins, sealed and plain */
/* The cipher of an epoch's pages; 0: the newest, whose number is stored in `epoch`. */
int page_cipher_locked(file *f, uint32_t *epoch, sealing_cipher_t **cipher);
/* Seal a page of SQLite's; its nonce is already in `page`. The first page must declare the reserved bytes. */
int page_seal_locked(file *f, uint32_t number, const unsigned char *in, unsigned char *page);
/* Open a sealed page, in place or not; zeros on failure. */
int page_open_locked(file *f, uint32_t number, const unsigned char *from, unsigned char *page);

/* database.c */
extern const file_kind database_kind;
/* Read salt and page size from the first bytes, again only if another process may have recreated the file. */
int database_identify_locked(file *f);
/* Count the pages that the newest key does not seal. */
int database_former_pages_locked(file *f, uint32_t *count);
void database_set_reserved_bytes(file *f); /* has SQLite reserve room at the end of each page */

/* wal.c, records.c */
extern const file_kind wal_kind;
extern const file_kind records_kind;
/* For a temporary file (type 0), or a journal of this database. */
void records_init(file *f, unsigned char type, const file *database);

/* preamble.c */
enum { PREAMBLE_WAL = 1, PREAMBLE_JOURNAL = 2, PREAMBLE_SUPER_JOURNAL = 3 };
/* Create a preamble under the account's newest key. */
int preamble_make_locked(file *f, unsigned char out[PREAMBLE], unsigned char type, uint32_t size, const unsigned char *salt);
bool preamble_matches(const unsigned char at[PREAMBLE], unsigned char type);
/* The cipher of the records after it. */
int preamble_cipher_locked(file *f, const unsigned char preamble[PREAMBLE], sealing_cipher_t **cipher);

/* record.c */
/* Seal a record; the nonce is already behind its bytes in `out`. */
int record_seal(sealing_cipher_t *cipher, uint64_t number, const unsigned char *in, uint32_t length, unsigned char *out);
/* Open a record, in place or not; SQLITE_IOERR_DATA and zeros if it does not verify. */
int record_open(sealing_cipher_t *cipher, uint64_t number, const unsigned char *at, uint32_t length, unsigned char *out);

/* connections.c */
void connections_add(file *database);
void connections_remove(file *database);
void connections_set_handle(file *database, sqlite3 **handle);
sqlite3 *connections_handle(const file *database); /* NULL before SQLite has set it */
/* The connection has taken or released a lock of the file, or one of its shared memory. */
void connections_set_level(file *database, int level);
void connections_note_shm_lock(file *database, int offset, int flags);

/* open_files.c */
void open_files_add(file *f);
void open_files_remove(file *f);
/* Clear the keys of an access's files. False if a call is in progress on one of them: repeat after unlocking. */
bool open_files_clear_keys_locked(registry *r, const encrypted_access_t *access);

/* file.c, plain_file.c */
bool scratch_reserve(file *f, size_t size);
/* Report an event when the file's lock is released. */
void report_later(file *f, int32_t event, uint64_t page);
enum { FCNTL_ENCRYPTED_FILE = 0x4d414d03 }; /* the database's `file *`; SQLite's own file controls are below 100 */
extern const sqlite3_io_methods encrypted_methods;
void plain_file_init(file *f); /* sets methods that pass calls to the base file while the account is open */

/* vfs.c */
void vfs_init(encrypted_vfs_t *self);

#endif
