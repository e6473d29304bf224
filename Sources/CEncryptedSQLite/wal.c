#include "wal.h"
#include <process_memory.h>
#include <stdlib.h>

/* The bytes of a WAL as SQLite sees them: the header and the frames, which it reads and writes in parts. */

/* Seal the buffered part of a frame; the rest of the frame stays as it was. */
static int wal_flush(file *f) {
    struct wal *w = &f->wal;
    if (!w->is_dirty) return SQLITE_OK;
    const uint32_t size = frame_size(w);
    w->is_dirty = false;
    unsigned char *header = w->from < FRAME_HEADER ? w->frame : NULL, *page = w->to > FRAME_HEADER ? w->frame + FRAME_HEADER : NULL;
    const bool is_part = (header && (w->from > 0 || w->to < FRAME_HEADER)) || (page && (w->from > FRAME_HEADER || w->to < size));
    if (is_part) {
        unsigned char *whole = calloc(1, size), head[STORED_HEADER] = {0};
        if (!whole) return SQLITE_IOERR_NOMEM;
        int result = SQLITE_IOERR_SHORT_READ;
        if (w->index < w->valid_frames) result = frame_open(f, w->index, head, page ? whole + FRAME_HEADER : NULL, NULL);
        memcpy(whole, head, FRAME_HEADER);
        memcpy(whole + w->from, w->frame + w->from, w->to - w->from);
        memcpy(w->frame, whole, size);
        process_zero(whole, size);
        free(whole);
        if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ && result != SQLITE_IOERR_DATA) return result;
    }
    return frame_seal(f, w->index, header, page);
}

static int write_part(file *f, uint32_t number, uint32_t at, const unsigned char *in, uint32_t count) {
    struct wal *w = &f->wal;
    int result = SQLITE_OK;
    if (w->is_dirty && (w->index != number || w->to != at)) result = wal_flush(f);
    if (result != SQLITE_OK) return result;
    if (at == FRAME_HEADER && count == w->page_size && (!w->is_dirty || w->from == 0)) {
        const unsigned char *header = w->is_dirty ? w->frame : NULL;
        w->is_dirty = false;
        return frame_seal(f, number, header, in);
    }
    if (!w->is_dirty) {
        w->is_dirty = true;
        w->index = number;
        w->from = at;
    }
    memcpy(w->frame + at, in, count);
    w->to = at + count;
    return w->to == frame_size(w) || number < w->valid_frames ? wal_flush(f) : SQLITE_OK;
}

static int wal_write(file *f, const unsigned char *in, int amount, sqlite3_int64 offset) {
    struct wal *w = &f->wal;
    if (offset == 0 && amount == WAL_HEADER) return wal_begin(f, in);
    int result = wal_preamble_recheck(f);
    if (result != SQLITE_OK) return result;
    if (!w->is_valid || offset < WAL_HEADER) return SQLITE_IOERR_WRITE;
    const uint32_t size = frame_size(w);
    if ((offset - WAL_HEADER) / size >= MAX_FRAMES) return SQLITE_FULL;
    uint32_t number = (uint32_t)((offset - WAL_HEADER) / size), at = (uint32_t)((offset - WAL_HEADER) % size);
    while (amount > 0 && result == SQLITE_OK) {
        uint32_t count = size - at < (uint32_t)amount ? size - at : (uint32_t)amount;
        result = write_part(f, number++, at, in, count);
        in += count;
        amount -= (int)count;
        at = 0;
    }
    return result;
}

/* Read a part of a frame. When it is read from its beginning, as recovery does, a frame that does not verify reads
 * as zeros and ends the WAL. A page read by itself must verify. */
static int read_frame(file *f, uint32_t number, uint32_t at, unsigned char *out, uint32_t count) {
    struct wal *w = &f->wal;
    const uint32_t page = w->page_size;
    const bool is_page = at == FRAME_HEADER && count == page, is_whole = at == 0 && count == frame_size(w);
    if (is_page && w->database && w->database->database.is_checkpointing) return frame_read_sealed(f, number, out);
    unsigned char head[STORED_HEADER], *more = NULL, *to = NULL;
    if (is_page) to = out;
    else if (is_whole) to = out + FRAME_HEADER;
    else if (at + count > FRAME_HEADER && !(to = more = malloc(page))) return SQLITE_IOERR_NOMEM;
    bool is_sealed = false, *sealed = is_whole ? &is_sealed : NULL;
    w->sealed_frame = 0;
    int result = frame_open(f, number, head, to, sealed);
    if (result == SQLITE_IOERR_DATA) {
        w->header_count = 0;
        result = wal_preamble_check(f);
        if (result == SQLITE_OK && w->is_valid && w->page_size == page) result = frame_open(f, number, head, to, sealed);
        else if (result == SQLITE_OK) result = SQLITE_IOERR_DATA;
    }
    if (result == SQLITE_IOERR_DATA && at == 0) {
        memset(head, 0, STORED_HEADER);
        if (to) memset(to, 0, page);
        is_sealed = false;
        result = SQLITE_OK;
    }
    if (result != SQLITE_OK) memset(out, 0, count);
    else {
        uint32_t before = at < FRAME_HEADER ? FRAME_HEADER - at : 0;
        if (before > count) before = count;
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): SQLite's buffer is never NULL */
        if (before) memcpy(out, head + at, before);
        if (more) memcpy(out + before, more + (at > FRAME_HEADER ? at - FRAME_HEADER : 0), count - before);
        if (is_sealed) w->sealed_frame = number + 1;
    }
    if (result == SQLITE_IOERR_DATA) report_later(f, ENCRYPTED_DAMAGED_PAGE, (uint64_t)number + 1);
    if (more) process_zero(more, page);
    free(more);
    return result;
}

static int wal_read(file *f, unsigned char *out, int amount, sqlite3_int64 offset) {
    struct wal *w = &f->wal;
    int result = wal_flush(f);
    if (result != SQLITE_OK) return result;
    if (offset < WAL_HEADER && offset + amount <= WAL_HEADER) {
        unsigned char header[WAL_HEADER];
        result = wal_read_header(f, header);
        memcpy(out, header + offset, (size_t)amount);
        return result;
    }
    if (!w->is_valid) result = wal_preamble_check(f);
    if (result != SQLITE_OK || !w->is_valid || offset < WAL_HEADER) {
        memset(out, 0, (size_t)amount);
        return result == SQLITE_OK ? SQLITE_IOERR_SHORT_READ : result;
    }
    const uint32_t size = frame_size(w);
    if ((offset - WAL_HEADER) / size >= UINT32_MAX - 2) return SQLITE_IOERR_READ;
    uint32_t number = (uint32_t)((offset - WAL_HEADER) / size), at = (uint32_t)((offset - WAL_HEADER) % size);
    while (amount > 0 && result == SQLITE_OK) {
        uint32_t count = size - at < (uint32_t)amount ? size - at : (uint32_t)amount;
        result = read_frame(f, number++, at, out, count);
        if (frame_size(w) != size) return SQLITE_IOERR_READ;
        out += count;
        amount -= (int)count;
        at = 0;
    }
    if (amount > 0) memset(out, 0, (size_t)amount);
    return result;
}

static int wal_size(file *f, sqlite3_int64 *size) {
    struct wal *w = &f->wal;
    sqlite3_int64 have;
    *size = 0;
    int result = wal_flush(f);
    if (result == SQLITE_OK && !w->is_valid) result = wal_preamble_check(f);
    if (result == SQLITE_OK) result = base_size(f, &have);
    if (result != SQLITE_OK || !w->is_valid || have < FIRST_FRAME) return result;
    *size = WAL_HEADER + (have - FIRST_FRAME) / sealed_size(w) * frame_size(w);
    return SQLITE_OK;
}

static int wal_truncate(file *f, sqlite3_int64 size) {
    struct wal *w = &f->wal;
    w->is_dirty = false;
    sqlite3_int64 end = 0, have;
    if (size >= WAL_HEADER && w->is_valid) end = frame_offset(w, (uint32_t)((size - WAL_HEADER) / frame_size(w)));
    int result = base_size(f, &have);
    if (result != SQLITE_OK || end >= have) return result;
    if (end == 0) {
        keys_clear_locked(f);
        w->is_valid = false;
        w->valid_frames = w->header_count = 0;
    }
    return f->base->pMethods->xTruncate(f->base, end);
}

static void wal_close(file *f) {
    if (f->wal.frame) process_zero(f->wal.frame, frame_size(&f->wal));
    free(f->wal.frame);
    free(f->wal.headers);
}

const file_kind wal_kind = {wal_read, wal_write, wal_truncate, wal_size, wal_flush, wal_close};
