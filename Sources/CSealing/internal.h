#ifndef SEALING_INTERNAL_H
#define SEALING_INTERNAL_H
#define OPENSSL_SUPPRESS_DEPRECATED /* CSealing.h says why SHA512_* and SHA256_* are used */
#include "CSealing.h"
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/sha.h>

/* provider.c */

/* The functions of AES-256-GCM in libcrypto's default provider (provider-cipher(7)), called without EVP: EVP would first
 * list every algorithm, in a megabyte of memory, and read the host's configuration. */
typedef struct sealing_functions {
    OSSL_FUNC_cipher_newctx_fn *make;
    OSSL_FUNC_cipher_freectx_fn *free;
    OSSL_FUNC_cipher_encrypt_init_fn *encrypt;
    OSSL_FUNC_cipher_decrypt_init_fn *decrypt;
    OSSL_FUNC_cipher_update_fn *update;
    OSSL_FUNC_cipher_final_fn *final;
    OSSL_FUNC_cipher_get_ctx_params_fn *get;
    OSSL_FUNC_cipher_set_ctx_params_fn *set;
} sealing_functions_t;

/* Valid once sealing_start has returned true. */
extern sealing_functions_t sealing_functions;

/* The provider's implementation of an algorithm, or NULL. The library context belongs to libmam alone: the host's
 * configuration does not affect it. */
const OSSL_DISPATCH *sealing_find_algorithm(int operation, const char *name);
void *sealing_provider(void);
/* The library context; NULL if libcrypto cannot be used. */
OSSL_LIB_CTX *sealing_library_context(void);

/* cipher_contexts.c */

/* A cipher context that may keep a key between calls, in memory that core dumps leave out. Contexts are pooled and never
 * freed; fork handlers clear their keys in the child. */
typedef struct sealing_context {
    struct sealing_context *next, *next_unused;
    void *context; /* NULL: libcrypto refused to clear a key, and the memory was zeroed instead */
} sealing_context_t;

/* NULL if libcrypto fails or without memory. */
sealing_context_t *sealing_context_acquire(void);
/* Clears the key. */
void sealing_context_release(sealing_context_t *cipher_context);
bool sealing_context_set_key(sealing_context_t *cipher_context, const void *key);
void sealing_context_clear(sealing_context_t *cipher_context);

/* gcm.c */

/* AES-256-GCM. With a key of NULL the context's current key is used. */
bool sealing_gcm_encrypt(
    const sealing_context_t *cipher_context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, unsigned char *out, unsigned char *tag);
int32_t sealing_gcm_decrypt(
    const sealing_context_t *cipher_context, const unsigned char *key, const unsigned char *nonce, const unsigned char *extra,
    size_t extra_length, const unsigned char *in, size_t length, const unsigned char *tag, unsigned char *out);

/* workspace.c */

enum { SEALING_HASH_BLOCK = 128 };

/* The memory in which hashing handles keys during one call. */
typedef struct sealing_scratch {
    SHA512_CTX hash;
    sealing_mac_state_t mac;
    sealing_key_t states;
    sealing_mac_key_t mac_states;
    unsigned char pad[SEALING_HASH_BLOCK], block[64];
} sealing_scratch_t;

/* One thread's memory for sealing and opening whole objects and for hashing. The context is keyed, and the rest in use, only
 * during a call. It is secret memory, so that core dumps leave it out and a forked child starts without one. */
typedef struct sealing_workspace {
    sealing_context_t *cipher;
    sealing_object_t object;
    sealing_scratch_t scratch;
} sealing_workspace_t;

/* This thread's, created on first use and released when the thread ends; NULL if libcrypto fails or without memory. */
sealing_workspace_t *sealing_workspace(void);

/* hash.c */

/* Two blocks of HKDF-Expand-SHA-512, of an `info` in two parts, in the memory of a workspace, or on the stack without one. */
void sealing_expand_twice(
    const sealing_key_t *key, const void *info, size_t length, const void *more, size_t more_length, sealing_workspace_t *workspace,
    unsigned char blocks[128]);

#endif
