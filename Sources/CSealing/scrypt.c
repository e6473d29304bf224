#include "internal.h"

/* scrypt from libcrypto's default provider (provider-kdf(7)), without EVP: a linked EVP symbol costs every host a look-up
 * at load time, whether it asks for PINs or not. The provider itself fetches its digest through EVP. */
typedef struct scrypt {
    OSSL_FUNC_kdf_newctx_fn *make;
    OSSL_FUNC_kdf_freectx_fn *free;
    OSSL_FUNC_kdf_derive_fn *derive;
} scrypt_t;

static bool load_functions(const OSSL_DISPATCH *function, scrypt_t *scrypt) {
    for (; function->function_id; function++) {
        switch (function->function_id) {
        case OSSL_FUNC_KDF_NEWCTX: scrypt->make = OSSL_FUNC_kdf_newctx(function); break;
        case OSSL_FUNC_KDF_FREECTX: scrypt->free = OSSL_FUNC_kdf_freectx(function); break;
        case OSSL_FUNC_KDF_DERIVE: scrypt->derive = OSSL_FUNC_kdf_derive(function); break;
        }
    }
    return scrypt->make && scrypt->free && scrypt->derive;
}

int32_t sealing_scrypt(
    const void *secret, size_t length, const void *salt, size_t salt_length, uint64_t n, uint64_t r, uint64_t p, void *out,
    size_t count) {
    scrypt_t scrypt = {NULL, NULL, NULL};
    uint64_t memory = 128 * r * (n + p + 2);
    uint32_t block = (uint32_t)r, times = (uint32_t)p;
    const OSSL_DISPATCH *found = sealing_find_algorithm(OSSL_OP_KDF, "SCRYPT");
    void *context = found && load_functions(found, &scrypt) ? scrypt.make(sealing_provider()) : NULL;
    /* OSSL_PARAM has no const; the parameters are only read. */
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_PASSWORD, (void *)secret, length),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
        OSSL_PARAM_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
        OSSL_PARAM_uint32(OSSL_KDF_PARAM_SCRYPT_R, &block),
        OSSL_PARAM_uint32(OSSL_KDF_PARAM_SCRYPT_P, &times),
        OSSL_PARAM_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory),
        OSSL_PARAM_END,
    };
    bool is_done = context && scrypt.derive(context, out, count, parameters) == 1;
    if (context) scrypt.free(context);
    if (!is_done) OPENSSL_cleanse(out, count);
    return is_done ? SEALING_OK : SEALING_LIBRARY;
}
