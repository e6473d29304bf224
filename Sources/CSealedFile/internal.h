#ifndef SEALED_FILE_INTERNAL_H
#define SEALED_FILE_INTERNAL_H
#define _GNU_SOURCE
#include "CSealedFile.h"
#include <process_size_limit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
    PAGE = SEALED_FILE_PAGE,
    GROUP_PAGES = 64, /* pages of a group, behind its table */
    RECORDS = 63,     /* records of a group: one page is always spare */
    NONCE = 12,
    ENTRY = 32,
    PAIR = 2 * ENTRY,
    BATCH = 16,        /* records that are read or written at once */
    INLINE_TABLES = 4, /* groups whose table pointers lie in the file object */
    MAX_KEY_NUMBER = 255,
    SEALED_STATE_COPY = 64 + SEALING_MAC,
    WORKSPACE_SIZE = (BATCH + 3) * PAGE, /* a batch with its last tag, and two pages for records that are read before they change */
    PART_PAGE = (BATCH + 1) * PAGE,
    CLEAN_PAGE = (BATCH + 2) * PAGE,
};

/* The contents of a record's entry. */
typedef struct entry {
    const unsigned char *nonce, *tag;
    unsigned char page_index, key_number;
} entry_t;

/* The length and the fields that change together with it; stored twice in the first page. */
typedef struct state {
    uint64_t sequence, length;
    uint64_t dense;      /* all records before this one exist */
    uint64_t sealed;     /* records that the newest key may have sealed */
    uint32_t key_number; /* of the newest record key; the "generation" of docs/sealed-files.md */
    unsigned char flags;
    bool is_second_older; /* not stored: the copy that the next commit overwrites first */
} state_t;

/* Written and not synced since: after a power failure, records may not verify. */
enum { UNSYNCED = 1 };

/* The longest plain file whose last page has a valid offset. */
#define SEALED_MAX_LENGTH ((uint64_t)INT64_MAX / 4 * 3)

typedef struct keys {
    unsigned char key[SEALING_KEY];     /* of the file; those of its records are derived from it */
    sealing_mac_key_t mac;              /* of the state */
    unsigned char derived[SEALING_KEY]; /* only while `verified` is locked */
} file_keys_t;

typedef _Atomic uint32_t sealed_version_t;

/* The cached table of a group. */
typedef struct table {
    _Alignas(PAIR) unsigned char pairs[RECORDS * PAIR];
    uint64_t group, free;  /* a bit for each page that no newest entry refers to */
    uint32_t version;      /* odd: empty */
    atomic_bool is_pinned; /* in use by a writer */
} table_t;

typedef table_t *_Atomic table_slot_t;

/* For a write without the length lock. */
typedef struct bounds {
    uint32_t version;      /* of the length at which the range was before the end */
    bool must_lock_length; /* the range is not, or no longer, before the end */
} bounds_t;

struct sealed_file {
    int descriptor;
    sealed_shared_t *shared;
    uint64_t hash;       /* of the salt */
    uint64_t slot_owner; /* first owner number of cipher slots; the key number is added to it */
    sealing_slot_t *_Atomic slot_hint;

    /* Each mutex guards the rest of its structure; they are acquired in this order, `verified` and `tables` under the locks below too,
     * and without waiting for anything. */
    struct {
        pthread_mutex_t mutex;   /* held by writers, and by readers that lock the file */
        bool is_marked_unsynced; /* the UNSYNCED flag is committed */
        uint64_t reserved;       /* records that may be sealed before the next reservation */
        uint32_t key_number;     /* of the reservation */
        uint64_t writes, synced_writes;
        process_size_limit_t size_limit;
    } writing;
    struct {
        pthread_mutex_t mutex;
        file_keys_t *_Atomic keys;             /* NULL: cleared; read through sealed_keys */
        unsigned char copy[SEALED_STATE_COPY]; /* the last stored state that verified */
        state_t state;                         /* as last read, at this version: */
        uint32_t version;
    } verified;
    struct {
        pthread_mutex_t mutex;
        table_slot_t of_first_groups[INLINE_TABLES]; /* a table lives as long as the file */
        table_slot_t *_Atomic of_others;
    } tables;
};

/* A cipher slot with a record key, and its pages. */
typedef struct workspace {
    sealing_slot_t *cipher;
    uint32_t key_number;
    unsigned char *pages; /* WORKSPACE_SIZE bytes */
    bool found_hole;      /* a record was read that does not exist */
} workspace_t;

#define FAULT(s) ((sealed_file_fault_t){.status = (s)})
#define GOOD FAULT(SEALED_FILE_OK)
sealed_file_fault_t sealed_fault_system(void);
/* For a write that did less than asked without an errno. */
sealed_file_fault_t sealed_fault_short_write(void);

/* Big-endian. */
uint64_t sealed_get_be(const unsigned char *bytes, int count);
void sealed_put_be(unsigned char *bytes, int count, uint64_t value);

/* Everything, or a fault. Bytes behind the end of the file read as zeros. */
sealed_file_fault_t sealed_read_all(int descriptor, void *out, size_t length, int64_t offset);
sealed_file_fault_t sealed_write_all(int descriptor, const void *bytes, size_t length, int64_t offset);

/* The number of group locks; the groups of a file use them in turn. */
enum { SEALED_GROUP_LOCKS = 64 };

/* Locks between threads, handles and processes, acquired in this order: `file->writing`, writers, length, a group. A function
 * whose name ends in `_locked` needs the lock of what it reads and changes; sealed_table_write needs that of its group.
 * Under any of them a thread only reads and writes this file: it acquires no lock of the session and calls no host. A thread
 * that waits for `file->writing` has no workspace; the workspace is acquired before the length and groups are locked. */
sealed_file_fault_t sealed_lock_as_writer(sealed_file_t *file);
bool sealed_lock_as_only_writer(sealed_file_t *file);
void sealed_unlock_as_writer(sealed_file_t *file);
sealed_file_fault_t sealed_lock_length(sealed_file_t *file);
void sealed_unlock_length(sealed_file_t *file);
sealed_file_fault_t sealed_lock_group(sealed_file_t *file, uint64_t group);
void sealed_unlock_group(sealed_file_t *file, uint64_t group);

/* A version is odd while its table or length is being changed, under the lock, and has a new value afterwards. */
sealed_version_t *sealed_version(sealed_file_t *file, uint64_t group);
sealed_version_t *sealed_length_version(sealed_file_t *file);
void sealed_versions_advance(sealed_file_t *file, uint64_t from, uint64_t to);
void sealed_version_begin_change(sealed_version_t *version);
void sealed_version_end_change(sealed_version_t *version);

/* Prefetch the cached entries of a record. */
void sealed_table_prefetch(sealed_file_t *file, uint64_t record);
/* Read a table, or the pairs of some of its records: from the cache if its version is unchanged. */
sealed_file_fault_t sealed_table_read(sealed_file_t *file, uint64_t group, unsigned from, unsigned count, unsigned char *pairs);
/* The same for a writer: returns the cached table of a group, or fills `spare`. */
sealed_file_fault_t sealed_table_pin_locked(sealed_file_t *file, uint64_t group, table_t *spare, table_t **table);
void sealed_table_unpin(table_t *table);
/* Set the pairs of some records; of their bytes, `length` from `begin` on have changed. */
sealed_file_fault_t sealed_table_write(
    sealed_file_t *file, table_t *table, unsigned from, unsigned count, const unsigned char *pairs, size_t begin, size_t length);
void sealed_tables_free(sealed_file_t *file);

/* Offsets in the file. */
int64_t sealed_table_offset(uint64_t group);
int64_t sealed_page_offset(uint64_t group, unsigned page_index);
uint64_t sealed_record_count(uint64_t length);

/* NULL if they were cleared, or belong to the process that this one was forked from. */
file_keys_t *sealed_keys(const sealed_file_t *file);
sealed_file_fault_t sealed_keys_init(sealed_file_t *file, const unsigned char *key);
sealed_file_fault_t sealed_workspace_acquire(sealed_file_t *file, uint32_t key_number, workspace_t *workspace);
/* For a record that another key sealed. */
sealed_file_fault_t sealed_workspace_set_key(sealed_file_t *file, uint32_t key_number, workspace_t *workspace);
void sealed_workspace_release(workspace_t *workspace);

sealed_file_fault_t sealed_header_open(sealed_file_t *file, const sealed_file_header_t *header, const sealing_key_t *key);

/* The state: encode both copies into the first page; read the newest copy; commit a change of the length. */
void sealed_state_encode(sealed_file_t *file, const state_t *state, unsigned char *page);
sealed_file_fault_t sealed_state_read(sealed_file_t *file, state_t *state);
sealed_file_fault_t sealed_state_commit_locked(sealed_file_t *file, state_t *state);

/* The two entries of a record, in a table. */
bool sealed_entry_newest(const unsigned char *pair, entry_t *entry);
bool sealed_entry_older(const unsigned char *pair, entry_t *entry);
/* Overwrite the older entry; returns its address. */
unsigned char *sealed_entry_write(
    unsigned char *pair, unsigned char page_index, unsigned char key_number, const unsigned char *nonce, const unsigned char *tag);
/* A bit for each page that no newest entry refers to. */
uint64_t sealed_table_free(const unsigned char *table);

/* Read whole records before the end of the file. All records before `dense` exist. */
sealed_file_fault_t sealed_records_read(
    sealed_file_t *file, workspace_t *workspace, uint64_t dense, uint64_t from, uint64_t count, unsigned char *out);
/* Write records of one group, whose table is pinned. */
sealed_file_fault_t sealed_records_write_locked(
    sealed_file_t *file, workspace_t *workspace, uint64_t from, unsigned count, const unsigned char *plain, table_t *table,
    unsigned *written);
/* Read one record of a group; zeros if it does not exist. */
sealed_file_fault_t sealed_record_locked(
    sealed_file_t *file, workspace_t *workspace, uint64_t record, const unsigned char *table, unsigned char *out);

#endif
