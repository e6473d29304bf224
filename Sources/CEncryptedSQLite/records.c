#include "internal.h"
#include <process_memory.h>
#include <process_secrets.h>
#include <stdlib.h>

/* Journals and temporary files: records of one size, each followed by nonce and tag. SQLite's header sectors begin
 * on a record, so a synced record is not sealed again when the next one is written; seven records fit a page of the
 * file, so that a kill leaves each one old or new. A record that does not verify reads as zeros, at which SQLite's
 * checksum ends the journal. The last record may be shorter; the length of the file determines it. Temporary files
 * have a key that exists in this process alone, and holes. */

enum { BATCH = 16384, GAP = 1 << 20, NONCES = BATCH / (MIN_PAGE_SIZE + SEAL) + 1 };
#define MAX_RECORDS ((uint64_t)1 << 31) /* records under one key: their nonces are random */

static inline uint32_t sealed_size(const struct records *r) { return r->record_size + SEAL; }
static inline sqlite3_int64 record_offset(const struct records *r, sqlite3_int64 record) {
    return r->start + record / r->per_page * r->stride + record % r->per_page * sealed_size(r);
}

static int record_cipher(file *f, sealing_cipher_t **cipher) {
    struct records *r = &f->records;
    if (r->is_temporary) {
        if (!f->keys[0].cipher) {
            unsigned char *bytes = process_secret_alloc(NULL, SEALING_KEY);
            if (!bytes) return SQLITE_IOERR_NOMEM;
            bool is_random = process_random(bytes, SEALING_KEY);
            if (is_random) f->keys[0] = (cached_key){1, sealing_cipher_new(bytes)};
            process_secret_free(bytes, SEALING_KEY);
            if (!is_random) return SQLITE_IOERR_WRITE;
        }
        *cipher = f->keys[0].cipher;
        return *cipher ? SQLITE_OK : SQLITE_IOERR_NOMEM;
    }
    return preamble_cipher_locked(f, r->preamble, cipher);
}

/* Check whether the file is a journal of this database. */
static int records_load(file *f) {
    struct records *r = &f->records;
    if (r->is_temporary || r->is_valid) return SQLITE_OK;
    unsigned char now[PREAMBLE];
    int result = base_read(f, now, PREAMBLE, 0);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
    if (!preamble_matches(now, r->preamble_type) || big32(now + 12) != r->record_size) return SQLITE_OK;
    if (r->has_salt && memcmp(now + 32, r->salt, SALT) != 0) return SQLITE_OK;
    memcpy(r->preamble, now, PREAMBLE);
    keys_clear_locked(f);
    r->is_valid = true;
    r->cached = -1;
    return SQLITE_OK;
}

/* Each transaction has its own preamble, and with it its own key: in a persistent journal, records of the former
 * transaction no longer verify. */
static int records_begin(file *f) {
    struct records *r = &f->records;
    unsigned char page[4096] = {0};
    int result = preamble_make_locked(f, r->preamble, r->preamble_type, r->record_size, r->has_salt ? r->salt : NULL);
    if (result != SQLITE_OK) return result;
    memcpy(page, r->preamble, PREAMBLE);
    r->sealed_count = 0;
    if (!r->is_valid) result = f->base->pMethods->xTruncate(f->base, 0);
    if (result == SQLITE_OK) result = base_write(f, page, (int)sizeof page, 0);
    r->is_valid = result == SQLITE_OK;
    r->cached = -1;
    return result;
}

/* The number of plain bytes in a file of `have` bytes. */
static sqlite3_int64 plain_size(const struct records *r, sqlite3_int64 have) {
    if (have <= r->start) return 0;
    sqlite3_int64 pages = (have - r->start) / r->stride, rest = (have - r->start) % r->stride;
    sqlite3_int64 whole = rest / sealed_size(r), part = rest % sealed_size(r) - SEAL;
    if (whole >= r->per_page) return (pages + 1) * r->per_page * r->record_size;
    return (pages * r->per_page + whole) * r->record_size + (part > 0 ? part : 0);
}

static int records_size(file *f, sqlite3_int64 *size) {
    sqlite3_int64 have;
    *size = 0;
    int result = records_load(f);
    if (result != SQLITE_OK || !(f->records.is_valid || f->records.is_temporary)) return result;
    result = base_size(f, &have);
    if (result == SQLITE_OK) *size = plain_size(&f->records, have);
    return result;
}

static int open_record(file *f, sqlite3_int64 number, uint32_t length, unsigned char *out);

/* Whether a record that does not verify may read as zeros. For a super-journal that would mean that it lists no
 * journal, and for a listed journal that it names no super-journal; SQLite then deletes the super-journal, and what
 * other databases have to roll back is committed. In a listed journal the record may be of a former transaction, but
 * not if the first one does not verify either: the journal is another account's. */
static int open_failed(file *f, sqlite3_int64 number, int result) {
    struct records *r = &f->records;
    if (r->preamble_type == PREAMBLE_SUPER_JOURNAL) return result;
    if (!r->is_listed) return SQLITE_OK;
    unsigned char first[MIN_PAGE_SIZE];
    return number ? open_record(f, 0, r->record_size, first) : result;
}

/* Read and open record `number` of `length` plain bytes. */
static int open_record(file *f, sqlite3_int64 number, uint32_t length, unsigned char *out) {
    struct records *r = &f->records;
    unsigned char at[MAX_PAGE_SIZE / 16 + SEAL];
    int result = base_read(f, at, (int)(length + SEAL), record_offset(r, number));
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_READ : result;
    sealing_cipher_t *cipher;
    result = record_cipher(f, &cipher);
    if (result != SQLITE_OK) return result;
    result = record_open(cipher, (uint64_t)number, at, length, out);
    if (result == SQLITE_OK) return result;
    if (!r->is_temporary) return open_failed(f, number, result);
    if (is_zero(at + length, SEAL)) return SQLITE_OK;
    report_later(f, ENCRYPTED_DAMAGED_PAGE, (uint64_t)number + 1);
    return result;
}

static int seal_record(
    file *f, sqlite3_int64 number, const unsigned char *in, uint32_t length, const unsigned char nonce[NONCE], unsigned char *out) {
    struct records *r = &f->records;
    sealing_cipher_t *cipher;
    int result = record_cipher(f, &cipher);
    if (result != SQLITE_OK) return result;
    if (++r->sealed_count > MAX_RECORDS) return SQLITE_FULL;
    memcpy(out + length, nonce, NONCE);
    return record_seal(cipher, (uint64_t)number, in, length, out);
}

static uint32_t length_of(const struct records *r, sqlite3_int64 number, sqlite3_int64 size) {
    sqlite3_int64 left = size - number * r->record_size;
    return left <= 0 ? 0 : left < r->record_size ? (uint32_t)left : r->record_size;
}

/* Open a record into `cached_bytes`. */
static int cache_record(file *f, sqlite3_int64 number, sqlite3_int64 size) {
    struct records *r = &f->records;
    if (!r->cached_bytes && !(r->cached_bytes = malloc(r->record_size))) return SQLITE_IOERR_NOMEM;
    uint32_t length = length_of(r, number, size);
    if (r->cached == number && r->cached_length == length) return SQLITE_OK;
    r->cached = -1;
    memset(r->cached_bytes, 0, r->record_size);
    int result = length ? open_record(f, number, length, r->cached_bytes) : SQLITE_OK;
    if (result != SQLITE_OK) return result;
    r->cached = number;
    r->cached_length = length;
    return SQLITE_OK;
}

/* Overwrite existing bytes or append directly after them. */
static int write_range(file *f, const unsigned char *in, sqlite3_int64 amount, sqlite3_int64 offset, sqlite3_int64 size) {
    struct records *r = &f->records;
    if (!scratch_reserve(f, BATCH)) return SQLITE_IOERR_NOMEM;
    int result = SQLITE_OK;
    sqlite3_int64 begin_at = 0, filled = 0;
    unsigned char nonces[NONCES][NONCE];
    size_t left = 0;
    while (amount > 0 && result == SQLITE_OK) {
        const sqlite3_int64 number = offset / r->record_size;
        const uint32_t at = (uint32_t)(offset % r->record_size);
        const uint32_t count = r->record_size - at < amount ? r->record_size - at : (uint32_t)amount;
        const unsigned char *from = in;
        uint32_t length = count;
        if (at > 0 || count < r->record_size) {
            result = cache_record(f, number, size);
            if (result != SQLITE_OK) break;
            memcpy(r->cached_bytes + at, in, count);
            length = at + count > r->cached_length ? at + count : r->cached_length;
            r->cached_length = length;
            from = r->cached_bytes;
        } else if (r->cached == number) r->cached = -1;
        sqlite3_int64 to = record_offset(r, number);
        if (filled && to - begin_at + sealed_size(r) > BATCH) {
            result = base_write(f, f->scratch, (int)filled, begin_at);
            filled = 0;
            if (result != SQLITE_OK) break;
        }
        if (!filled) begin_at = to;
        if (to - begin_at > filled) memset(f->scratch + filled, 0, (size_t)(to - begin_at - filled));
        if (left == 0) {
            const sqlite3_int64 more = (offset + amount - 1) / r->record_size - number + 1;
            left = more < NONCES ? (size_t)more : NONCES;
            if (!process_random(nonces, left * NONCE)) return SQLITE_IOERR_WRITE;
        }
        result = seal_record(f, number, from, length, nonces[--left], f->scratch + (to - begin_at));
        filled = to - begin_at + length + SEAL;
        in += count;
        amount -= count;
        offset += count;
    }
    if (filled && result == SQLITE_OK) result = base_write(f, f->scratch, (int)filled, begin_at);
    if (result != SQLITE_OK) r->cached = -1;
    return result;
}

static int records_write(file *f, const unsigned char *in, int amount, sqlite3_int64 offset) {
    static const unsigned char zeros[4096];
    struct records *r = &f->records;
    sqlite3_int64 size;
    if (offset > INT64_MAX / 4) return SQLITE_FULL;
    int result = records_load(f);
    /* SQLite writes the whole first header when a transaction begins, and parts of it later. */
    const bool is_first = offset == 0 && (uint32_t)amount >= r->record_size;
    if (result == SQLITE_OK && !r->is_temporary && (!r->is_valid || is_first)) result = records_begin(f);
    if (result == SQLITE_OK) result = records_size(f, &size);
    if (result != SQLITE_OK) return result;
    /* Fill the gap before `offset` with zeros, since only the last record may be short. A temporary file has holes
     * after that one. */
    sqlite3_int64 until = offset;
    sqlite3_int64 whole = (size + r->record_size - 1) / r->record_size * r->record_size;
    if (r->is_temporary && until > whole) until = whole;
    if (until > size + GAP) return SQLITE_IOERR_WRITE;
    while (result == SQLITE_OK && size < until) {
        sqlite3_int64 count = until - size < (sqlite3_int64)sizeof zeros ? until - size : (sqlite3_int64)sizeof zeros;
        result = write_range(f, zeros, count, size, size);
        size += count;
    }
    return result == SQLITE_OK ? write_range(f, in, amount, offset, size) : result;
}

static int records_read(file *f, unsigned char *out, int amount, sqlite3_int64 offset) {
    struct records *r = &f->records;
    sqlite3_int64 size;
    int result = records_size(f, &size);
    while (amount > 0 && result == SQLITE_OK && offset < size) {
        const sqlite3_int64 number = offset / r->record_size;
        const uint32_t at = (uint32_t)(offset % r->record_size), length = length_of(r, number, size);
        uint32_t count = length - at < (uint32_t)amount ? length - at : (uint32_t)amount;
        if (at == 0 && count == r->record_size && r->cached != number) result = open_record(f, number, length, out);
        else if ((result = cache_record(f, number, size)) == SQLITE_OK) memcpy(out, r->cached_bytes + at, count);
        if (result != SQLITE_OK) break;
        out += count;
        amount -= (int)count;
        offset += count;
    }
    if (amount > 0) memset(out, 0, (size_t)amount);
    return result == SQLITE_OK && amount > 0 ? SQLITE_IOERR_SHORT_READ : result;
}

static int records_truncate(file *f, sqlite3_int64 to) {
    struct records *r = &f->records;
    sqlite3_int64 size;
    int result = records_size(f, &size);
    if (result != SQLITE_OK || (to >= size && to > 0)) return result;
    if (to == 0) {
        r->cached = -1;
        r->is_valid = false;
        if (!r->is_temporary) keys_clear_locked(f);
        return f->base->pMethods->xTruncate(f->base, 0);
    }
    const sqlite3_int64 number = to / r->record_size;
    const uint32_t part = (uint32_t)(to % r->record_size);
    if (part) result = cache_record(f, number, size);
    if (result == SQLITE_OK) {
        sqlite3_int64 end = part ? record_offset(r, number) : record_offset(r, number - 1) + sealed_size(r);
        result = f->base->pMethods->xTruncate(f->base, end);
    }
    if (result != SQLITE_OK || !part) {
        r->cached = -1;
        return result;
    }
    r->cached_length = part;
    unsigned char nonce[NONCE];
    if (!scratch_reserve(f, BATCH)) return SQLITE_IOERR_NOMEM;
    if (!process_random(nonce, sizeof nonce)) return SQLITE_IOERR_WRITE;
    result = seal_record(f, number, r->cached_bytes, part, nonce, f->scratch);
    return result == SQLITE_OK ? base_write(f, f->scratch, (int)(part + SEAL), record_offset(r, number)) : result;
}

static int records_flush(file *f) {
    (void)f;
    return SQLITE_OK;
}

static void records_close(file *f) {
    struct records *r = &f->records;
    if (r->cached_bytes) process_zero(r->cached_bytes, r->record_size);
    free(r->cached_bytes);
}

const file_kind records_kind = {
    records_read, records_write, records_truncate, records_size, records_flush, records_close,
};

void records_init(file *f, unsigned char type, const file *database) {
    struct records *r = &f->records;
    f->kind = &records_kind;
    r->cached = -1;
    r->preamble_type = type;
    r->is_temporary = type == 0;
    r->record_size = r->is_temporary ? 4096 : MIN_PAGE_SIZE;
    r->per_page = r->is_temporary ? 1 : 7;
    r->stride = r->is_temporary ? 4096 + SEAL : 4096;
    r->start = r->is_temporary ? 0 : 4096;
    if (!database) return;
    r->has_salt = database->database.has_salt;
    memcpy(r->salt, database->database.salt, SALT);
}
