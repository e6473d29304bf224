#ifndef SEALED_FILE_INTERNAL_H
#define SEALED_FILE_INTERNAL_H
#define _GNU_SOURCE
#include "CSealedFile.h"
#include <platform_limit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
    PAGE = SEALED_FILE_PAGE,
    PLACES = 64,  /* pages of a group behind its table */
    RECORDS = 63, /* records of a group: one page is always spare */
    NONCE = 12,
    ENTRY = 32,
    PAIR = 2 * ENTRY,
    BATCH = 16, /* records that are read or written in one go */
    FEW = 4, /* groups whose tables have a place from the beginning */
    GENERATIONS = 255,
    SEALED_STATE_COPY = 64 + SEALING_MAC,
    ROOM = (BATCH + 3) * PAGE, /* a batch and its last tag, and two pages for what is read before it is changed */
    PIECE = (BATCH + 1) * PAGE,
    OTHER = (BATCH + 2) * PAGE,
};

/* What a record's newest entry says. */
typedef struct entry {
    const unsigned char *nonce, *tag;
    unsigned char place, generation;
} entry_t;

/* The length and what else changes as a whole: one of two copies in the first page. */
typedef struct state {
    uint64_t sequence, length, dense, sealed;
    uint32_t generation;
    unsigned char flags;
    bool is_second_older; /* not written: which copy the next commit overwrites first */
} state_t;

/* Written to and not synced since: what was not on the disk yet when the power failed may not verify. */
enum { UNSYNCED = 1 };

/* The longest plain file: its last page has an offset. */
#define SEALED_MOST ((uint64_t)INT64_MAX / 4 * 3)

typedef struct secrets {
    unsigned char key[SEALING_KEY]; /* of the file: those of its records are derived from it */
    sealing_mac_key_t mac;          /* of the length */
} secrets_t;

typedef _Atomic uint32_t sealed_version_t;

/* What is known of a group's table. */
typedef struct table {
    _Alignas(PAIR) unsigned char pairs[RECORDS * PAIR];
    uint64_t group, free;  /* a bit for each page that no newest entry names */
    uint32_t version;      /* odd: nothing is known */
    atomic_bool is_pinned; /* who writes is using it */
} table_t;

typedef table_t *_Atomic slot_t;

/* What a write without the lock on the length goes by. */
typedef struct inside {
    uint32_t version; /* of the length, when the bytes were before the end */
    bool was_cut;     /* they are no longer */
} inside_t;

struct sealed_file {
    int descriptor;
    sealed_shared_t *shared;
    uint64_t hash; /* of its salt */
    pthread_mutex_t lock; /* who writes, and who reads under a lock of the file; everything below but the keys */
    bool has_marked; /* the state says that it is written to */
    uint64_t reserved;    /* records that may be sealed before the next reservation */
    uint32_t generation;  /* of what was reserved */
    uint64_t writes, synced_writes;
    platform_reach_t reach;

    pthread_mutex_t keys; /* `secrets`, `known`; taken after `lock` */
    secrets_t *_Atomic secrets; /* NULL: forgotten; sealed_secrets tells whether it is there */
    unsigned char known[SEALED_STATE_COPY]; /* a copy of the state that was found to verify */
    state_t state;                          /* as it was read last, while the version was: */
    uint32_t state_version;

    pthread_mutex_t tables_lock; /* what is in the tables; taken last */
    slot_t few[FEW], *_Atomic many; /* of the first groups, and of all others: each stays until the end */
    uint64_t owner;       /* of cipher places: one number more for each generation */
    sealing_keyed_t *_Atomic hint;
};

/* A thread's place to work in: a keyed cipher and pages. */
typedef struct bench {
    sealing_keyed_t *cipher;
    uint32_t generation;
    unsigned char *pages; /* ROOM bytes */
    bool met_hole;        /* a record was read that is not there */
} bench_t;

#define FAULT(s) ((sealed_file_fault_t){.status = (s)})
#define GOOD FAULT(SEALED_FILE_OK)
sealed_file_fault_t sealed_fault_system(void);
/* Of a call that should have done everything and did less without an errno. */
sealed_file_fault_t sealed_fault_short(void);

/* Big-endian. */
uint64_t sealed_get(const unsigned char *bytes, int count);
void sealed_put(unsigned char *bytes, int count, uint64_t value);

/* All of it, or a fault. What lies behind the end of the file reads as zeros. */
sealed_file_fault_t sealed_read_all(int descriptor, void *out, size_t length, int64_t offset);
sealed_file_fault_t sealed_write_all(int descriptor, const void *bytes, size_t length, int64_t offset);

/* So many groups, one behind the other, have all locks of groups there are. */
enum { SEALED_GROUP_LOCKS = 64 };

/* Locks between threads, handles and processes; taken in this order: `file->lock`, who writes, the length, a group. */
sealed_file_fault_t sealed_lock_writers(sealed_file_t *file);
bool sealed_lock_writers_alone(sealed_file_t *file);
void sealed_unlock_writers(sealed_file_t *file);
sealed_file_fault_t sealed_lock_length(sealed_file_t *file);
void sealed_unlock_length(sealed_file_t *file);
sealed_file_fault_t sealed_lock_group(sealed_file_t *file, uint64_t group);
void sealed_unlock_group(sealed_file_t *file, uint64_t group);

/* Odd while what it stands for is being changed, with its lock held; another number afterwards. */
sealed_version_t *sealed_version(sealed_file_t *file, uint64_t group);
sealed_version_t *sealed_length_version(sealed_file_t *file);
void sealed_versions_changed(sealed_file_t *file, uint64_t from, uint64_t to);
void sealed_changing(sealed_version_t *version);
void sealed_changed(sealed_version_t *version);

/* Has the memory fetch what will soon be asked of a record in its table. */
void sealed_table_prefetch(sealed_file_t *file, uint64_t record);
/* A table, or the pairs of some of its records, as it is now: from what is remembered where nobody has changed it. */
sealed_file_fault_t sealed_table_read(
    sealed_file_t *file, uint64_t group, unsigned from, unsigned count, unsigned char *pairs);
/* The same for who holds the group's lock and changes it: the remembered one, or `spare`. */
sealed_file_fault_t sealed_table_pin(sealed_file_t *file, uint64_t group, table_t *spare, table_t **table);
void sealed_table_unpin(table_t *table);
/* Give some records these pairs, of which so many bytes have changed. */
sealed_file_fault_t sealed_table_write(
    sealed_file_t *file, table_t *table, unsigned from, unsigned count, const unsigned char *pairs, size_t begin,
    size_t length);
void sealed_tables_free(sealed_file_t *file);

/* Where things are. */
int64_t sealed_table_offset(uint64_t group);
int64_t sealed_page_offset(uint64_t group, unsigned place);
uint64_t sealed_record_count(uint64_t length);

/* Keys. */
/* NULL where they were forgotten, or are those of the process that this one was forked from. */
secrets_t *sealed_secrets(const sealed_file_t *file);
sealed_file_fault_t sealed_keys_make(sealed_file_t *file, const unsigned char *key);
sealed_file_fault_t sealed_bench_take(sealed_file_t *file, uint32_t generation, bench_t *bench);
/* For a record of another generation than the bench was taken for. */
sealed_file_fault_t sealed_bench_key(sealed_file_t *file, uint32_t generation, bench_t *bench);
void sealed_bench_give(bench_t *bench);

sealed_file_fault_t sealed_header_unlock(
    sealed_file_t *file, const sealed_file_header_t *header, const sealing_key_t *key);

/* The state: `encode` both copies into the first page, `read` the newest copy, `commit` a changed one (with the lock on the length held). */
void sealed_state_encode(sealed_file_t *file, const state_t *state, unsigned char *page);
sealed_file_fault_t sealed_state_read(sealed_file_t *file, state_t *state);
sealed_file_fault_t sealed_state_commit(sealed_file_t *file, state_t *state);

/* Entries of a table, two for a record. */
bool sealed_entry_newest(const unsigned char *pair, entry_t *entry);
bool sealed_entry_older(const unsigned char *pair, entry_t *entry);
/* Over the older one; returns where. */
unsigned char *sealed_entry_write(
    unsigned char *pair, unsigned char place, unsigned char generation, const unsigned char *nonce, const unsigned char *tag);
/* A bit for each page that no newest entry names. */
uint64_t sealed_table_free(const unsigned char *table);

/* Whole records, none beyond what the caller knows the length to be. Those before `dense` are all there. */
sealed_file_fault_t sealed_records_read(
    sealed_file_t *file, bench_t *bench, uint64_t dense, uint64_t from, uint64_t count, unsigned char *out);
/* Of one group, which is locked and whose table is pinned. */
sealed_file_fault_t sealed_records_write(
    sealed_file_t *file, bench_t *bench, uint64_t from, unsigned count, const unsigned char *plain, table_t *table,
    unsigned *written);
/* One record whose group is locked; zeros where there is none. */
sealed_file_fault_t sealed_record_locked(
    sealed_file_t *file, bench_t *bench, uint64_t record, const unsigned char *table, unsigned char *out);

#endif
