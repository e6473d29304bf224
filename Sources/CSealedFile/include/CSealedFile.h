/* Sealed files: files that a host goes on working with, sealed record by record in place; docs/sealed-files.md has the
 * format. Only MAMFiles calls these.
 *
 * Several handles, threads and processes may work on one file. A process that ends anywhere leaves each record in its old
 * or its new form. */
#ifndef CSEALEDFILE_H
#define CSEALEDFILE_H
#include <CSealing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEALED_FILE_OK = 0,
    SEALED_FILE_SYSTEM = 1,        /* a system call failed: `error` has its errno */
    SEALED_FILE_FOREIGN = 2,       /* it is no sealed file */
    SEALED_FILE_MALFORMED = 3,     /* its header is no header */
    SEALED_FILE_NOT_AUTHENTIC = 4, /* header or length: another key, or changed */
    SEALED_FILE_DAMAGED = 5,       /* the record at `offset` does not verify, or is not there */
    SEALED_FILE_LIBRARY = 6,       /* libcrypto refuses */
    SEALED_FILE_NO_RANDOM = 7,
    SEALED_FILE_NO_MEMORY = 8,
    SEALED_FILE_TOO_LONG = 9,
    SEALED_FILE_WORN = 10, /* every key of the file has sealed as much as it may */
    SEALED_FILE_CLOSED = 11, /* its key was forgotten */
};

/* Why a call failed. */
typedef struct sealed_file_fault {
    int32_t status;
    int32_t error;
    int64_t offset; /* of a damaged record: in the plain file */
} sealed_file_fault_t;

enum { SEALED_FILE_PAGE = 4096, SEALED_FILE_ACCOUNT = 256, SEALED_FILE_KEY_ID = 16 };

/* Who owns a sealed file and what opens it: what its first page tells. */
typedef struct sealed_file_header {
    uint8_t key_id[SEALED_FILE_KEY_ID];
    uint32_t epoch;
    uint16_t account_length;
    uint8_t account[SEALED_FILE_ACCOUNT]; /* UTF-8, not looked at */
    uint8_t salt[SEALING_SALT], commitment[SEALING_COMMITMENT];
} sealed_file_header_t;

/* Whether the first bytes are those of a sealed file; four are enough. */
bool sealed_file_is(const void *_Nonnull bytes, size_t length);
/* Read the first page. */
sealed_file_fault_t sealed_file_header_read(int descriptor, sealed_file_header_t *_Nonnull header);
/* Make an empty file a sealed one of no length, under a fresh salt. */
sealed_file_fault_t sealed_file_make(
    int descriptor, const sealed_file_header_t *_Nonnull header, const sealing_key_t *_Nonnull key);

typedef struct sealed_file sealed_file_t;

/* What all processes share that work on sealed files of an app group: memory of this size, prepared by who made it, and
 * mapped by all. Its first 64 bytes are left to who gives it. */
typedef struct sealed_shared sealed_shared_t;
size_t sealed_shared_size(void);
void sealed_shared_prepare(void *_Nonnull memory);
/* For this process and its children alone. */
sealed_shared_t *_Nullable sealed_shared_private(void);

/* Work on a file whose header was read. The descriptor stays the caller's, who closes it after this. */
sealed_file_fault_t sealed_file_open(
    int descriptor, sealed_shared_t *_Nonnull shared, const sealed_file_header_t *_Nonnull header,
    const sealing_key_t *_Nonnull key, sealed_file_t *_Nullable *_Nonnull file);
void sealed_file_close(sealed_file_t *_Nonnull file);
/* In a forked child: memory only. */
void sealed_file_abandon(sealed_file_t *_Nonnull file);
/* In a forked child, where no other thread is: whoever held its locks is gone. */
void sealed_file_forked(sealed_file_t *_Nonnull file);
/* Drop the keys: every later call answers SEALED_FILE_CLOSED. */
void sealed_file_forget(sealed_file_t *_Nonnull file);

/* As pread and pwrite, except that a call does everything, or fails: then `count` says how much of the beginning it did. */
sealed_file_fault_t sealed_file_pread(
    sealed_file_t *_Nonnull file, void *_Nullable out, size_t length, int64_t offset, size_t *_Nonnull count);
sealed_file_fault_t sealed_file_pwrite(
    sealed_file_t *_Nonnull file, const void *_Nullable bytes, size_t length, int64_t offset, size_t *_Nonnull count);
/* At the end; `offset` is where that was. */
sealed_file_fault_t sealed_file_append(
    sealed_file_t *_Nonnull file, const void *_Nullable bytes, size_t length, int64_t *_Nonnull offset,
    size_t *_Nonnull count);
sealed_file_fault_t sealed_file_size(sealed_file_t *_Nonnull file, int64_t *_Nonnull size);
/* The next stretch at or behind `offset` that has data; both are the size where none has. */
sealed_file_fault_t sealed_file_next_data(
    sealed_file_t *_Nonnull file, int64_t offset, int64_t *_Nonnull begin, int64_t *_Nonnull end);
sealed_file_fault_t sealed_file_truncate(sealed_file_t *_Nonnull file, int64_t size);
/* fsync, or fdatasync. */
sealed_file_fault_t sealed_file_sync(sealed_file_t *_Nonnull file, bool is_data_only);

#endif
