#include "internal.h"
#include <openssl/provider.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

sealing_cipher_t sealing_cipher;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t slot;
static OSSL_LIB_CTX *own; /* kept for ever, as the library is */
static OSSL_PROVIDER *provider;
static bool started;

static void free_context(void *context) { sealing_cipher.free(context); }

/* Whether one of the names, which colons separate, is AES-256-GCM. */
static bool is_aes_256_gcm(const char *names) {
    static const char NAME[] = "AES-256-GCM";
    for (size_t length; *names; names += length + (names[length] == ':')) {
        length = strcspn(names, ":");
        if (length == sizeof NAME - 1 && strncasecmp(names, NAME, length) == 0) return true;
    }
    return false;
}

static bool take(const OSSL_DISPATCH *function) {
    sealing_cipher_t *c = &sealing_cipher;
    for (; function->function_id; function++) {
        switch (function->function_id) {
        case OSSL_FUNC_CIPHER_NEWCTX: c->make = OSSL_FUNC_cipher_newctx(function); break;
        case OSSL_FUNC_CIPHER_FREECTX: c->free = OSSL_FUNC_cipher_freectx(function); break;
        case OSSL_FUNC_CIPHER_ENCRYPT_INIT: c->encrypt = OSSL_FUNC_cipher_encrypt_init(function); break;
        case OSSL_FUNC_CIPHER_DECRYPT_INIT: c->decrypt = OSSL_FUNC_cipher_decrypt_init(function); break;
        case OSSL_FUNC_CIPHER_UPDATE: c->update = OSSL_FUNC_cipher_update(function); break;
        case OSSL_FUNC_CIPHER_FINAL: c->final = OSSL_FUNC_cipher_final(function); break;
        case OSSL_FUNC_CIPHER_GET_CTX_PARAMS: c->get = OSSL_FUNC_cipher_get_ctx_params(function); break;
        case OSSL_FUNC_CIPHER_SET_CTX_PARAMS: c->set = OSSL_FUNC_cipher_set_ctx_params(function); break;
        }
    }
    return c->make && c->free && c->encrypt && c->decrypt && c->update && c->final && c->get && c->set;
}

static void start(void) {
    /* Without libcrypto's exit handler: a thread inside it while the process exits would crash. */
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) != 1) return;
    if (pthread_key_create(&slot, free_context) != 0) return;
    own = OSSL_LIB_CTX_new();
    provider = own ? OSSL_PROVIDER_load(own, "default") : NULL;
    if (!provider) return;
    int no_cache;
    const OSSL_ALGORITHM *cipher = OSSL_PROVIDER_query_operation(provider, OSSL_OP_CIPHER, &no_cache);
    while (cipher && cipher->algorithm_names && !is_aes_256_gcm(cipher->algorithm_names)) cipher++;
    started = cipher && cipher->algorithm_names && take(cipher->implementation);
}

bool sealing_start(void) {
    pthread_once(&once, start);
    return started;
}

const char *sealing_library_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

OSSL_LIB_CTX *sealing_libcrypto(void) { return sealing_start() ? own : NULL; }

void *sealing_context(void) {
    if (!sealing_start()) return NULL;
    void *context = pthread_getspecific(slot);
    if (context) return context;
    context = sealing_cipher.make(OSSL_PROVIDER_get0_provider_ctx(provider));
    if (!context) return NULL;
    if (pthread_setspecific(slot, context) != 0) {
        sealing_cipher.free(context);
        return NULL;
    }
    return context;
}

void sealing_context_forget(void *context) {
    static const unsigned char zeros[SEALING_KEY];
    if (sealing_cipher.encrypt(context, zeros, sizeof zeros, NULL, 0, NULL) == 1) return;
    pthread_setspecific(slot, NULL);
    sealing_cipher.free(context);
}
