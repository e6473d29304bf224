#include "internal.h"
#include <process_memory.h>

/* A main database: encrypted pages. SQLite reads and writes whole pages, except that it reads parts of the first
 * one. */

int database_identify_locked(file *f) {
    struct database *d = &f->database;
    if (d->is_identified) return SQLITE_OK;
    unsigned char head[CLEARTEXT];
    int result = base_read(f, head, CLEARTEXT, 0);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) return result;
    if (is_zero(head, SALT)) {
        if (d->has_salt) return SQLITE_OK;
        memcpy(d->salt, page_magic, MAGIC);
        if (!process_random(d->salt + MAGIC, SALT - MAGIC)) return SQLITE_IOERR_READ;
        d->has_salt = true;
        return SQLITE_OK;
    }
    uint32_t page = header_page_size(head);
    if (memcmp(head, page_magic, MAGIC) != 0 || !is_page_size(page) || head[20] != RESERVED) {
        report_later(f, ENCRYPTED_UNKNOWN_FORMAT, 1);
        return SQLITE_NOTADB;
    }
    if (!d->has_salt || memcmp(d->salt, head, SALT) != 0) keys_clear_locked(f);
    memcpy(d->salt, head, SALT);
    d->page_size = page;
    d->has_salt = d->is_identified = true;
    return SQLITE_OK;
}

/* Read and open a page. A page beyond the end of the file is zeros, unless the first page counts it. */
static int read_page(file *f, uint32_t number, unsigned char *page) {
    struct database *d = &f->database;
    for (int attempt = 0;; attempt++) {
        const sqlite3_int64 at = (sqlite3_int64)(number - 1) * d->page_size;
        int result = base_read(f, page, (int)d->page_size, at);
        if (result == SQLITE_IOERR_SHORT_READ) {
            memset(page, 0, d->page_size);
            if (number > d->page_count || number == 1) return result;
            result = SQLITE_IOERR_DATA;
        } else if (result == SQLITE_OK) {
            if (number == 1 && d->is_identified && memcmp(page, d->salt, SALT) != 0) {
                d->is_identified = false;
                result = database_identify_locked(f);
                if (result != SQLITE_OK) return result;
            }
            result = page_open_locked(f, number, page, page);
            if (result == SQLITE_OK && number == 1) d->page_count = big32(page + 28);
        }
        if (result != SQLITE_IOERR_DATA) return result;
        /* Another process may have recreated the file with another salt. */
        unsigned char salt[SALT];
        memcpy(salt, d->salt, SALT);
        d->is_identified = false;
        const uint32_t size = d->page_size;
        result = database_identify_locked(f);
        if (result != SQLITE_OK) return result;
        if (attempt == 0 && memcmp(salt, d->salt, SALT) != 0 && size == d->page_size) continue;
        report_later(f, ENCRYPTED_DAMAGED_PAGE, number);
        return SQLITE_IOERR_DATA;
    }
}

/* SQLite reads the first 100 bytes before it holds a lock. If the page is being written, or is to be repaired from a
 * journal, only its cleartext bytes are returned. */
static int read_header(file *f, unsigned char *out, int amount) {
    struct database *d = &f->database;
    if (!scratch_reserve(f, d->page_size)) return SQLITE_IOERR_NOMEM;
    unsigned char *page = f->scratch;
    int result = read_page(f, 1, page);
    if (result == SQLITE_IOERR_DATA && !d->is_locked) {
        f->report = 0;
        memset(page, 0, (size_t)amount);
        result = base_read(f, page, CLEARTEXT, 0);
        memcpy(page, sqlite_magic, PLAIN_MAGIC);
    }
    if (result == SQLITE_OK) memcpy(out, page, (size_t)amount);
    process_zero(page, d->page_size);
    return result;
}

static int database_read(file *f, unsigned char *out, int amount, sqlite3_int64 offset) {
    struct database *d = &f->database;
    int result = database_identify_locked(f);
    if (result != SQLITE_OK) return result;
    if (!d->page_size || (!d->is_identified && offset < CLEARTEXT)) {
        memset(out, 0, (size_t)amount);
        return SQLITE_IOERR_SHORT_READ;
    }
    const uint32_t size = d->page_size;
    if (offset / size >= UINT32_MAX - 1) return SQLITE_IOERR_READ;
    uint32_t number = (uint32_t)(offset / size) + 1, at = (uint32_t)(offset % size);
    if (at == 0 && (uint32_t)amount == size) return read_page(f, number, out);
    if (offset == 0 && (uint32_t)amount <= size) return read_header(f, out, amount);
    if (!scratch_reserve(f, size)) return SQLITE_IOERR_NOMEM;
    while (amount > 0 && result == SQLITE_OK) {
        uint32_t count = size - at < (uint32_t)amount ? size - at : (uint32_t)amount;
        result = read_page(f, number++, f->scratch);
        memcpy(out, f->scratch + at, count);
        process_zero(f->scratch, size);
        if (f->database.page_size != size) return SQLITE_IOERR_READ;
        out += count;
        amount -= (int)count;
        at = 0;
    }
    if (amount > 0) memset(out, 0, (size_t)amount);
    return result;
}

static int write_page(file *f, uint32_t number, const unsigned char *in) {
    const uint32_t size = f->database.page_size;
    if (!scratch_reserve(f, size)) return SQLITE_IOERR_NOMEM;
    if (!process_random(f->scratch + size - RESERVED, NONCE)) return SQLITE_IOERR_WRITE;
    int result = page_seal_locked(f, number, in, f->scratch);
    return result == SQLITE_OK ? base_write(f, f->scratch, (int)size, (sqlite3_int64)(number - 1) * size) : result;
}

/* Seal pages of zeros where SQLite skips pages: zeros in the file would not verify. Page 1 is skipped, since writing
 * it would make the file look initialised. */
static int fill_to(file *f, sqlite3_int64 until) {
    static const unsigned char zeros[MAX_PAGE_SIZE];
    struct database *d = &f->database;
    const uint32_t size = d->page_size;
    if (until <= d->known_size) return SQLITE_OK;
    int result = base_size(f, &d->known_size);
    if (result != SQLITE_OK) return result;
    sqlite3_int64 next = (d->known_size + size - 1) / size;
    if (next == 0) next = 1;
    for (; result == SQLITE_OK && next < until / size; next++) {
        result = write_page(f, (uint32_t)next + 1, zeros);
        if (result == SQLITE_OK) d->known_size = (next + 1) * size;
    }
    return result;
}

/* Whether a checkpoint writes a page that wal_read returned sealed. Its end equals copied_seal; in a plain page the
 * reserved bytes are zeros. */
static bool is_copied_page(const struct database *d, uint32_t number, const unsigned char *in) {
    if (!d->is_copying || memcmp(in + d->page_size - RESERVED, d->copied_seal, RESERVED) != 0) return false;
    return number != 1 || memcmp(in, d->salt, SALT) == 0;
}

static int database_write(file *f, const unsigned char *in, int amount, sqlite3_int64 offset) {
    struct database *d = &f->database;
    int result = database_identify_locked(f);
    if (result != SQLITE_OK) return result;
    if (!d->is_identified && is_page_size((uint32_t)amount) && offset % amount == 0) d->page_size = (uint32_t)amount;
    if (!d->page_size || (uint32_t)amount != d->page_size || offset % amount != 0) {
        report_later(f, ENCRYPTED_BAD_LAYOUT, 0);
        return SQLITE_IOERR_WRITE;
    }
    if (offset / amount >= UINT32_MAX - 1) return SQLITE_FULL;
    const uint32_t number = (uint32_t)(offset / amount) + 1;
    result = fill_to(f, offset);
    if (result == SQLITE_OK && is_copied_page(d, number, in)) {
        result = base_write(f, in, amount, offset);
        if (number == 1) d->page_count = 0; /* unknown */
    } else if (result == SQLITE_OK) {
        result = write_page(f, number, in);
        if (result == SQLITE_OK && number == 1) {
            d->is_identified = true;
            d->page_count = big32(in + 28);
        }
    }
    d->is_copying = false;
    if (result == SQLITE_OK && d->known_size < offset + amount) d->known_size = offset + amount;
    return result;
}

static int database_truncate(file *f, sqlite3_int64 size) {
    struct database *d = &f->database;
    sqlite3_int64 have;
    int result = base_size(f, &have);
    if (result != SQLITE_OK) return result;
    if (size > have) {
        result = database_identify_locked(f);
        return result == SQLITE_OK && d->page_size ? fill_to(f, size) : result;
    }
    d->known_size = 0;
    if (size == 0) d->is_identified = false;
    if (d->page_size && size / d->page_size < d->page_count) d->page_count = (uint32_t)(size / d->page_size);
    return f->base->pMethods->xTruncate(f->base, size);
}

int database_former_pages_locked(file *f, uint32_t *count) {
    struct database *d = &f->database;
    *count = 0;
    int result = database_identify_locked(f);
    if (result != SQLITE_OK || !d->is_identified) return result;
    uint32_t newest = 0;
    sealing_cipher_t *cipher;
    sqlite3_int64 have;
    result = page_cipher_locked(f, &newest, &cipher);
    if (result == SQLITE_OK) result = base_size(f, &have);
    for (sqlite3_int64 end = d->page_size; result == SQLITE_OK && end <= have; end += d->page_size) {
        unsigned char epoch[4];
        result = base_read(f, epoch, sizeof epoch, end - (sqlite3_int64)sizeof epoch);
        if (result == SQLITE_OK && big32(epoch) != newest) ++*count;
    }
    return result;
}

static int database_size(file *f, sqlite3_int64 *size) { return base_size(f, size); }
static int database_flush(file *f) {
    (void)f;
    return SQLITE_OK;
}

static void database_close(file *f) { (void)f; }

const file_kind database_kind = {
    database_read, database_write, database_truncate, database_size, database_flush, database_close,
};

/* For a new database: reserve room for nonce and tag in its pages before SQLite fills them. Its schema is the one from
 * which a file control arrives here. SQLITE_FCNTL_FILE_POINTER would return the file object of a VFS above this one. */
void database_set_reserved_bytes(file *f) {
    const sqlite_functions *l = &f->vfs->sqlite;
    sqlite3 *connection = connections_handle(f);
    if (!connection) return;
    for (int i = 0; i < 130; i++) {
        const char *name = l->db_name ? l->db_name(connection, i) : NULL;
        if (i > 0 && !name) return;
        file *reached = NULL;
        if (l->file_control(connection, name, FCNTL_ENCRYPTED_FILE, &reached) != SQLITE_OK || reached != f) continue;
        int bytes = RESERVED;
        l->file_control(connection, name, SQLITE_FCNTL_RESERVE_BYTES, &bytes);
        return;
    }
}
