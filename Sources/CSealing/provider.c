#include "internal.h"
#include <openssl/provider.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

sealing_functions_t sealing_functions;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static OSSL_LIB_CTX *own;
static OSSL_PROVIDER *provider; /* never unloaded, like the library itself */
static bool started;

/* Whether a colon-separated list contains this name. */
static bool is_named(const char *names, const char *name) {
    for (size_t length; *names; names += length + (names[length] == ':')) {
        length = strcspn(names, ":");
        if (length == strlen(name) && strncasecmp(names, name, length) == 0) return true;
    }
    return false;
}

static const OSSL_DISPATCH *find_algorithm(int operation, const char *name) {
    int no_cache;
    const OSSL_ALGORITHM *one = OSSL_PROVIDER_query_operation(provider, operation, &no_cache);
    while (one && one->algorithm_names && !is_named(one->algorithm_names, name)) one++;
    return one && one->algorithm_names ? one->implementation : NULL;
}

static bool load_functions(const OSSL_DISPATCH *function) {
    sealing_functions_t *c = &sealing_functions;
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
    /* Without libcrypto's exit handler: it would crash a thread that is inside libcrypto when the process exits. */
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) != 1) return;
    own = OSSL_LIB_CTX_new();
    provider = own ? OSSL_PROVIDER_load(own, "default") : NULL;
    if (!provider) return;
    const OSSL_DISPATCH *cipher = find_algorithm(OSSL_OP_CIPHER, "AES-256-GCM");
    started = cipher && load_functions(cipher);
}

bool sealing_start(void) {
    pthread_once(&once, start);
    return started;
}

const char *sealing_library_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

const OSSL_DISPATCH *sealing_find_algorithm(int operation, const char *name) {
    return sealing_start() ? find_algorithm(operation, name) : NULL;
}

void *sealing_provider(void) { return OSSL_PROVIDER_get0_provider_ctx(provider); }

OSSL_LIB_CTX *sealing_library_context(void) { return sealing_start() ? own : NULL; }
