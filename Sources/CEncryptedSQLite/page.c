#include "internal.h"

/* A page of P bytes: P - 32 encrypted bytes, nonce (12), tag (16), epoch (4). The first 24 bytes of page 1 are not
 * encrypted: "MAM" 0x03, 12 bytes of salt, and bytes 16 to 23 of SQLite's header. */

const unsigned char page_magic[MAGIC] = {'M', 'A', 'M', 3};
const unsigned char sqlite_magic[PLAIN_MAGIC] = "SQLite format 3";
static const char LABEL[] = "libmam v1 sqlite database"; /* the NUL is the separator */
enum { INFO = sizeof LABEL + SALT, EXTRA = 8 };

int page_cipher_locked(file *f, uint32_t *epoch, sealing_cipher_t **cipher) {
    unsigned char info[INFO];
    if ((*cipher = keys_cached_locked(f, epoch))) return SQLITE_OK;
    memcpy(info, LABEL, sizeof LABEL);
    memcpy(info + sizeof LABEL, f->database.salt, SALT);
    return keys_get_locked(f, epoch, info, INFO, cipher);
}

/* Additional data: number and size of the page, and the cleartext bytes of page 1. */
static size_t additional_data(unsigned char out[EXTRA + CLEARTEXT], uint32_t number, uint32_t size, const unsigned char *page) {
    put32(out, number);
    put32(out + 4, size);
    if (number != 1) return EXTRA;
    memcpy(out + EXTRA, page, CLEARTEXT);
    return EXTRA + CLEARTEXT;
}

int page_open_locked(file *f, uint32_t number, const unsigned char *from, unsigned char *page) {
    const uint32_t size = f->database.page_size, skip = number == 1 ? CLEARTEXT : 0;
    unsigned char seal[RESERVED], additional[EXTRA + CLEARTEXT];
    memcpy(seal, from + size - RESERVED, RESERVED);
    uint32_t epoch = big32(seal + SEAL);
    sealing_cipher_t *cipher;
    int result = number && epoch ? page_cipher_locked(f, &epoch, &cipher) : SQLITE_IOERR_DATA;
    if (result == SQLITE_OK) {
        size_t length = additional_data(additional, number, size, from);
        int32_t opened =
            sealing_cipher_open(cipher, seal, additional, length, from + skip, size - RESERVED - skip, seal + NONCE, page + skip);
        if (opened != SEALING_OK) result = SQLITE_IOERR_DATA;
    }
    if (result != SQLITE_OK) {
        memset(page, 0, size);
        return result;
    }
    memset(page + size - RESERVED, 0, RESERVED);
    if (number == 1) {
        memcpy(page, sqlite_magic, PLAIN_MAGIC);
        memcpy(page + SALT, from + SALT, CLEARTEXT - SALT);
    }
    return SQLITE_OK;
}

int page_seal_locked(file *f, uint32_t number, const unsigned char *in, unsigned char *page) {
    struct database *d = &f->database;
    const uint32_t size = d->page_size, skip = number == 1 ? CLEARTEXT : 0;
    if (number == 1 && (memcmp(in, sqlite_magic, PLAIN_MAGIC) != 0 || header_page_size(in) != size || in[20] != RESERVED)) {
        report_later(f, ENCRYPTED_BAD_LAYOUT, 1);
        return SQLITE_IOERR_WRITE;
    }
    unsigned char *end = page + size - RESERVED, additional[EXTRA + CLEARTEXT];
    uint32_t epoch = 0;
    sealing_cipher_t *cipher;
    if (!access_count_page(f->access)) return SQLITE_FULL;
    keys_refresh_locked(f);
    int result = page_cipher_locked(f, &epoch, &cipher);
    if (result != SQLITE_OK) return result;
    if (number == 1) {
        memcpy(page, d->salt, SALT);
        memcpy(page + SALT, in + SALT, CLEARTEXT - SALT);
    }
    size_t length = additional_data(additional, number, size, page);
    bool sealed = sealing_cipher_seal(cipher, end, additional, length, in + skip, size - RESERVED - skip, page + skip, end + NONCE);
    if (!sealed) return SQLITE_IOERR_WRITE;
    put32(end + SEAL, epoch);
    return SQLITE_OK;
}
