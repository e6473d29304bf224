#ifndef ENCRYPTED_LOG_H
#define ENCRYPTED_LOG_H
#include "internal.h"

/* A write-ahead log: the preamble, SQLite's header as record 0, and for each of its frames the frame's header as the next
 * record, then the page as it is to be in the database. Apart, because SQLite writes either anew before it commits; and so a
 * checkpoint copies pages without opening them. The salt is another whenever SQLite begins the log anew, so that frames of the
 * former one verify no more.
 *
 * SQLite reads whole frames for nothing but their checksums: when it makes them anew after a page was written twice, and in
 * recovery. The first time it gets the page sealed, and the header notes that: recovery then gives it out sealed, too. */

enum {
    HEADER = 32,
    FIRST = PREAMBLE + HEADER + SEAL,
    BEFORE = HEAD + SEAL,
    MOST = 1 << 30, /* frames of a log, whose headers are sealed under one key; two or three times each */
};

static inline uint32_t frame_size(const struct log *g) { return FRAME + g->page; }
static inline uint32_t sealed_size(const struct log *g) { return BEFORE + g->page; }
static inline sqlite3_int64 frame_place(const struct log *g, uint32_t frame) {
    return FIRST + (sqlite3_int64)frame * sealed_size(g);
}

/* log_header.c */
/* Read the preamble: whether there is a log of this database. */
int log_load(file *f);
/* Before frames are written: the log may have been begun anew since this connection last wrote. */
int log_make_sure(file *f);
/* Begin a log: preamble and header in one write. */
int log_begin(file *f, const unsigned char *header);
/* SQLite's header; zeros where there is none that verifies: the log holds nothing then. */
int log_read_header(file *f, unsigned char out[HEADER]);

/* frames.c */
/* Open the header of a frame and the page, where it is wanted; `sealed`: as it is, where the checksum is of that, or the
 * connection makes it anew. SQLITE_IOERR_SHORT_READ beyond the end, SQLITE_IOERR_DATA where it does not verify. */
int frame_open(file *f, uint32_t number, unsigned char head[HEAD], unsigned char *page, bool *sealed);
/* Seal and write the header of a frame, the page, or both. */
int frame_seal(file *f, uint32_t number, const unsigned char *header, const unsigned char *page);
/* During a checkpoint SQLite reads a page only to write it into the database: it gets it sealed. */
int frame_pass(file *f, uint32_t number, unsigned char *out);

#endif
