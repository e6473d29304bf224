#include "internal.h"
#include <stdlib.h>

/* Journals and temporary files: plain bytes in records of one size, each followed by nonce and tag. SQLite's header sectors
 * begin on a record, so none that was synced is sealed again for what follows it; seven lie in a page of the file, so that a
 * kill leaves each of them old or new. A record that does not verify reads as zeros, where SQLite's checksum ends the journal.
 * The last record may be shorter: the length of the file tells how long it is. Temporary files have a key that is nowhere but
 * in this process, and holes. */

enum { BATCH = 16384, GAP = 1 << 20, DRAWN = BATCH / (SMALLEST + SEAL) + 1 };
#define MOST ((uint64_t)1 << 31) /* records under one key: their nonces are random */

static inline uint32_t sealed(const struct records *r) { return r->size + SEAL; }
static inline sqlite3_int64 place(const struct records *r, sqlite3_int64 record) {
    return r->base + record / r->per_page * r->stride + record % r->per_page * sealed(r);
}

static int key_of(file *f, sealing_held_t **key) {
    struct records *r = &f->records;
    if (r->is_temporary) {
        if (!f->keys[0].context) {
            unsigned char bytes[SEALING_KEY];
            if (!platform_random(bytes, sizeof bytes)) return SQLITE_IOERR_WRITE;
            f->keys[0] = (keyed){1, sealing_held_new(bytes)};
            platform_zero(bytes, sizeof bytes);
        }
        *key = f->keys[0].context;
        return *key ? SQLITE_OK : SQLITE_IOERR_NOMEM;
    }
    return preamble_key(f, r->preamble, key);
}

/* Whether there is a journal of this database. */
static int load(file *f) {
    struct records *r = &f->records;
    if (r->is_temporary || r->is_there) return SQLITE_OK;
    unsigned char now[PREAMBLE];
    int result = file_below_read(f, now, PREAMBLE, 0);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
    if (!preamble_is(now, r->kind) || big32(now + 12) != r->size) return SQLITE_OK;
    if (r->has_salt && memcmp(now + 32, r->salt, SALT) != 0) return SQLITE_OK;
    memcpy(r->preamble, now, PREAMBLE);
    keys_forget(f);
    r->is_there = true;
    r->held = -1;
    return SQLITE_OK;
}

/* Each transaction has a preamble, and by it a key, of its own. Records that a journal which is kept has of the former one verify
 * no more. */
static int begin(file *f) {
    struct records *r = &f->records;
    unsigned char page[4096] = {0};
    int result = preamble_make(f, r->preamble, r->kind, r->size, r->has_salt ? r->salt : NULL);
    if (result != SQLITE_OK) return result;
    memcpy(page, r->preamble, PREAMBLE);
    r->sealed = 0;
    if (!r->is_there) result = f->below->pMethods->xTruncate(f->below, 0);
    if (result == SQLITE_OK) result = file_below_write(f, page, (int)sizeof page, 0);
    r->is_there = result == SQLITE_OK;
    r->held = -1;
    return result;
}

/* How many plain bytes a file of so many has. */
static sqlite3_int64 plain_size(const struct records *r, sqlite3_int64 have) {
    if (have <= r->base) return 0;
    sqlite3_int64 pages = (have - r->base) / r->stride, rest = (have - r->base) % r->stride;
    sqlite3_int64 whole = rest / sealed(r), part = rest % sealed(r) - SEAL;
    if (whole >= r->per_page) return (pages + 1) * r->per_page * r->size;
    return (pages * r->per_page + whole) * r->size + (part > 0 ? part : 0);
}

static int records_size(file *f, sqlite3_int64 *size) {
    sqlite3_int64 have;
    *size = 0;
    int result = load(f);
    if (result != SQLITE_OK || !(f->records.is_there || f->records.is_temporary)) return result;
    result = file_below_size(f, &have);
    if (result == SQLITE_OK) *size = plain_size(&f->records, have);
    return result;
}

/* Open record `number`, of which there are `length` plain bytes, into `out`. */
static int open_record(file *f, sqlite3_int64 number, uint32_t length, unsigned char *out) {
    struct records *r = &f->records;
    unsigned char at[LARGEST / 16 + SEAL];
    int result = file_below_read(f, at, (int)(length + SEAL), place(r, number));
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_READ : result;
    sealing_held_t *key;
    result = key_of(f, &key);
    if (result != SQLITE_OK) return result;
    result = record_open(key, (uint64_t)number, at, length, out);
    if (result == SQLITE_OK || !r->is_temporary || is_zero(at + length, SEAL)) return SQLITE_OK;
    tell_later(f, ENCRYPTED_DAMAGED, (uint64_t)number + 1);
    return result;
}

static int seal_record(
    file *f, sqlite3_int64 number, const unsigned char *in, uint32_t length, const unsigned char nonce[NONCE],
    unsigned char *out) {
    struct records *r = &f->records;
    sealing_held_t *key;
    int result = key_of(f, &key);
    if (result != SQLITE_OK) return result;
    if (++r->sealed > MOST) return SQLITE_FULL;
    memcpy(out + length, nonce, NONCE);
    return record_seal(key, (uint64_t)number, in, length, out);
}

static uint32_t length_of(const struct records *r, sqlite3_int64 number, sqlite3_int64 size) {
    sqlite3_int64 left = size - number * r->size;
    return left <= 0 ? 0 : left < r->size ? (uint32_t)left : r->size;
}

/* The plain bytes of a record, in `last`. */
static int hold(file *f, sqlite3_int64 number, sqlite3_int64 size) {
    struct records *r = &f->records;
    if (!r->last && !(r->last = malloc(r->size))) return SQLITE_IOERR_NOMEM;
    uint32_t length = length_of(r, number, size);
    if (r->held == number && r->held_length == length) return SQLITE_OK;
    r->held = -1;
    memset(r->last, 0, r->size);
    int result = length ? open_record(f, number, length, r->last) : SQLITE_OK;
    if (result != SQLITE_OK) return result;
    r->held = number;
    r->held_length = length;
    return SQLITE_OK;
}

/* Write over existing bytes or directly after them. */
static int write_on(file *f, const unsigned char *in, sqlite3_int64 amount, sqlite3_int64 offset, sqlite3_int64 size) {
    struct records *r = &f->records;
    if (!keys_scratch(f, BATCH)) return SQLITE_IOERR_NOMEM;
    int result = SQLITE_OK;
    sqlite3_int64 begin_at = 0, filled = 0;
    unsigned char nonces[DRAWN][NONCE];
    size_t left = 0;
    while (amount > 0 && result == SQLITE_OK) {
        const sqlite3_int64 number = offset / r->size;
        const uint32_t at = (uint32_t)(offset % r->size);
        const uint32_t count = r->size - at < amount ? r->size - at : (uint32_t)amount;
        const unsigned char *from = in;
        uint32_t length = count;
        if (at > 0 || count < r->size) {
            result = hold(f, number, size);
            if (result != SQLITE_OK) break;
            memcpy(r->last + at, in, count);
            length = at + count > r->held_length ? at + count : r->held_length;
            r->held_length = length;
            from = r->last;
        } else if (r->held == number) r->held = -1;
        sqlite3_int64 to = place(r, number);
        if (filled && to - begin_at + sealed(r) > BATCH) {
            result = file_below_write(f, f->scratch, (int)filled, begin_at);
            filled = 0;
            if (result != SQLITE_OK) break;
        }
        if (!filled) begin_at = to;
        if (to - begin_at > filled) memset(f->scratch + filled, 0, (size_t)(to - begin_at - filled));
        if (left == 0) {
            const sqlite3_int64 more = (offset + amount - 1) / r->size - number + 1;
            left = more < DRAWN ? (size_t)more : DRAWN;
            if (!platform_random(nonces, left * NONCE)) return SQLITE_IOERR_WRITE;
        }
        result = seal_record(f, number, from, length, nonces[--left], f->scratch + (to - begin_at));
        filled = to - begin_at + length + SEAL;
        in += count;
        amount -= count;
        offset += count;
    }
    if (filled && result == SQLITE_OK) result = file_below_write(f, f->scratch, (int)filled, begin_at);
    if (result != SQLITE_OK) r->held = -1;
    return result;
}

static int records_write(file *f, const unsigned char *in, int amount, sqlite3_int64 offset) {
    static const unsigned char zeros[4096];
    struct records *r = &f->records;
    sqlite3_int64 size;
    if (offset > INT64_MAX / 4) return SQLITE_FULL;
    int result = load(f);
    /* SQLite writes the first header as a whole when a transaction begins, and in parts later. */
    const bool is_first = offset == 0 && (uint32_t)amount >= r->size;
    if (result == SQLITE_OK && !r->is_temporary && (!r->is_there || is_first)) result = begin(f);
    if (result == SQLITE_OK) result = records_size(f, &size);
    if (result != SQLITE_OK) return result;
    /* Up to where it is written: only the last record may be short. A temporary file has holes after that one. */
    sqlite3_int64 until = offset;
    sqlite3_int64 whole = (size + r->size - 1) / r->size * r->size;
    if (r->is_temporary && until > whole) until = whole;
    if (until > size + GAP) return SQLITE_IOERR_WRITE;
    while (result == SQLITE_OK && size < until) {
        sqlite3_int64 count = until - size < (sqlite3_int64)sizeof zeros ? until - size : (sqlite3_int64)sizeof zeros;
        result = write_on(f, zeros, count, size, size);
        size += count;
    }
    return result == SQLITE_OK ? write_on(f, in, amount, offset, size) : result;
}

static int records_read(file *f, unsigned char *out, int amount, sqlite3_int64 offset) {
    struct records *r = &f->records;
    sqlite3_int64 size;
    int result = records_size(f, &size);
    while (amount > 0 && result == SQLITE_OK && offset < size) {
        const sqlite3_int64 number = offset / r->size;
        const uint32_t at = (uint32_t)(offset % r->size), length = length_of(r, number, size);
        uint32_t count = length - at < (uint32_t)amount ? length - at : (uint32_t)amount;
        if (at == 0 && count == r->size && r->held != number) result = open_record(f, number, length, out);
        else if ((result = hold(f, number, size)) == SQLITE_OK) memcpy(out, r->last + at, count);
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
        r->held = -1;
        r->is_there = false;
        if (!r->is_temporary) keys_forget(f);
        return f->below->pMethods->xTruncate(f->below, 0);
    }
    const sqlite3_int64 number = to / r->size;
    const uint32_t part = (uint32_t)(to % r->size);
    if (part) result = hold(f, number, size);
    if (result == SQLITE_OK) {
        sqlite3_int64 end = part ? place(r, number) : place(r, number - 1) + sealed(r);
        result = f->below->pMethods->xTruncate(f->below, end);
    }
    if (result != SQLITE_OK || !part) {
        r->held = -1;
        return result;
    }
    r->held_length = part;
    unsigned char nonce[NONCE];
    if (!keys_scratch(f, BATCH)) return SQLITE_IOERR_NOMEM;
    if (!platform_random(nonce, sizeof nonce)) return SQLITE_IOERR_WRITE;
    result = seal_record(f, number, r->last, part, nonce, f->scratch);
    return result == SQLITE_OK ? file_below_write(f, f->scratch, (int)(part + SEAL), place(r, number)) : result;
}

static int records_flush(file *f) {
    (void)f;
    return SQLITE_OK;
}

const form records_form = {records_read, records_write, records_truncate, records_size, records_flush};
