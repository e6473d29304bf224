#include "internal.h"
#include <dlfcn.h>
#include <process_secrets.h>
#include <pthread.h>
#include <string.h>

/* Ed25519 from libsodium, opened on first use. The prototypes are repeated here so that building needs no development
 * package. */
enum { KEY_PAIR = 64 };

static struct {
    int (*init)(void);
    int (*pair)(unsigned char *public, unsigned char *secret, const unsigned char *seed);
    int (*sign)(
        unsigned char *out, unsigned long long *count, const unsigned char *message, unsigned long long length,
        const unsigned char *secret);
    int (*verify)(
        const unsigned char *signature, const unsigned char *message, unsigned long long length, const unsigned char *public);
} sodium;
static bool is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void) {
    void *library = dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) library = dlopen("libsodium.so.26", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return;
    *(void **)&sodium.init = dlsym(library, "sodium_init");
    *(void **)&sodium.pair = dlsym(library, "crypto_sign_ed25519_seed_keypair");
    *(void **)&sodium.sign = dlsym(library, "crypto_sign_ed25519_detached");
    *(void **)&sodium.verify = dlsym(library, "crypto_sign_ed25519_verify_detached");
    is_available = sodium.init && sodium.pair && sodium.sign && sodium.verify && sodium.init() >= 0;
}

static bool public_of(const void *secret, void *out) {
    unsigned char *both = process_secret_alloc(NULL, KEY_PAIR);
    bool done = both && sodium.pair(out, both, secret) == 0;
    process_secret_free(both, KEY_PAIR);
    return done;
}

/* libsodium's secret key is the secret with the public key behind it. */
static bool sign(const void *secret, const void *public, const void *message, size_t length, void *out) {
    unsigned char *both = process_secret_alloc(NULL, KEY_PAIR);
    if (!both) return false;
    memcpy(both, secret, KEY_PAIR - SEALING_PUBLIC);
    memcpy(both + KEY_PAIR - SEALING_PUBLIC, public, SEALING_PUBLIC);
    bool done = sodium.sign(out, NULL, message, length, both) == 0;
    process_secret_free(both, KEY_PAIR);
    return done;
}

static int32_t verify(const void *public, const void *message, size_t length, const void *signature) {
    return sodium.verify(signature, message, length, public) == 0 ? SEALING_OK : SEALING_NOT_AUTHENTIC;
}

const sealing_signer_t *sealing_signer_libsodium(void) {
    static const sealing_signer_t signer = {public_of, sign, verify};
    pthread_once(&once, look_up);
    return is_available ? &signer : NULL;
}
