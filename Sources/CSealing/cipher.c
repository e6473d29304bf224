#include "internal.h"
#include <process_secrets.h>

/* In secret memory, so that a forked child reads NULL here even if the context kept its key. */
struct sealing_cipher {
    sealing_context_t *cipher;
};

sealing_cipher_t *sealing_cipher_new(const void *key) {
    sealing_cipher_t *self = process_secret_alloc(NULL, sizeof *self);
    if (!self) return NULL;
    if ((self->cipher = sealing_context_acquire()) && sealing_context_set_key(self->cipher, key)) return self;
    sealing_cipher_free(self);
    return NULL;
}

void sealing_cipher_free(sealing_cipher_t *self) {
    if (self && self->cipher) sealing_context_release(self->cipher);
    process_secret_free(self, sizeof *self);
}

bool sealing_cipher_seal(
    sealing_cipher_t *self, const void *nonce, const void *extra, size_t extra_length, const void *plain, size_t length, void *out,
    void *tag) {
    return self->cipher && sealing_gcm_encrypt(self->cipher, NULL, nonce, extra, extra_length, plain, length, out, tag);
}

int32_t sealing_cipher_open(
    sealing_cipher_t *self, const void *nonce, const void *extra, size_t extra_length, const void *sealed, size_t length,
    const void *tag, void *out) {
    int32_t status = self->cipher ? sealing_gcm_decrypt(self->cipher, NULL, nonce, extra, extra_length, sealed, length, tag, out)
                                  : SEALING_KEY_GONE;
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}
