#include "log.h"
#include <stdlib.h>

/* How a log begins: whose it is, and SQLite's header. */

static bool set_page(file *f, uint32_t page) {
    struct log *g = &f->log;
    if (g->page == page && g->frame) return true;
    unsigned char *more = realloc(g->frame, page + FRAME);
    if (!more) return false;
    g->frame = more;
    g->page = page;
    g->is_dirty = false;
    return true;
}

int log_load(file *f) {
    struct log *g = &f->log;
    unsigned char now[PREAMBLE];
    int result = file_below_read(f, now, PREAMBLE, 0);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) return result;
    file *d = g->database;
    bool is_there = result == SQLITE_OK && preamble_is(now, KIND_LOG) && is_page_size(big32(now + 12));
    if (is_there && d) {
        pthread_mutex_lock(&d->lock);
        int known = database_identify(d);
        is_there = known == SQLITE_OK && memcmp(now + 32, d->database.salt, SALT) == 0;
        pthread_mutex_unlock(&d->lock);
    }
    if (is_there && g->is_there && memcmp(now, g->preamble, PREAMBLE) == 0) return SQLITE_OK;
    keys_forget(f);
    g->live = g->heads = 0;
    g->is_there = is_there;
    if (!is_there) return SQLITE_OK;
    memcpy(g->preamble, now, PREAMBLE);
    return set_page(f, big32(now + 12)) ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

int log_make_sure(file *f) {
    file *d = f->log.database;
    bool unsure = !f->log.is_there;
    if (d && d->database.is_log_unsure) {
        unsure = true;
        d->database.is_log_unsure = false;
        f->log.heads = 0;
    }
    return unsure ? log_load(f) : SQLITE_OK;
}

int log_begin(file *f, const unsigned char *header) {
    struct log *g = &f->log;
    uint32_t page = big32(header + 8);
    unsigned char out[FIRST], salt[SALT], *at = out + PREAMBLE;
    file *d = g->database;
    if (!is_page_size(page) || !d) return SQLITE_IOERR_WRITE;
    pthread_mutex_lock(&d->lock);
    int result = database_identify(d);
    memcpy(salt, d->database.salt, SALT);
    d->database.is_log_unsure = false;
    pthread_mutex_unlock(&d->lock);
    if (result != SQLITE_OK) return result;
    if (!set_page(f, page)) return SQLITE_IOERR_NOMEM;
    sealing_held_t *key;
    g->is_there = g->is_dirty = false;
    g->live = g->heads = 0;
    result = preamble_make(f, g->preamble, KIND_LOG, page, salt);
    if (result == SQLITE_OK) result = preamble_key(f, g->preamble, &key);
    if (result == SQLITE_OK && !platform_random(at + HEADER, NONCE)) result = SQLITE_IOERR_WRITE;
    if (result == SQLITE_OK) result = record_seal(key, 0, header, HEADER, at);
    if (result != SQLITE_OK) return result;
    memcpy(out, g->preamble, PREAMBLE);
    result = file_below_write(f, out, FIRST, 0);
    g->is_there = result == SQLITE_OK;
    return result;
}

int log_read_header(file *f, unsigned char out[HEADER]) {
    unsigned char at[HEADER + SEAL];
    int result = log_load(f);
    memset(out, 0, HEADER);
    if (result != SQLITE_OK || !f->log.is_there) return result;
    result = file_below_read(f, at, sizeof at, PREAMBLE);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
    sealing_held_t *key;
    result = preamble_key(f, f->log.preamble, &key);
    /* What does not verify is left as zeros. */
    if (result == SQLITE_OK) (void)record_open(key, 0, at, HEADER, out);
    return result;
}
