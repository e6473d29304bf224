#include "internal.h"

/* A page n of P bytes: P - 32 encrypted bytes, nonce (12), tag (16), epoch (4). Of page 1 the first 24 bytes are not
 * encrypted: "MAM" 0x03, 12 bytes of salt, and what SQLite's header has at 16 to 23. */

const unsigned char page_magic[MAGIC] = {'M', 'A', 'M', 3};
const unsigned char page_plain[SALT] = "SQLite format 3";
static const char LABEL[] = "libmam v1 sqlite database"; /* its NUL is the separator */
enum { INFO = sizeof LABEL + SALT, EXTRA = 8 };

int page_key(file *f, uint32_t *epoch, sealing_held_t **out) {
    unsigned char info[INFO];
    if ((*out = keys_held(f, epoch))) return SQLITE_OK;
    memcpy(info, LABEL, sizeof LABEL);
    memcpy(info + sizeof LABEL, f->database.salt, SALT);
    return keys_find(f, epoch, info, INFO, out);
}

/* What is authenticated beside the encrypted bytes: number and size of the page, of page 1 what stands before them. */
static size_t extra(unsigned char out[EXTRA + CLEAR], uint32_t number, uint32_t size, const unsigned char *page) {
    put32(out, number);
    put32(out + 4, size);
    if (number != 1) return EXTRA;
    memcpy(out + EXTRA, page, CLEAR);
    return EXTRA + CLEAR;
}

int page_open(file *f, uint32_t number, const unsigned char *from, unsigned char *page) {
    const uint32_t size = f->database.page, skip = number == 1 ? CLEAR : 0;
    unsigned char seal[RESERVED], with[EXTRA + CLEAR];
    memcpy(seal, from + size - RESERVED, RESERVED);
    uint32_t epoch = big32(seal + SEAL);
    sealing_held_t *key;
    int result = number && epoch ? page_key(f, &epoch, &key) : SQLITE_IOERR_DATA;
    if (result == SQLITE_OK) {
        size_t length = extra(with, number, size, from);
        int32_t opened = sealing_held_open(
            key, seal, with, length, from + skip, size - RESERVED - skip, seal + NONCE, page + skip);
        if (opened != SEALING_OK) result = SQLITE_IOERR_DATA;
    }
    if (result != SQLITE_OK) {
        memset(page, 0, size);
        return result;
    }
    memset(page + size - RESERVED, 0, RESERVED);
    if (number == 1) {
        memcpy(page, page_plain, SALT);
        memcpy(page + SALT, from + SALT, CLEAR - SALT);
    }
    return SQLITE_OK;
}

int page_seal(file *f, uint32_t number, const unsigned char *in, unsigned char *page) {
    struct database *d = &f->database;
    const uint32_t size = d->page, skip = number == 1 ? CLEAR : 0;
    if (number == 1 && (memcmp(in, page_plain, SALT) != 0 || header_page_size(in) != size || in[20] != RESERVED)) {
        tell_later(f, ENCRYPTED_LAYOUT, 1);
        return SQLITE_IOERR_WRITE;
    }
    unsigned char *end = page + size - RESERVED, with[EXTRA + CLEAR];
    uint32_t epoch = 0;
    sealing_held_t *key;
    if (!encrypted_count(f->access)) return SQLITE_FULL;
    keys_renew(f);
    int result = page_key(f, &epoch, &key);
    if (result != SQLITE_OK) return result;
    if (number == 1) {
        memcpy(page, d->salt, SALT);
        memcpy(page + SALT, in + SALT, CLEAR - SALT);
    }
    size_t length = extra(with, number, size, page);
    bool sealed =
        sealing_held_seal(key, end, with, length, in + skip, size - RESERVED - skip, page + skip, end + NONCE);
    if (!sealed) return SQLITE_IOERR_WRITE;
    put32(end + SEAL, epoch);
    return SQLITE_OK;
}
