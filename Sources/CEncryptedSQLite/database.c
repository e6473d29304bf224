#include "internal.h"

/* The bytes of a database as SQLite sees them: pages, of which it reads the first one in pieces. */

int database_identify(file *f) {
    struct database *d = &f->database;
    if (d->is_known) return SQLITE_OK;
    unsigned char head[CLEAR];
    int result = file_below_read(f, head, CLEAR, 0);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) return result;
    if (is_zero(head, SALT)) {
        if (d->has_salt) return SQLITE_OK;
        memcpy(d->salt, page_magic, MAGIC);
        if (!platform_random(d->salt + MAGIC, SALT - MAGIC)) return SQLITE_IOERR_READ;
        d->has_salt = true;
        return SQLITE_OK;
    }
    uint32_t page = header_page_size(head);
    if (memcmp(head, page_magic, MAGIC) != 0 || !is_page_size(page) || head[20] != RESERVED) {
        tell_later(f, ENCRYPTED_FOREIGN, 1);
        return SQLITE_NOTADB;
    }
    if (!d->has_salt || memcmp(d->salt, head, SALT) != 0) keys_forget(f);
    memcpy(d->salt, head, SALT);
    d->page = page;
    d->has_salt = d->is_known = true;
    return SQLITE_OK;
}

/* Read and open page `number` into `page`. Beyond the end a page is zeros, unless the first page counts it. */
static int read_page(file *f, uint32_t number, unsigned char *page) {
    struct database *d = &f->database;
    for (int turn = 0;; turn++) {
        const sqlite3_int64 at = (sqlite3_int64)(number - 1) * d->page;
        int result = file_below_read(f, page, (int)d->page, at);
        if (result == SQLITE_IOERR_SHORT_READ) {
            memset(page, 0, d->page);
            if (number > d->pages || number == 1) return result;
            result = SQLITE_IOERR_DATA;
        } else if (result == SQLITE_OK) {
            if (number == 1 && d->is_known && memcmp(page, d->salt, SALT) != 0) {
                d->is_known = false;
                result = database_identify(f);
                if (result != SQLITE_OK) return result;
            }
            result = page_open(f, number, page, page);
            if (result == SQLITE_OK && number == 1) d->pages = big32(page + 28);
        }
        if (result != SQLITE_IOERR_DATA) return result;
        /* Has the file been begun anew, under another salt? */
        unsigned char salt[SALT];
        memcpy(salt, d->salt, SALT);
        d->is_known = false;
        const uint32_t size = d->page;
        result = database_identify(f);
        if (result != SQLITE_OK) return result;
        if (turn == 0 && memcmp(salt, d->salt, SALT) != 0 && size == d->page) continue;
        tell_later(f, ENCRYPTED_DAMAGED, number);
        return SQLITE_IOERR_DATA;
    }
}

/* SQLite looks at the first 100 bytes before it holds a lock: a page that is just being written, or that a journal is to
 * repair, is then told by what it has in the clear. */
static int read_header(file *f, unsigned char *out, int amount) {
    struct database *d = &f->database;
    if (!keys_scratch(f, d->page)) return SQLITE_IOERR_NOMEM;
    unsigned char *page = f->scratch;
    int result = read_page(f, 1, page);
    if (result == SQLITE_IOERR_DATA && !d->is_locked) {
        f->event = 0;
        memset(page, 0, (size_t)amount);
        result = file_below_read(f, page, CLEAR, 0);
        memcpy(page, page_plain, SALT);
    }
    if (result == SQLITE_OK) memcpy(out, page, (size_t)amount);
    platform_zero(page, d->page);
    return result;
}

static int database_read(file *f, unsigned char *out, int amount, sqlite3_int64 offset) {
    struct database *d = &f->database;
    int result = database_identify(f);
    if (result != SQLITE_OK) return result;
    if (!d->page || (!d->is_known && offset < CLEAR)) {
        memset(out, 0, (size_t)amount);
        return SQLITE_IOERR_SHORT_READ;
    }
    const uint32_t size = d->page;
    if (offset / size >= UINT32_MAX - 1) return SQLITE_IOERR_READ;
    uint32_t number = (uint32_t)(offset / size) + 1, at = (uint32_t)(offset % size);
    if (at == 0 && (uint32_t)amount == size) return read_page(f, number, out);
    if (offset == 0 && (uint32_t)amount <= size) return read_header(f, out, amount);
    if (!keys_scratch(f, size)) return SQLITE_IOERR_NOMEM;
    while (amount > 0 && result == SQLITE_OK) {
        uint32_t count = size - at < (uint32_t)amount ? size - at : (uint32_t)amount;
        result = read_page(f, number++, f->scratch);
        memcpy(out, f->scratch + at, count);
        platform_zero(f->scratch, size);
        if (f->database.page != size) return SQLITE_IOERR_READ;
        out += count;
        amount -= (int)count;
        at = 0;
    }
    if (amount > 0) memset(out, 0, (size_t)amount);
    return result;
}

static int write_page(file *f, uint32_t number, const unsigned char *in) {
    const uint32_t size = f->database.page;
    if (!keys_scratch(f, size)) return SQLITE_IOERR_NOMEM;
    if (!platform_random(f->scratch + size - RESERVED, NONCE)) return SQLITE_IOERR_WRITE;
    int result = page_seal(f, number, in, f->scratch);
    return result == SQLITE_OK ? file_below_write(f, f->scratch, (int)size, (sqlite3_int64)(number - 1) * size) : result;
}

/* Pages that SQLite leaves out, because nothing is in them, are sealed zeros: a page of zeros on disk is a damaged one. Page 1
 * is left, or the file would look begun. */
static int fill(file *f, sqlite3_int64 until) {
    static const unsigned char zeros[LARGEST];
    struct database *d = &f->database;
    const uint32_t size = d->page;
    if (until <= d->have) return SQLITE_OK;
    int result = file_below_size(f, &d->have);
    if (result != SQLITE_OK) return result;
    sqlite3_int64 next = (d->have + size - 1) / size;
    if (next == 0) next = 1;
    for (; result == SQLITE_OK && next < until / size; next++) {
        result = write_page(f, (uint32_t)next + 1, zeros);
        if (result == SQLITE_OK) d->have = (next + 1) * size;
    }
    return result;
}

/* A page on its way from the log, as it is: log_read gave it out sealed. What is at its end tells so; in a page of SQLite's
 * own there are zeros. */
static bool is_passing(const struct database *d, uint32_t number, const unsigned char *in) {
    if (!d->is_passing || memcmp(in + d->page - RESERVED, d->passing, RESERVED) != 0) return false;
    return number != 1 || memcmp(in, d->salt, SALT) == 0;
}

static int database_write(file *f, const unsigned char *in, int amount, sqlite3_int64 offset) {
    struct database *d = &f->database;
    int result = database_identify(f);
    if (result != SQLITE_OK) return result;
    if (!d->is_known && is_page_size((uint32_t)amount) && offset % amount == 0) d->page = (uint32_t)amount;
    if (!d->page || (uint32_t)amount != d->page || offset % amount != 0) {
        tell_later(f, ENCRYPTED_LAYOUT, 0);
        return SQLITE_IOERR_WRITE;
    }
    if (offset / amount >= UINT32_MAX - 1) return SQLITE_FULL;
    const uint32_t number = (uint32_t)(offset / amount) + 1;
    result = fill(f, offset);
    if (result == SQLITE_OK && is_passing(d, number, in)) {
        result = file_below_write(f, in, amount, offset);
        if (number == 1) d->pages = 0; /* nobody has looked */
    } else if (result == SQLITE_OK) {
        result = write_page(f, number, in);
        if (result == SQLITE_OK && number == 1) {
            d->is_known = true;
            d->pages = big32(in + 28);
        }
    }
    d->is_passing = false;
    if (result == SQLITE_OK && d->have < offset + amount) d->have = offset + amount;
    return result;
}

static int database_truncate(file *f, sqlite3_int64 size) {
    struct database *d = &f->database;
    sqlite3_int64 have;
    int result = file_below_size(f, &have);
    if (result != SQLITE_OK) return result;
    if (size > have) {
        result = database_identify(f);
        return result == SQLITE_OK && d->page ? fill(f, size) : result;
    }
    d->have = 0;
    if (size == 0) d->is_known = false;
    if (d->page && size / d->page < d->pages) d->pages = (uint32_t)(size / d->page);
    return f->below->pMethods->xTruncate(f->below, size);
}

/* How many pages another key than the newest seals. */
int database_former(file *f, uint32_t *count) {
    struct database *d = &f->database;
    *count = 0;
    int result = database_identify(f);
    if (result != SQLITE_OK || !d->is_known) return result;
    uint32_t newest = 0;
    sealing_held_t *key;
    sqlite3_int64 have;
    result = page_key(f, &newest, &key);
    if (result == SQLITE_OK) result = file_below_size(f, &have);
    for (sqlite3_int64 end = d->page; result == SQLITE_OK && end <= have; end += d->page) {
        unsigned char epoch[4];
        result = file_below_read(f, epoch, sizeof epoch, end - (sqlite3_int64)sizeof epoch);
        if (result == SQLITE_OK && big32(epoch) != newest) ++*count;
    }
    return result;
}

static int database_size(file *f, sqlite3_int64 *size) { return file_below_size(f, size); }
static int database_flush(file *f) {
    (void)f;
    return SQLITE_OK;
}

const form database_form = {database_read, database_write, database_truncate, database_size, database_flush};

/* A new database: its pages must have room for nonce and tag before SQLite fills them. Its name in the connection is the one
 * whose file this is. */
void database_reserve(file *f) {
    const library *l = &f->system->library;
    sqlite3 *connection = f->connection.handle ? *f->connection.handle : NULL;
    if (!connection) return;
    for (int i = 0; i < 130; i++) {
        const char *name = l->schema ? l->schema(connection, i) : NULL;
        if (i > 0 && !name) return;
        sqlite3_file *of = NULL;
        if (l->control(connection, name, SQLITE_FCNTL_FILE_POINTER, &of) != SQLITE_OK || of != &f->base) continue;
        int bytes = RESERVED;
        l->control(connection, name, SQLITE_FCNTL_RESERVE_BYTES, &bytes);
        return;
    }
}
