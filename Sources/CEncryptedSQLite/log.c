#include "log.h"
#include <stdlib.h>

/* The bytes of a log as SQLite sees them: its header and the frames, which it writes and reads in pieces. */

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
        if (g->index < g->live) result = frame_open(f, g->index, head, page ? whole + FRAME : NULL, NULL);
        memcpy(whole, head, FRAME);
        memcpy(whole + g->from, g->frame + g->from, g->to - g->from);
        memcpy(g->frame, whole, size);
        platform_zero(whole, size);
        free(whole);
        if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ && result != SQLITE_IOERR_DATA) return result;
    }
    return frame_seal(f, g->index, header, page);
}

static int put(file *f, uint32_t number, uint32_t at, const unsigned char *in, uint32_t count) {
    struct log *g = &f->log;
    int result = SQLITE_OK;
    if (g->is_dirty && (g->index != number || g->to != at)) result = log_flush(f);
    if (result != SQLITE_OK) return result;
    if (at == FRAME && count == g->page && (!g->is_dirty || g->from == 0)) {
        const unsigned char *header = g->is_dirty ? g->frame : NULL;
        g->is_dirty = false;
        return frame_seal(f, number, header, in);
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
    if (offset == 0 && amount == HEADER) return log_begin(f, in);
    int result = log_make_sure(f);
    if (result != SQLITE_OK) return result;
    if (!g->is_there || offset < HEADER) return SQLITE_IOERR_WRITE;
    const uint32_t size = frame_size(g);
    if ((offset - HEADER) / size >= MOST) return SQLITE_FULL;
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

/* A piece of a frame. Read from its beginning, which recovery does, a frame that does not verify is zeros: the log ends before
 * it. A page that SQLite knows to be there must verify. */
static int read_frame(file *f, uint32_t number, uint32_t at, unsigned char *out, uint32_t count) {
    struct log *g = &f->log;
    const uint32_t page = g->page;
    const bool is_page = at == FRAME && count == page, is_whole = at == 0 && count == frame_size(g);
    if (is_page && g->database && g->database->database.is_checkpointing) return frame_pass(f, number, out);
    unsigned char head[HEAD], *more = NULL, *to = NULL;
    if (is_page) to = out;
    else if (is_whole) to = out + FRAME;
    else if (at + count > FRAME && !(to = more = malloc(page))) return SQLITE_IOERR_NOMEM;
    bool is_sealed = false, *sealed = is_whole ? &is_sealed : NULL;
    g->given = 0;
    int result = frame_open(f, number, head, to, sealed);
    if (result == SQLITE_IOERR_DATA) {
        g->heads = 0;
        result = log_load(f);
        if (result == SQLITE_OK && g->is_there && g->page == page) result = frame_open(f, number, head, to, sealed);
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
        result = log_read_header(f, header);
        memcpy(out, header + offset, (size_t)amount);
        return result;
    }
    if (!g->is_there) result = log_load(f);
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
    if (result == SQLITE_OK && !g->is_there) result = log_load(f);
    if (result == SQLITE_OK) result = file_below_size(f, &have);
    if (result != SQLITE_OK || !g->is_there || have < FIRST) return result;
    *size = HEADER + (have - FIRST) / sealed_size(g) * frame_size(g);
    return SQLITE_OK;
}

static int log_truncate(file *f, sqlite3_int64 size) {
    struct log *g = &f->log;
    g->is_dirty = false;
    sqlite3_int64 end = 0, have;
    if (size >= HEADER && g->is_there) end = frame_place(g, (uint32_t)((size - HEADER) / frame_size(g)));
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
