#include "internal.h"
#include <string.h>

enum { NONCE = 12 };

static OSSL_PARAM tag_parameter(unsigned char *tag) {
    return OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, SEALING_TAG);
}

bool sealing_gcm_encrypt(
    const sealing_context_t *cipher_context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, unsigned char *out, unsigned char *tag) {
    const sealing_functions_t *c = &sealing_functions;
    void *context = cipher_context->context;
    size_t count;
    unsigned char nothing[SEALING_TAG];
    OSSL_PARAM tag_parameters[] = {tag_parameter(tag), OSSL_PARAM_END};
    if (!context || c->encrypt(context, key, key ? SEALING_KEY : 0 /* NULL: the context keeps its key */, nonce, NONCE, NULL) != 1)
        return false;
    if (extra_length && c->update(context, NULL, &count, extra_length, extra, extra_length) != 1) return false;
    if (length && c->update(context, out, &count, length, in, length) != 1) return false;
    return c->final(context, nothing, &count, sizeof nothing) == 1 && c->get(context, tag_parameters) == 1;
}

int32_t sealing_gcm_decrypt(
    const sealing_context_t *cipher_context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, const unsigned char *tag, unsigned char *out) {
    const sealing_functions_t *c = &sealing_functions;
    void *context = cipher_context->context;
    size_t count;
    unsigned char expected[SEALING_TAG], nothing[SEALING_TAG];
    memcpy(expected, tag, SEALING_TAG);
    OSSL_PARAM tag_parameters[] = {tag_parameter(expected), OSSL_PARAM_END};
    if (!context || c->decrypt(context, key, key ? SEALING_KEY : 0 /* NULL: the context keeps its key */, nonce, NONCE, NULL) != 1)
        return SEALING_LIBRARY;
    if (extra_length && c->update(context, NULL, &count, extra_length, extra, extra_length) != 1) return SEALING_LIBRARY;
    if (length && c->update(context, out, &count, length, in, length) != 1) return SEALING_LIBRARY;
    if (c->set(context, tag_parameters) != 1) return SEALING_LIBRARY;
    return c->final(context, nothing, &count, sizeof nothing) == 1 ? SEALING_OK : SEALING_NOT_AUTHENTIC;
}

int32_t sealing_gcm_seal(
    const void *key, const void *nonce, const void *extra, size_t extra_length, const void *plain, size_t length, void *out) {
    sealing_workspace_t *workspace = sealing_workspace();
    if (!workspace) return SEALING_LIBRARY;
    unsigned char *to = out;
    bool done = sealing_gcm_encrypt(workspace->cipher, key, nonce, extra, extra_length, plain, length, to, to + length);
    sealing_context_clear(workspace->cipher);
    return done ? SEALING_OK : SEALING_LIBRARY;
}

int32_t sealing_gcm_open(
    const void *key, const void *nonce, const void *extra, size_t extra_length, const void *sealed, void *out, size_t length) {
    sealing_workspace_t *workspace = sealing_workspace();
    if (!workspace) return SEALING_LIBRARY;
    const unsigned char *from = sealed;
    int32_t status = sealing_gcm_decrypt(workspace->cipher, key, nonce, extra, extra_length, from, length, from + length, out);
    sealing_context_clear(workspace->cipher);
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}
