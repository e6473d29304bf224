#include "internal.h"
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <pthread.h>

/* Ed25519 from libcrypto's default provider (provider-keymgmt(7), provider-signature(7)), looked up on first use. It fetches
 * SHA-512 through EVP, which lists every algorithm, in a megabyte of memory, and reads the host's configuration. */
typedef struct functions {
    OSSL_FUNC_keymgmt_new_fn *make;
    OSSL_FUNC_keymgmt_free_fn *free;
    OSSL_FUNC_keymgmt_import_fn *import;
    OSSL_FUNC_keymgmt_get_params_fn *get;
    OSSL_FUNC_signature_newctx_fn *begin;
    OSSL_FUNC_signature_freectx_fn *end;
    OSSL_FUNC_signature_digest_sign_init_fn *sign_init;
    OSSL_FUNC_signature_digest_sign_fn *sign;
    OSSL_FUNC_signature_digest_verify_init_fn *verify_init;
    OSSL_FUNC_signature_digest_verify_fn *verify;
} functions;

static functions ed25519;
static bool is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void) {
    const OSSL_DISPATCH *keys = sealing_find_algorithm(OSSL_OP_KEYMGMT, "ED25519");
    const OSSL_DISPATCH *signatures = sealing_find_algorithm(OSSL_OP_SIGNATURE, "ED25519");
    if (!keys || !signatures) return;
    for (; keys->function_id; keys++) {
        switch (keys->function_id) {
        case OSSL_FUNC_KEYMGMT_NEW: ed25519.make = OSSL_FUNC_keymgmt_new(keys); break;
        case OSSL_FUNC_KEYMGMT_FREE: ed25519.free = OSSL_FUNC_keymgmt_free(keys); break;
        case OSSL_FUNC_KEYMGMT_IMPORT: ed25519.import = OSSL_FUNC_keymgmt_import(keys); break;
        case OSSL_FUNC_KEYMGMT_GET_PARAMS: ed25519.get = OSSL_FUNC_keymgmt_get_params(keys); break;
        }
    }
    for (; signatures->function_id; signatures++) {
        switch (signatures->function_id) {
        case OSSL_FUNC_SIGNATURE_NEWCTX: ed25519.begin = OSSL_FUNC_signature_newctx(signatures); break;
        case OSSL_FUNC_SIGNATURE_FREECTX: ed25519.end = OSSL_FUNC_signature_freectx(signatures); break;
        case OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT: ed25519.sign_init = OSSL_FUNC_signature_digest_sign_init(signatures); break;
        case OSSL_FUNC_SIGNATURE_DIGEST_SIGN: ed25519.sign = OSSL_FUNC_signature_digest_sign(signatures); break;
        case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT:
            ed25519.verify_init = OSSL_FUNC_signature_digest_verify_init(signatures);
            break;
        case OSSL_FUNC_SIGNATURE_DIGEST_VERIFY: ed25519.verify = OSSL_FUNC_signature_digest_verify(signatures); break;
        }
    }
    is_available = ed25519.make && ed25519.free && ed25519.import && ed25519.get && ed25519.begin && ed25519.end
        && ed25519.sign_init && ed25519.sign && ed25519.verify_init && ed25519.verify;
}

/* Import a public key, a secret key or both, 32 bytes each, as a key that the caller frees; NULL if libcrypto fails. Without
 * the public key it is derived. */
static void *import(const void *secret, const void *public) {
    void *key = ed25519.make(sealing_provider());
    if (!key) return NULL;
    /* OSSL_PARAM has no const; the parameters are only read. */
    OSSL_PARAM parameters[3], *next = parameters;
    if (secret) *next++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)secret, SEALING_PUBLIC);
    if (public) *next++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)public, SEALING_PUBLIC);
    *next = OSSL_PARAM_construct_end();
    if (ed25519.import(key, secret ? OSSL_KEYMGMT_SELECT_KEYPAIR : OSSL_KEYMGMT_SELECT_PUBLIC_KEY, parameters) == 1) return key;
    ed25519.free(key);
    return NULL;
}

static bool public_of(const void *secret, void *out) {
    void *key = import(secret, NULL);
    if (!key) return false;
    OSSL_PARAM parameters[] = {OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, out, SEALING_PUBLIC), OSSL_PARAM_END};
    bool done = ed25519.get(key, parameters) == 1 && parameters[0].return_size == SEALING_PUBLIC;
    ed25519.free(key);
    return done;
}

static bool sign(const void *secret, const void *public, const void *message, size_t length, void *out) {
    void *key = import(secret, public);
    if (!key) return false;
    void *context = ed25519.begin(sealing_provider(), NULL);
    size_t count = SEALING_SIGNATURE;
    bool done = context && ed25519.sign_init(context, NULL, key, NULL) == 1
        && ed25519.sign(context, out, &count, count, message, length) == 1 && count == SEALING_SIGNATURE;
    if (context) ed25519.end(context);
    ed25519.free(key);
    return done;
}

static int32_t verify(const void *public, const void *message, size_t length, const void *signature) {
    void *key = import(NULL, public);
    if (!key) return SEALING_LIBRARY;
    void *context = ed25519.begin(sealing_provider(), NULL);
    int32_t result = SEALING_LIBRARY;
    if (context && ed25519.verify_init(context, NULL, key, NULL) == 1)
        result = ed25519.verify(context, signature, SEALING_SIGNATURE, message, length) == 1 ? SEALING_OK : SEALING_NOT_AUTHENTIC;
    if (context) ed25519.end(context);
    ed25519.free(key);
    return result;
}

const sealing_signer_t *sealing_signer_libcrypto(void) {
    static const sealing_signer_t signer = {public_of, sign, verify};
    pthread_once(&once, look_up);
    return is_available ? &signer : NULL;
}
