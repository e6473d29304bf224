#include "internal.h"
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t slot;
static EVP_CIPHER *cipher; /* kept for ever: fetching it costs more than sealing a page */

static void free_context(void *context) { EVP_CIPHER_CTX_free(context); }

static void start(void) {
    /* Without libcrypto's exit handler: a thread inside it while the process exits would crash. */
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) != 1) return;
    if (pthread_key_create(&slot, free_context) != 0) return;
    cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
}

bool sealing_start(void) {
    pthread_once(&once, start);
    return cipher != NULL;
}

const char *sealing_library_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

EVP_CIPHER_CTX *sealing_context(void) {
    if (!sealing_start()) return NULL;
    EVP_CIPHER_CTX *context = pthread_getspecific(slot);
    if (context) return context;
    context = EVP_CIPHER_CTX_new();
    if (!context) return NULL;
    if (EVP_EncryptInit_ex(context, cipher, NULL, NULL, NULL) != 1 || pthread_setspecific(slot, context) != 0) {
        EVP_CIPHER_CTX_free(context);
        return NULL;
    }
    return context;
}

void sealing_context_forget(EVP_CIPHER_CTX *context) {
    static const unsigned char zeros[SEALING_KEY];
    if (EVP_EncryptInit_ex(context, NULL, NULL, zeros, NULL) == 1) return;
    pthread_setspecific(slot, NULL);
    EVP_CIPHER_CTX_free(context);
}
