#include "internal.h"
#include <stdlib.h>

/* A write-ahead log: the preamble, SQLite's header as record 0, and for each of its frames the frame's header as the next
 * record, then the page as it is to be in the database. Apart, because SQLite writes either anew before it commits; and so a
 * checkpoint copies pages without opening them. The salt is another whenever SQLite begins the log anew, so that frames of the
 * former one verify no more.
 *
 * SQLite reads whole frames for nothing but their checksums: when it makes them anew after a page was written twice, and in
 * recovery. The first time it gets the page sealed, and the header notes that: recovery then gives it out sealed, too. */

enum {
    HEADER = 32,
    FRAME = 24,
    FIRST = PREAMBLE + HEADER + SEAL,
    HEAD = FRAME + 1, /* a frame's header, and whether its checksum is of the sealed page */
    BEFORE = HEAD + SEAL,
    HEADS = 4096,
};

static inline uint32_t frame_size(const struct log *g) { return FRAME + g->page; }
static inline uint32_t sealed_size(const struct log *g) { return BEFORE + g->page; }
static inline sqlite3_int64 place(const struct log *g, uint32_t frame) {
    return FIRST + (sqlite3_int64)frame * sealed_size(g);
}

static int context(file *f, uint32_t *epoch, sealing_held_t **key) {
    unsigned char info[64 + PREAMBLE];
    if ((*key = keys_held(f, epoch))) return SQLITE_OK;
    return keys_find(f, epoch, info, preamble_info(info, f->log.preamble), key);
}

static int use(file *f, sealing_held_t **key) {
    uint32_t epoch = big32(f->log.preamble + 8);
    return context(f, &epoch, key);
}

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

/* Read the preamble: whether there is a log of this database. */
static int load(file *f) {
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

/* Before frames are written: the log may have been begun anew since this connection last wrote. */
static int make_sure(file *f) {
    file *d = f->log.database;
    bool unsure = !f->log.is_there;
    if (d && d->database.is_log_unsure) {
        unsure = true;
        d->database.is_log_unsure = false;
        f->log.heads = 0;
    }
    return unsure ? load(f) : SQLITE_OK;
}

static size_t extra(unsigned char out[8], uint64_t record) {
    put64(out, record);
    return 8;
}

/* Begin a log: preamble and header in one write. */
static int begin(file *f, const unsigned char *header) {
    struct log *g = &f->log;
    uint32_t page = big32(header + 8), epoch = 0;
    unsigned char out[FIRST], with[8];
    file *d = g->database;
    if (!is_page_size(page) || !d) return SQLITE_IOERR_WRITE;
    pthread_mutex_lock(&d->lock);
    int result = database_identify(d);
    unsigned char salt[SALT];
    memcpy(salt, d->database.salt, SALT);
    d->database.is_log_unsure = false;
    pthread_mutex_unlock(&d->lock);
    if (result != SQLITE_OK) return result;
    if (!set_page(f, page)) return SQLITE_IOERR_NOMEM;
    /* The epoch stands in what the key is made of: ask which is the newest first. */
    sealing_held_t *key;
    keys_forget(f);
    g->is_there = g->is_dirty = false;
    g->live = g->heads = 0;
    result = context(f, &epoch, &key);
    if (result == SQLITE_OK) result = preamble_make(g->preamble, KIND_LOG, epoch, page, salt);
    keys_forget(f);
    if (result == SQLITE_OK) result = use(f, &key);
    if (result == SQLITE_OK) result = keys_nonce(f, out + PREAMBLE + HEADER);
    if (result != SQLITE_OK) return result;
    memcpy(out, g->preamble, PREAMBLE);
    unsigned char *nonce = out + PREAMBLE + HEADER;
    if (!sealing_held_seal(key, nonce, with, extra(with, 0), header, HEADER, out + PREAMBLE, nonce + NONCE)) {
        return SQLITE_IOERR_WRITE;
    }
    result = file_below_write(f, out, FIRST, 0);
    g->is_there = result == SQLITE_OK;
    return result;
}

/* Open one record that was read to `at`, in place or elsewhere. */
static int open_record(file *f, uint64_t record, unsigned char *at, uint32_t length, unsigned char *out) {
    sealing_held_t *key;
    int result = use(f, &key);
    if (result != SQLITE_OK) return result;
    unsigned char with[8], *nonce = at + length;
    int32_t opened = sealing_held_open(key, nonce, with, extra(with, record), at, length, nonce + NONCE, out);
    return opened == SEALING_OK ? SQLITE_OK : SQLITE_IOERR_DATA;
}

static int seal_record(file *f, uint64_t record, const unsigned char *in, uint32_t length, unsigned char *at) {
    sealing_held_t *key;
    unsigned char with[8], *nonce = at + length;
    int result = use(f, &key);
    if (result == SQLITE_OK) result = keys_nonce(f, nonce);
    if (result != SQLITE_OK) return result;
    bool sealed = sealing_held_seal(key, nonce, with, extra(with, record), in, length, at, nonce + NONCE);
    return sealed ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

/* The page of a frame is sealed and opened as the database's, under its lock. */
static int with_database(
    file *f, int (*turn)(file *, uint32_t, const unsigned char *, unsigned char *), uint32_t page,
    const unsigned char *from, unsigned char *to) {
    file *d = f->log.database;
    if (!d) return SQLITE_IOERR_DATA;
    pthread_mutex_lock(&d->lock);
    keys_renew(d);
    int result = database_identify(d);
    if (result == SQLITE_OK && d->database.page != f->log.page) result = SQLITE_IOERR_DATA;
    if (result == SQLITE_OK) result = turn(d, page, from, to);
    pthread_mutex_unlock(&d->lock);
    return result;
}

/* The header of a frame that this connection wrote in its transaction, which nobody else can have changed. */
static unsigned char *own_head(struct log *g, uint32_t number) {
    return number >= g->begun && number - g->begun < g->heads ? g->head[number - g->begun] : NULL;
}

static void keep_head(struct log *g, uint32_t number, const unsigned char *head) {
    if (!g->head && !(g->head = malloc(sizeof *g->head * HEADS))) return;
    if (g->heads == 0) g->begun = number;
    unsigned char *own = own_head(g, number);
    if (!own && number == g->begun + g->heads && g->heads < HEADS) own = g->head[g->heads++];
    if (own) memcpy(own, head, HEAD);
}

/* Open the header of a frame and the page, where it is wanted; `sealed`: as it is, where the checksum is of that, or the
 * connection makes it anew. SQLITE_IOERR_SHORT_READ beyond the end, SQLITE_IOERR_DATA where it does not verify. */
static int open_frame(file *f, uint32_t number, unsigned char head[HEAD], unsigned char *page, bool *sealed) {
    struct log *g = &f->log;
    unsigned char *at, *own = own_head(g, number);
    if (!keys_scratch(f, sealed_size(g))) return SQLITE_IOERR_NOMEM;
    if (own && sealed && page) {
        memcpy(head, own, HEAD);
        *sealed = true;
        return file_below_read(f, page, (int)g->page, place(g, number) + BEFORE);
    }
    at = f->scratch;
    const uint32_t from = own ? BEFORE : 0, size = (page ? sealed_size(g) : BEFORE) - from;
    int result = size ? file_below_read(f, at + from, (int)size, place(g, number) + from) : SQLITE_OK;
    if (result != SQLITE_OK) return result;
    if (own) memcpy(head, own, HEAD);
    else result = open_record(f, (uint64_t)number + 1, at, HEAD, head);
    if (result != SQLITE_OK || !page) return result;
    if (sealed) *sealed = head[FRAME];
    if (sealed && *sealed) memcpy(page, at + BEFORE, g->page);
    else result = with_database(f, database_open, big32(head), at + BEFORE, page);
    return result;
}

/* Seal and write the header of a frame, the page, or both. */
static int seal_frame(file *f, uint32_t number, const unsigned char *header, const unsigned char *page) {
    struct log *g = &f->log;
    unsigned char head[HEAD] = {0};
    int result = SQLITE_OK;
    if (header) {
        memcpy(head, header, FRAME);
        head[FRAME] = !page && g->given == number + 1;
    } else result = open_frame(f, number, head, NULL, NULL);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_WRITE : result;
    if (!keys_scratch(f, sealed_size(g))) return SQLITE_IOERR_NOMEM;
    unsigned char *at = f->scratch;
    const uint32_t from = header ? 0 : BEFORE, size = (page ? sealed_size(g) : BEFORE) - from;
    if (header) result = seal_record(f, (uint64_t)number + 1, head, HEAD, at);
    if (result == SQLITE_OK && page) result = with_database(f, database_seal, big32(head), page, at + BEFORE);
    if (result != SQLITE_OK) return result;
    if (header) keep_head(g, number, head);
    g->given = 0;
    if (number >= g->live) g->live = number + 1;
    return file_below_write(f, at + from, (int)size, place(g, number) + from);
}

/* Seal what is held of a frame; what SQLite did not write of it stays as it was. */
static int log_flush(file *f) {
    struct log *g = &f->log;
    if (!g->is_dirty) return SQLITE_OK;
    const uint32_t size = frame_size(g);
    g->is_dirty = false;
    unsigned char *header = g->from < FRAME ? g->frame : NULL, *page = g->to > FRAME ? g->frame + FRAME : NULL;
    const bool is_part = (header && (g->from > 0 || g->to < FRAME)) || (page && (g->from > FRAME || g->to < size));
    if (is_part) {
        unsigned char *whole = calloc(1, size), head[HEAD] = {0};
        if (!whole) return SQLITE_IOERR_NOMEM;
        int result = SQLITE_IOERR_SHORT_READ;
        if (g->index < g->live) result = open_frame(f, g->index, head, page ? whole + FRAME : NULL, NULL);
        memcpy(whole, head, FRAME);
        memcpy(whole + g->from, g->frame + g->from, g->to - g->from);
        memcpy(g->frame, whole, size);
        platform_zero(whole, size);
        free(whole);
        if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ && result != SQLITE_IOERR_DATA) return result;
    }
    return seal_frame(f, g->index, header, page);
}

static int put(file *f, uint32_t number, uint32_t at, const unsigned char *in, uint32_t count) {
    struct log *g = &f->log;
    int result = SQLITE_OK;
    if (g->is_dirty && (g->index != number || g->to != at)) result = log_flush(f);
    if (result != SQLITE_OK) return result;
    if (at == FRAME && count == g->page && (!g->is_dirty || g->from == 0)) {
        const unsigned char *header = g->is_dirty ? g->frame : NULL;
        g->is_dirty = false;
        return seal_frame(f, number, header, in);
    }
    if (!g->is_dirty) {
        g->is_dirty = true;
        g->index = number;
        g->from = at;
    }
    memcpy(g->frame + at, in, count);
    g->to = at + count;
    return g->to == frame_size(g) || number < g->live ? log_flush(f) : SQLITE_OK;
}

static int log_write(file *f, const unsigned char *in, int amount, sqlite3_int64 offset) {
    struct log *g = &f->log;
    if (offset == 0 && amount == HEADER) return begin(f, in);
    int result = make_sure(f);
    if (result != SQLITE_OK) return result;
    if (!g->is_there || offset < HEADER) return SQLITE_IOERR_WRITE;
    const uint32_t size = frame_size(g);
    if ((offset - HEADER) / size >= UINT32_MAX - 2) return SQLITE_FULL;
    uint32_t number = (uint32_t)((offset - HEADER) / size), at = (uint32_t)((offset - HEADER) % size);
    while (amount > 0 && result == SQLITE_OK) {
        uint32_t count = size - at < (uint32_t)amount ? size - at : (uint32_t)amount;
        result = put(f, number++, at, in, count);
        in += count;
        amount -= (int)count;
        at = 0;
    }
    return result;
}

static int read_header(file *f, unsigned char *out, int amount) {
    unsigned char at[HEADER + SEAL], with[8];
    int result = load(f);
    memset(out, 0, (size_t)amount);
    if (result != SQLITE_OK || !f->log.is_there) return result;
    result = file_below_read(f, at, sizeof at, PREAMBLE);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
    sealing_held_t *key;
    result = use(f, &key);
    if (result != SQLITE_OK) return result;
    unsigned char *nonce = at + HEADER;
    /* A header that does not verify is none: the log holds nothing then. */
    int32_t opened = sealing_held_open(key, nonce, with, extra(with, 0), at, HEADER, nonce + NONCE, at);
    if (opened != SEALING_OK) return SQLITE_OK;
    memcpy(out, at, (size_t)amount);
    return SQLITE_OK;
}

/* During a checkpoint SQLite reads a page only to write it into the database: it gets it sealed. */
static int pass(file *f, uint32_t number, unsigned char *out) {
    const struct log *g = &f->log;
    struct database *d = &g->database->database;
    int result = file_below_read(f, out, (int)g->page, place(g, number) + BEFORE);
    if (result != SQLITE_OK) return SQLITE_IOERR_DATA;
    memcpy(d->passing, out + g->page - RESERVED, RESERVED);
    d->is_passing = true;
    return SQLITE_OK;
}

/* A piece of a frame. Read from its beginning, which recovery does, a frame that does not verify is zeros: the log ends before
 * it. A page that SQLite knows to be there must verify. */
static int read_frame(file *f, uint32_t number, uint32_t at, unsigned char *out, uint32_t count) {
    struct log *g = &f->log;
    const uint32_t page = g->page;
    const bool is_page = at == FRAME && count == page, is_whole = at == 0 && count == frame_size(g);
    if (is_page && g->database && g->database->database.is_checkpointing) return pass(f, number, out);
    unsigned char head[HEAD], *more = NULL, *to = NULL;
    if (is_page) to = out;
    else if (is_whole) to = out + FRAME;
    else if (at + count > FRAME && !(to = more = malloc(page))) return SQLITE_IOERR_NOMEM;
    bool is_sealed = false, *sealed = is_whole ? &is_sealed : NULL;
    g->given = 0;
    int result = open_frame(f, number, head, to, sealed);
    if (result == SQLITE_IOERR_DATA) {
        g->heads = 0;
        result = load(f);
        if (result == SQLITE_OK && g->is_there && g->page == page) result = open_frame(f, number, head, to, sealed);
        else if (result == SQLITE_OK) result = SQLITE_IOERR_DATA;
    }
    if (result == SQLITE_IOERR_DATA && at == 0) {
        memset(head, 0, HEAD);
        if (to) memset(to, 0, page);
        is_sealed = false;
        result = SQLITE_OK;
    }
    if (result != SQLITE_OK) memset(out, 0, count);
    else {
        uint32_t before = at < FRAME ? FRAME - at : 0;
        if (before > count) before = count;
        if (before) memcpy(out, head + at, before);
        if (more) memcpy(out + before, more + (at > FRAME ? at - FRAME : 0), count - before);
        if (is_sealed) g->given = number + 1;
    }
    if (result == SQLITE_IOERR_DATA) tell_later(f, ENCRYPTED_DAMAGED, (uint64_t)number + 1);
    if (more) platform_zero(more, page);
    free(more);
    return result;
}

static int log_read(file *f, unsigned char *out, int amount, sqlite3_int64 offset) {
    struct log *g = &f->log;
    int result = log_flush(f);
    if (result != SQLITE_OK) return result;
    if (offset < HEADER && offset + amount <= HEADER) {
        unsigned char header[HEADER];
        result = read_header(f, header, HEADER);
        memcpy(out, header + offset, (size_t)amount);
        return result;
    }
    if (!g->is_there) result = load(f);
    if (result != SQLITE_OK || !g->is_there || offset < HEADER) {
        memset(out, 0, (size_t)amount);
        return result == SQLITE_OK ? SQLITE_IOERR_SHORT_READ : result;
    }
    const uint32_t size = frame_size(g);
    if ((offset - HEADER) / size >= UINT32_MAX - 2) return SQLITE_IOERR_READ;
    uint32_t number = (uint32_t)((offset - HEADER) / size), at = (uint32_t)((offset - HEADER) % size);
    while (amount > 0 && result == SQLITE_OK) {
        uint32_t count = size - at < (uint32_t)amount ? size - at : (uint32_t)amount;
        result = read_frame(f, number++, at, out, count);
        if (frame_size(g) != size) return SQLITE_IOERR_READ;
        out += count;
        amount -= (int)count;
        at = 0;
    }
    if (amount > 0) memset(out, 0, (size_t)amount);
    return result;
}

static int log_size(file *f, sqlite3_int64 *size) {
    struct log *g = &f->log;
    sqlite3_int64 have;
    *size = 0;
    int result = log_flush(f);
    if (result == SQLITE_OK && !g->is_there) result = load(f);
    if (result == SQLITE_OK) result = file_below_size(f, &have);
    if (result != SQLITE_OK || !g->is_there || have < FIRST) return result;
    *size = HEADER + (have - FIRST) / sealed_size(g) * frame_size(g);
    return SQLITE_OK;
}

static int log_truncate(file *f, sqlite3_int64 size) {
    struct log *g = &f->log;
    g->is_dirty = false;
    sqlite3_int64 end = 0, have;
    if (size >= HEADER && g->is_there) end = place(g, (uint32_t)((size - HEADER) / frame_size(g)));
    int result = file_below_size(f, &have);
    if (result != SQLITE_OK || end >= have) return result;
    if (end == 0) {
        keys_forget(f);
        g->is_there = false;
        g->live = g->heads = 0;
    }
    return f->below->pMethods->xTruncate(f->below, end);
}

void log_close(file *f) {
    if (f->log.frame) platform_zero(f->log.frame, frame_size(&f->log));
    free(f->log.frame);
    free(f->log.head);
    f->log.frame = NULL;
    f->log.head = NULL;
}

const form log_form = {log_read, log_write, log_truncate, log_size, log_flush};
