#ifndef ENCRYPTED_WAL_H
#define ENCRYPTED_WAL_H
#include "internal.h"

/* A write-ahead log: the preamble, SQLite's WAL header as record 0, and for each frame its header as the next record,
 * then the page sealed as in the database. The two are separate because SQLite may rewrite either before it commits,
 * and so that a checkpoint copies pages without opening them. The salt changes whenever SQLite restarts the WAL, so
 * that older frames no longer verify.
 *
 * SQLite reads whole frames only to compute checksums: when a page was written twice in a transaction, and in
 * recovery. In the first case it gets the page sealed, and the stored header records that, so that recovery returns
 * the page sealed too. */

enum {
    WAL_HEADER = 32,
    FIRST_FRAME = PREAMBLE + WAL_HEADER + SEAL,
    PAGE_OFFSET = STORED_HEADER + SEAL,
    MAX_FRAMES = 1 << 30, /* the headers of a WAL are sealed under one key, each two or three times */
};

static inline uint32_t frame_size(const struct wal *w) { return FRAME_HEADER + w->page_size; }
static inline uint32_t sealed_size(const struct wal *w) { return PAGE_OFFSET + w->page_size; }
static inline sqlite3_int64 frame_offset(const struct wal *w, uint32_t frame) {
    return FIRST_FRAME + (sqlite3_int64)frame * sealed_size(w);
}

/* wal_header.c */
/* Read the preamble and check that it is of this database. */
int wal_preamble_check(file *f);
/* Before frames are written: load the preamble again if another connection may have restarted the WAL. */
int wal_preamble_recheck(file *f);
/* Start a WAL: preamble and header in one write. */
int wal_begin(file *f, const unsigned char *header);
/* SQLite's WAL header; zeros, which means an empty WAL, if there is none that verifies. */
int wal_read_header(file *f, unsigned char out[WAL_HEADER]);

/* wal_frames.c */
/* Open the header of a frame and, unless `page` is NULL, its page. If `still_sealed` is not NULL, the page is
 * returned sealed, and `*still_sealed` set, when the checksum covers the sealed page or this connection is recomputing it.
 * SQLITE_IOERR_SHORT_READ beyond the end, SQLITE_IOERR_DATA if the frame does not verify. */
int frame_open(file *f, uint32_t number, unsigned char head[STORED_HEADER], unsigned char *page, bool *still_sealed);
/* Seal and write the header of a frame, the page, or both. */
int frame_seal(file *f, uint32_t number, const unsigned char *header, const unsigned char *page);
/* Read a page sealed during a checkpoint, in which SQLite only writes it to the database. */
int frame_read_sealed(file *f, uint32_t number, unsigned char *out);

#endif
