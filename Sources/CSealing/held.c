#include "internal.h"
#include <platform_secrets.h>

/* In secret memory: in a forked child it has no cipher any more, whatever the cipher has. */
struct sealing_held {
    sealing_undumped_t *cipher;
};

sealing_held_t *sealing_held_new(const void *key) {
    sealing_held_t *one = platform_secret_alloc(NULL, sizeof *one);
    if (!one) return NULL;
    if ((one->cipher = sealing_undumped_take()) && sealing_undumped_key(one->cipher, key)) return one;
    sealing_held_free(one);
    return NULL;
}

void sealing_held_free(sealing_held_t *one) {
    if (one && one->cipher) sealing_undumped_give(one->cipher);
    platform_secret_free(one, sizeof *one);
}

bool sealing_held_seal(
    sealing_held_t *one, const void *nonce, const void *extra, size_t extra_length, const void *plain, size_t length,
    void *out, void *tag) {
    return one->cipher && sealing_gcm_encrypt(one->cipher, NULL, nonce, extra, extra_length, plain, length, out, tag);
}

int32_t sealing_held_open(
    sealing_held_t *one, const void *nonce, const void *extra, size_t extra_length, const void *sealed, size_t length,
    const void *tag, void *out) {
    int32_t status = one->cipher
        ? sealing_gcm_decrypt(one->cipher, NULL, nonce, extra, extra_length, sealed, length, tag, out)
        : SEALING_DEAD;
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}
