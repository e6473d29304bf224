#include "internal.h"
#include <openssl/provider.h>
#include <platform_secrets.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

sealing_cipher_t sealing_cipher;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t slot;
static OSSL_PROVIDER *provider; /* kept for ever, as the library is */
static bool started;

static void leave_place(void *leaving) {
    sealing_place_t *place = leaving;
    if (place->cipher) sealing_undumped_give(place->cipher);
    platform_secret_free(place->object, sizeof *place->object);
    platform_secret_free(place, sizeof *place);
}

static sealing_place_t *make_place(void) {
    sealing_place_t *place = platform_secret_alloc(NULL, sizeof *place);
    if (!place) return NULL;
    place->cipher = sealing_undumped_take();
    place->object = platform_secret_alloc(NULL, sizeof *place->object);
    if (place->cipher && place->object && pthread_setspecific(slot, place) == 0) return place;
    leave_place(place);
    return NULL;
}

/* Whether one of the names, which colons separate, is this. */
static bool is_named(const char *names, const char *name) {
    for (size_t length; *names; names += length + (names[length] == ':')) {
        length = strcspn(names, ":");
        if (length == strlen(name) && strncasecmp(names, name, length) == 0) return true;
    }
    return false;
}

static const OSSL_DISPATCH *find(int operation, const char *name) {
    int no_cache;
    const OSSL_ALGORITHM *one = OSSL_PROVIDER_query_operation(provider, operation, &no_cache);
    while (one && one->algorithm_names && !is_named(one->algorithm_names, name)) one++;
    return one && one->algorithm_names ? one->implementation : NULL;
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
    if (pthread_key_create(&slot, leave_place) != 0) return;
    OSSL_LIB_CTX *own = OSSL_LIB_CTX_new();
    provider = own ? OSSL_PROVIDER_load(own, "default") : NULL;
    if (!provider) return;
    const OSSL_DISPATCH *cipher = find(OSSL_OP_CIPHER, "AES-256-GCM");
    started = cipher && take(cipher);
}

bool sealing_start(void) {
    pthread_once(&once, start);
    return started;
}

const char *sealing_library_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

const OSSL_DISPATCH *sealing_algorithm(int operation, const char *name) {
    return sealing_start() ? find(operation, name) : NULL;
}

void *sealing_provider(void) { return OSSL_PROVIDER_get0_provider_ctx(provider); }

sealing_place_t *sealing_place(void) {
    if (!sealing_start()) return NULL;
    sealing_place_t *place = pthread_getspecific(slot);
    if (place && place->cipher && place->cipher->context) return place;
    if (place) leave_place(place);
    return make_place();
}
