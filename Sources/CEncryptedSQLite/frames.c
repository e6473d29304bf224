#include "log.h"
#include <stdlib.h>

/* One frame of a log: its header, and its page as it is to be in the database. */

enum { HEADS = 4096 };

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

int frame_open(file *f, uint32_t number, unsigned char head[HEAD], unsigned char *page, bool *sealed) {
    struct log *g = &f->log;
    unsigned char *own = own_head(g, number);
    sealing_held_t *key;
    if (!keys_scratch(f, sealed_size(g))) return SQLITE_IOERR_NOMEM;
    if (own && sealed && page) {
        memcpy(head, own, HEAD);
        *sealed = true;
        return file_below_read(f, page, (int)g->page, frame_place(g, number) + BEFORE);
    }
    unsigned char *at = f->scratch;
    const uint32_t from = own ? BEFORE : 0, size = (page ? sealed_size(g) : BEFORE) - from;
    int result = size ? file_below_read(f, at + from, (int)size, frame_place(g, number) + from) : SQLITE_OK;
    if (result != SQLITE_OK) return result;
    if (own) memcpy(head, own, HEAD);
    else if ((result = preamble_key(f, g->preamble, &key)) == SQLITE_OK)
        result = record_open(key, (uint64_t)number + 1, at, HEAD, head);
    if (result != SQLITE_OK || !page) return result;
    if (sealed) *sealed = head[FRAME];
    if (sealed && *sealed) memcpy(page, at + BEFORE, g->page);
    else result = with_database(f, page_open, big32(head), at + BEFORE, page);
    return result;
}

int frame_seal(file *f, uint32_t number, const unsigned char *header, const unsigned char *page) {
    struct log *g = &f->log;
    unsigned char head[HEAD] = {0};
    sealing_held_t *key;
    int result = SQLITE_OK;
    if (header) {
        memcpy(head, header, FRAME);
        head[FRAME] = !page && g->given == number + 1;
    } else result = frame_open(f, number, head, NULL, NULL);
    if (result != SQLITE_OK) return result == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_WRITE : result;
    if (!keys_scratch(f, sealed_size(g))) return SQLITE_IOERR_NOMEM;
    unsigned char *at = f->scratch;
    const uint32_t from = header ? 0 : BEFORE, size = (page ? sealed_size(g) : BEFORE) - from;
    unsigned char nonces[2][NONCE];
    if (!platform_random(nonces, sizeof nonces)) return SQLITE_IOERR_WRITE;
    memcpy(at + HEAD, nonces[0], NONCE);
    memcpy(at + sealed_size(g) - RESERVED, nonces[1], NONCE);
    if (header) {
        result = preamble_key(f, g->preamble, &key);
        if (result == SQLITE_OK) result = record_seal(key, (uint64_t)number + 1, head, HEAD, at);
    }
    if (result == SQLITE_OK && page) result = with_database(f, page_seal, big32(head), page, at + BEFORE);
    if (result != SQLITE_OK) return result;
    if (header) keep_head(g, number, head);
    g->given = 0;
    if (number >= g->live) g->live = number + 1;
    return file_below_write(f, at + from, (int)size, frame_place(g, number) + from);
}

int frame_pass(file *f, uint32_t number, unsigned char *out) {
    const struct log *g = &f->log;
    struct database *d = &g->database->database;
    int result = file_below_read(f, out, (int)g->page, frame_place(g, number) + BEFORE);
    if (result != SQLITE_OK) return SQLITE_IOERR_DATA;
    memcpy(d->passing, out + g->page - RESERVED, RESERVED);
    d->is_passing = true;
    return SQLITE_OK;
}
