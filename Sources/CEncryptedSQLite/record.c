#include "internal.h"

/* A record of a WAL, a journal or a temporary file: the bytes, nonce and tag. The record number is additional data. */

int record_seal(sealing_cipher_t *cipher, uint64_t number, const unsigned char *in, uint32_t length, unsigned char *out) {
    unsigned char extra[8], *nonce = out + length;
    put64(extra, number);
    bool sealed = sealing_cipher_seal(cipher, nonce, extra, sizeof extra, in, length, out, nonce + NONCE);
    return sealed ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

int record_open(sealing_cipher_t *cipher, uint64_t number, const unsigned char *at, uint32_t length, unsigned char *out) {
    unsigned char extra[8];
    const unsigned char *nonce = at + length;
    put64(extra, number);
    int32_t opened = sealing_cipher_open(cipher, nonce, extra, sizeof extra, at, length, nonce + NONCE, out);
    return opened == SEALING_OK ? SQLITE_OK : SQLITE_IOERR_DATA;
}
