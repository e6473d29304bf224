#include "wal.h"
#include <process_memory.h>
#include <stdlib.h>

/* A frame of a WAL: its header, and its page sealed as in the database. */

enum { MAX_HEADERS = 4096 };

/* Seal or open the page of a frame as a page of the database, under that file's lock. */
static int with_database(
    file *f, int (*operation)(file *, uint32_t, const unsigned char *, unsigned char *), uint32_t page, const unsigned char *from,
    unsigned char *to) {
    file *d = f->wal.database;
    if (!d) return SQLITE_IOERR_DATA;
    pthread_mutex_lock(&d->lock);
    keys_refresh_locked(d);
    int result = database_identify_locked(d);
    if (result == SQLITE_OK && d->database.page_size != f->wal.page_size) result = SQLITE_IOERR_DATA;
    if (result == SQLITE_OK) result = operation(d, page, from, to);
    pthread_mutex_unlock(&d->lock);
    return result;
}

/* The header of a frame that this connection has written in its transaction; no other connection can have changed
 * it. */
static unsigned char *own_header(struct wal *w, uint32_t number) {
    return number >= w->first_header && number - w->first_header < w->header_count ? w->headers[number - w->first_header] : NULL;
}

static void remember_header(struct wal *w, uint32_t number, const unsigned char *head) {
    if (!w->headers && !(w->headers = malloc(sizeof *w->headers * MAX_HEADERS))) return;
    if (w->header_count == 0) w->first_header = number;
    unsigned char *own = own_header(w, number);
    if (!own && number == w->first_header + w->header_count && w->header_count < MAX_HEADERS) own = w->headers[w->header_count++];
    if (own) memcpy(own, head, STORED_HEADER);
}

int frame_open(file *f, uint32_t number, unsigned char head[STORED_HEADER], unsigned char *page, bool *still_sealed) {
    struct wal *w = &f->wal;
    unsigned char *own = own_header(w, number);
    sealing_cipher_t *cipher;
    if (!scratch_reserve(f, sealed_size(w))) return SQLITE_IOERR_NOMEM;
    if (own && still_sealed && page) {
        memcpy(head, own, STORED_HEADER);
        *still_sealed = true;
        return base_read(f, page, (int)w->page_size, frame_offset(w, number) + PAGE_OFFSET);
    }
    unsigned char *at = f->scratch;
    const uint32_t from = own ? PAGE_OFFSET : 0, size = (page ? sealed_size(w) : PAGE_OFFSET) - from;
    int result = size ? base_read(f, at + from, (int)size, frame_offset(w, number) + from) : SQLITE_OK;
    if (result != SQLITE_OK) return result;
    if (own) memcpy(head, own, STORED_HEADER);
    else if ((result = preamble_cipher_locked(f, w->preamble, &cipher)) == SQLITE_OK)
        result = record_open(cipher, (uint64_t)number + 1, at, STORED_HEADER, head);
    if (result != SQLITE_OK || !page) return result;
    if (still_sealed) *still_sealed = head[FRAME_HEADER];
    if (still_sealed && *still_sealed) memcpy(page, at + PAGE_OFFSET, w->page_size);
    else result = with_database(f, page_open_locked, big32(head), at + PAGE_OFFSET, page);
    return result;
}

int frame_seal(file *f, uint32_t number, const unsigned char *header, const unsigned char *page) {
    struct wal *w = &f->wal;
    unsigned char head[STORED_HEADER] = {0};
    sealing_cipher_t *cipher;
    int result = SQLITE_OK;
    if (header) {
        memcpy(head, header, FRAME_HEADER);
        head[FRAME_HEADER] = !page && w->sealed_frame == number + 1;
    } else result = frame_open(f, number, head, NULL, NULL);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_WRITE : result;
    if (!scratch_reserve(f, sealed_size(w))) return SQLITE_IOERR_NOMEM;
    unsigned char *at = f->scratch;
    const uint32_t from = header ? 0 : PAGE_OFFSET, size = (page ? sealed_size(w) : PAGE_OFFSET) - from;
    unsigned char nonces[2][NONCE];
    if (!process_random(nonces, sizeof nonces)) return SQLITE_IOERR_WRITE;
    memcpy(at + STORED_HEADER, nonces[0], NONCE);
    memcpy(at + sealed_size(w) - RESERVED, nonces[1], NONCE);
    if (header) {
        result = preamble_cipher_locked(f, w->preamble, &cipher);
        if (result == SQLITE_OK) result = record_seal(cipher, (uint64_t)number + 1, head, STORED_HEADER, at);
    }
    if (result == SQLITE_OK && page) result = with_database(f, page_seal_locked, big32(head), page, at + PAGE_OFFSET);
    if (result != SQLITE_OK) return result;
    if (header) remember_header(w, number, head);
    w->sealed_frame = 0;
    if (number >= w->valid_frames) w->valid_frames = number + 1;
    return base_write(f, at + from, (int)size, frame_offset(w, number) + from);
}

int frame_read_sealed(file *f, uint32_t number, unsigned char *out) {
    const struct wal *w = &f->wal;
    struct database *d = &w->database->database;
    int result = base_read(f, out, (int)w->page_size, frame_offset(w, number) + PAGE_OFFSET);
    if (result != SQLITE_OK) return SQLITE_IOERR_DATA;
    memcpy(d->copied_seal, out + w->page_size - RESERVED, RESERVED);
    d->is_copying = true;
    return SQLITE_OK;
}
