#ifndef SEALING_INTERNAL_H
#define SEALING_INTERNAL_H
#include "CSealing.h"
#include "../COpenSSL/shim.h"

/* This thread's cipher context, made on first use and freed with the thread; NULL when libcrypto refuses. */
EVP_CIPHER_CTX *sealing_context(void);
/* After use: the context forgets the object key. */
void sealing_context_forget(EVP_CIPHER_CTX *context);

/* AES-256-GCM. A key of NULL goes on under the context's. The tag follows the encrypted bytes. */
bool sealing_gcm_encrypt(
    EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, unsigned char *out);
int32_t sealing_gcm_decrypt(
    EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, const unsigned char *tag, unsigned char *out);

/* HMAC-SHA-512 of a message in two pieces and a byte, from prepared states. */
void sealing_hmac_begin(const uint64_t state[8], SHA512_CTX *hash);

#endif
