#include "wal.h"
#include <process_memory.h>
#include <stdlib.h>

/* The beginning of a WAL: its preamble and SQLite's header. */

static bool set_page_size(file *f, uint32_t page) {
    struct wal *w = &f->wal;
    if (w->page_size == page && w->frame) return true;
    unsigned char *more = realloc(w->frame, page + FRAME_HEADER);
    if (!more) return false;
    w->frame = more;
    w->page_size = page;
    w->is_dirty = false;
    return true;
}

int wal_preamble_check(file *f) {
    struct wal *w = &f->wal;
    unsigned char now[PREAMBLE];
    int result = base_read(f, now, PREAMBLE, 0);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) return result;
    file *d = w->database;
    bool is_valid = result == SQLITE_OK && preamble_matches(now, PREAMBLE_WAL) && is_page_size(big32(now + 12));
    if (is_valid && d) {
        pthread_mutex_lock(&d->lock);
        int known = database_identify_locked(d);
        is_valid = known == SQLITE_OK && memcmp(now + 32, d->database.salt, SALT) == 0;
        pthread_mutex_unlock(&d->lock);
    }
    if (is_valid && w->is_valid && memcmp(now, w->preamble, PREAMBLE) == 0) return SQLITE_OK;
    keys_clear_locked(f);
    w->valid_frames = w->header_count = 0;
    w->is_valid = is_valid;
    if (!is_valid) return SQLITE_OK;
    memcpy(w->preamble, now, PREAMBLE);
    return set_page_size(f, big32(now + 12)) ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

int wal_preamble_recheck(file *f) {
    file *d = f->wal.database;
    bool unsure = !f->wal.is_valid;
    if (d && d->database.may_wal_be_restarted) {
        unsure = true;
        d->database.may_wal_be_restarted = false;
        f->wal.header_count = 0;
    }
    return unsure ? wal_preamble_check(f) : SQLITE_OK;
}

int wal_begin(file *f, const unsigned char *header) {
    struct wal *w = &f->wal;
    uint32_t page = big32(header + 8);
    unsigned char out[FIRST_FRAME], salt[SALT], *at = out + PREAMBLE;
    file *d = w->database;
    if (!is_page_size(page) || !d) return SQLITE_IOERR_WRITE;
    pthread_mutex_lock(&d->lock);
    int result = database_identify_locked(d);
    memcpy(salt, d->database.salt, SALT);
    d->database.may_wal_be_restarted = false;
    pthread_mutex_unlock(&d->lock);
    if (result != SQLITE_OK) return result;
    if (!set_page_size(f, page)) return SQLITE_IOERR_NOMEM;
    sealing_cipher_t *cipher;
    w->is_valid = w->is_dirty = false;
    w->valid_frames = w->header_count = 0;
    result = preamble_make_locked(f, w->preamble, PREAMBLE_WAL, page, salt);
    if (result == SQLITE_OK) result = preamble_cipher_locked(f, w->preamble, &cipher);
    if (result == SQLITE_OK && !process_random(at + WAL_HEADER, NONCE)) result = SQLITE_IOERR_WRITE;
    if (result == SQLITE_OK) result = record_seal(cipher, 0, header, WAL_HEADER, at);
    if (result != SQLITE_OK) return result;
    memcpy(out, w->preamble, PREAMBLE);
    result = base_write(f, out, FIRST_FRAME, 0);
    w->is_valid = result == SQLITE_OK;
    return result;
}

int wal_read_header(file *f, unsigned char out[WAL_HEADER]) {
    unsigned char at[WAL_HEADER + SEAL];
    int result = wal_preamble_check(f);
    memset(out, 0, WAL_HEADER);
    if (result != SQLITE_OK || !f->wal.is_valid) return result;
    result = base_read(f, at, sizeof at, PREAMBLE);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
    sealing_cipher_t *cipher;
    result = preamble_cipher_locked(f, f->wal.preamble, &cipher);
    /* A header that does not verify is left as zeros. */
    if (result == SQLITE_OK) (void)record_open(cipher, 0, at, WAL_HEADER, out);
    return result;
}
