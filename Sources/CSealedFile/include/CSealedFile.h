/* Sealed files: files that are encrypted record by record in place; docs/sealed-files.md describes the format.
 *
 * Several handles, threads and processes may use one file. A process that is killed leaves each record old or new. */
#ifndef CSEALEDFILE_H
#define CSEALEDFILE_H
#include <CSealing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEALED_FILE_OK = 0,
    SEALED_FILE_SYSTEM = 1,        /* a system call failed: `error` has its errno */
    SEALED_FILE_FOREIGN = 2,       /* not a sealed file */
    SEALED_FILE_MALFORMED = 3,     /* an invalid header */
    SEALED_FILE_NOT_AUTHENTIC = 4, /* header or length do not verify: another key, or changed */
    SEALED_FILE_DAMAGED = 5,       /* the record at `offset` does not verify, or is missing */
    SEALED_FILE_LIBRARY = 6,       /* libcrypto failed */
    SEALED_FILE_NO_RANDOM = 7,
    SEALED_FILE_NO_MEMORY = 8,
    SEALED_FILE_TOO_LONG = 9,
    SEALED_FILE_KEYS_EXHAUSTED = 10, /* every key of the file has sealed its limit of records */
    SEALED_FILE_CLOSED = 11,         /* the keys were cleared */
};

/* The reason for a failure. */
typedef struct sealed_file_fault {
    int32_t status;
    int32_t error;
    int64_t offset; /* in the plain file, of a damaged record */
} sealed_file_fault_t;

enum { SEALED_FILE_PAGE = 4096, SEALED_FILE_ACCOUNT = 256, SEALED_FILE_KEY_ID = 16 };

/* The owner and key of a sealed file, from its first page. */
typedef struct sealed_file_header {
    uint8_t key_id[SEALED_FILE_KEY_ID];
    uint32_t epoch;
    uint16_t account_length;
    uint8_t account[SEALED_FILE_ACCOUNT]; /* UTF-8, not validated */
    uint8_t salt[SEALING_SALT], commitment[SEALING_COMMITMENT];
} sealed_file_header_t;

/* Whether a file with these first bytes is a sealed file; needs four. */
bool sealed_file_is(const void *_Nonnull bytes, size_t length);
/* Read the first page. */
sealed_file_fault_t sealed_file_header_read(int descriptor, sealed_file_header_t *_Nonnull header);
/* Turn an empty file into a sealed file of length 0, with a new salt. */
sealed_file_fault_t sealed_file_create(
    int descriptor, const sealed_file_header_t *_Nonnull header, const sealing_key_t *_Nonnull key);

typedef struct sealed_file sealed_file_t;

/* Memory that all processes map that use sealed files of an app group; initialised once by the process that creates
 * it. The first 64 bytes belong to the allocator of the memory. */
typedef struct sealed_shared sealed_shared_t;
size_t sealed_shared_size(void);
void sealed_shared_prepare(void *_Nonnull memory);
/* Memory for this process and its children alone. */
sealed_shared_t *_Nullable sealed_shared_private(void);

/* Open a file whose header was read. The caller keeps the descriptor and closes it after the file. */
sealed_file_fault_t sealed_file_open(
    int descriptor, sealed_shared_t *_Nonnull shared, const sealed_file_header_t *_Nonnull header,
    const sealing_key_t *_Nonnull key, sealed_file_t *_Nullable *_Nonnull file);
void sealed_file_close(sealed_file_t *_Nonnull file);
/* In a forked child: release memory only. */
void sealed_file_abandon(sealed_file_t *_Nonnull file);
/* In a forked child: reinitialise the locks, whose holders do not exist there. */
void sealed_file_reset_locks(sealed_file_t *_Nonnull file);
/* Later calls fail with SEALED_FILE_CLOSED. */
void sealed_file_clear_keys(sealed_file_t *_Nonnull file);

/* Like pread and pwrite, but a call does everything or fails; `count` is the number of bytes done. */
sealed_file_fault_t sealed_file_pread(
    sealed_file_t *_Nonnull file, void *_Nullable out, size_t length, int64_t offset, size_t *_Nonnull count);
sealed_file_fault_t sealed_file_pwrite(
    sealed_file_t *_Nonnull file, const void *_Nullable bytes, size_t length, int64_t offset, size_t *_Nonnull count);
/* Append; `offset` is where the bytes went. */
sealed_file_fault_t sealed_file_append(
    sealed_file_t *_Nonnull file, const void *_Nullable bytes, size_t length, int64_t *_Nonnull offset, size_t *_Nonnull count);
sealed_file_fault_t sealed_file_size(sealed_file_t *_Nonnull file, int64_t *_Nonnull size);
/* The next range of data at or after `offset`; both ends are the size if there is none. */
sealed_file_fault_t sealed_file_next_data(
    sealed_file_t *_Nonnull file, int64_t offset, int64_t *_Nonnull begin, int64_t *_Nonnull end);
sealed_file_fault_t sealed_file_truncate(sealed_file_t *_Nonnull file, int64_t size);
/* fsync, or fdatasync. */
sealed_file_fault_t sealed_file_sync(sealed_file_t *_Nonnull file, bool is_data_only);

#endif
