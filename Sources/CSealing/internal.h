#ifndef SEALING_INTERNAL_H
#define SEALING_INTERNAL_H
#include "CSealing.h"
#include "../COpenSSL/shim.h"

/* AES-256-GCM as libcrypto's default provider does it (provider-cipher(7)), from a library context of our own and without
 * EVP: that would first list every algorithm there is, in a megabyte of memory, and read the host's configuration. */
typedef struct sealing_cipher {
    OSSL_FUNC_cipher_newctx_fn *make;
    OSSL_FUNC_cipher_freectx_fn *free;
    OSSL_FUNC_cipher_encrypt_init_fn *encrypt;
    OSSL_FUNC_cipher_decrypt_init_fn *decrypt;
    OSSL_FUNC_cipher_update_fn *update;
    OSSL_FUNC_cipher_final_fn *final;
    OSSL_FUNC_cipher_get_ctx_params_fn *get;
    OSSL_FUNC_cipher_set_ctx_params_fn *set;
} sealing_cipher_t;

/* Valid where there is a context. */
extern sealing_cipher_t sealing_cipher;

/* What the provider does an operation of a name with; NULL where it does not. Its context belongs to libmam alone: what the
 * host configures does not reach it. */
const OSSL_DISPATCH *sealing_algorithm(int operation, const char *name);
void *sealing_provider(void);

/* A cipher context in memory that core dumps leave out, for a key that stays. It is kept for ever and taken again, and forgets
 * its key in every forked child that handlers run in. */
typedef struct sealing_undumped {
    struct sealing_undumped *next, *next_unused;
    void *context; /* NULL: libcrypto refused to forget a key, and the memory was zeroed instead */
} sealing_undumped_t;

/* NULL when libcrypto or the memory refuse. */
sealing_undumped_t *sealing_undumped_take(void);
/* It forgets the key. */
void sealing_undumped_give(sealing_undumped_t *cipher);
bool sealing_undumped_key(sealing_undumped_t *cipher, const void *key);
void sealing_undumped_forget(sealing_undumped_t *cipher);

/* What a thread seals and opens whole objects with. The cipher is keyed, and the object derived, while a call is under way and
 * no longer. It is secret memory itself, so that a forked child has none of its own. */
typedef struct sealing_place {
    sealing_undumped_t *cipher;
    sealing_object_t *object;
} sealing_place_t;

/* This thread's, made on first use and given back when the thread ends; NULL when libcrypto or the memory refuse. */
sealing_place_t *sealing_place(void);

/* AES-256-GCM. A key of NULL goes on under the cipher's. */
bool sealing_gcm_encrypt(
    const sealing_undumped_t *cipher, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, unsigned char *out, unsigned char *tag);
int32_t sealing_gcm_decrypt(
    const sealing_undumped_t *cipher, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, const unsigned char *tag, unsigned char *out);

/* Block `number` of HKDF-Expand-SHA-512 (from 1; the block before it is where it goes), of an `info` in two pieces. */
void sealing_expand_block(
    const sealing_key_t *key, unsigned char number, const void *info, size_t length, const void *more,
    size_t more_length, unsigned char block[64]);

#endif
