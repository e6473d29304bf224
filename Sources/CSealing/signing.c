#include "internal.h"

/* libsodium first: it needs a fifth of the memory and does not read the host's configuration (decision 22). */
static const sealing_signer_t *signer(void) {
    const sealing_signer_t *found = sealing_signer_libsodium();
    return found ? found : sealing_signer_libcrypto();
}

bool sealing_sign_public(const void *secret, void *out) {
    const sealing_signer_t *s = signer();
    return s && s->public_of(secret, out);
}

bool sealing_sign(const void *secret, const void *public, const void *message, size_t length, void *out) {
    const sealing_signer_t *s = signer();
    return s && s->sign(secret, public, message, length, out);
}

int32_t sealing_sign_verify(const void *public, const void *message, size_t length, const void *signature) {
    const sealing_signer_t *s = signer();
    return s ? s->verify(public, message, length, signature) : SEALING_LIBRARY;
}

void sealing_sha256(const void *bytes, size_t length, void *out) {
    SHA256_CTX hash;
    SHA256_Init(&hash);
    SHA256_Update(&hash, bytes, length);
    SHA256_Final(out, &hash);
}
