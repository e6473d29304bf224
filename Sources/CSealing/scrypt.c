#include "internal.h"

/* Through EVP, which lists every algorithm there is on its first use: a host that asks for no PIN never gets here. */
int32_t sealing_scrypt(
    const void *secret, size_t length, const void *salt, size_t salt_length, uint64_t n, uint64_t r, uint64_t p,
    void *out, size_t count) {
    OSSL_LIB_CTX *own = sealing_libcrypto();
    uint64_t memory = 128 * r * (n + p + 2);
    /* What goes wrong is told by the status: the host's list of errors stays its own. */
    ERR_set_mark();
    bool done = own && EVP_PBE_scrypt_ex(
        secret, length, salt, salt_length, n, r, p, memory, out, count, own, NULL) == 1;
    ERR_pop_to_mark();
    if (!done) OPENSSL_cleanse(out, count);
    return done ? SEALING_OK : SEALING_LIBRARY;
}
