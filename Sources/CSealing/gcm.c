#include "internal.h"
#include <limits.h>
#include <string.h>

bool sealing_gcm_encrypt(
    EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, unsigned char *out) {
    int count;
    if (EVP_EncryptInit_ex(context, NULL, NULL, key, nonce) != 1) return false;
    if (extra_length && EVP_EncryptUpdate(context, NULL, &count, extra, (int)extra_length) != 1) return false;
    if (length && EVP_EncryptUpdate(context, out, &count, in, (int)length) != 1) return false;
    if (EVP_EncryptFinal_ex(context, out + length, &count) != 1) return false;
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, SEALING_TAG, out + length) == 1;
}

int32_t sealing_gcm_decrypt(
    EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, const unsigned char *tag, unsigned char *out) {
    int count;
    unsigned char expected[SEALING_TAG], nothing[SEALING_TAG];
    memcpy(expected, tag, SEALING_TAG);
    if (EVP_DecryptInit_ex(context, NULL, NULL, key, nonce) != 1) return SEALING_LIBRARY;
    if (extra_length && EVP_DecryptUpdate(context, NULL, &count, extra, (int)extra_length) != 1) return SEALING_LIBRARY;
    if (length && EVP_DecryptUpdate(context, out, &count, in, (int)length) != 1) return SEALING_LIBRARY;
    if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, SEALING_TAG, expected) != 1) return SEALING_LIBRARY;
    return EVP_DecryptFinal_ex(context, nothing, &count) == 1 ? SEALING_OK : SEALING_NOT_AUTHENTIC;
}

int32_t sealing_gcm_seal(
    const void *key, const void *nonce, const void *extra, size_t extra_length, const void *plain, size_t length,
    void *out) {
    if (extra_length > INT_MAX || length > INT_MAX) return SEALING_LIBRARY;
    EVP_CIPHER_CTX *context = sealing_context();
    if (!context) return SEALING_LIBRARY;
    bool done = sealing_gcm_encrypt(context, key, nonce, extra, extra_length, plain, length, out);
    sealing_context_forget(context);
    return done ? SEALING_OK : SEALING_LIBRARY;
}

int32_t sealing_gcm_open(
    const void *key, const void *nonce, const void *extra, size_t extra_length, const void *sealed, void *out,
    size_t length) {
    if (extra_length > INT_MAX || length > INT_MAX) return SEALING_LIBRARY;
    EVP_CIPHER_CTX *context = sealing_context();
    if (!context) return SEALING_LIBRARY;
    const unsigned char *from = sealed;
    int32_t status = sealing_gcm_decrypt(context, key, nonce, extra, extra_length, from, length, from + length, out);
    sealing_context_forget(context);
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}
