#include "internal.h"
#include <process_memory.h>
#include <process_secrets.h>
#include <string.h>

enum { BLOCK512 = SEALING_HASH_BLOCK, HASH512 = 64, BLOCK256 = 64 };

/* The thread's memory for hashing, or the stack without any. */
static sealing_scratch_t *scratch_memory(sealing_scratch_t *stack) {
    sealing_workspace_t *workspace = sealing_workspace();
    return workspace ? &workspace->scratch : stack;
}

static void hash_block(SHA512_CTX *hash, const unsigned char block[BLOCK512]) {
    SHA512_Init(hash);
    SHA512_Update(hash, block, BLOCK512);
}

/* The deepest frames are 4 KiB, where SHA-512 aligns its own to 2. To hash zeros need not reach the same addresses. */
__attribute__((noinline)) void sealing_clear_frames(void) {
    unsigned char frames[8192];
    process_zero(frames, sizeof frames);
}

/* The inner and outer hash states of HMAC, after the block of the padded key. `bytes` may be the scratch memory's block. */
static void prepare512(const void *bytes, size_t length, sealing_scratch_t *scratch) {
    SHA512_CTX *hash = &scratch->hash;
    unsigned char *pad = scratch->pad;
    memset(pad, 0, BLOCK512);
    if (length > BLOCK512) {
        SHA512_Init(hash);
        SHA512_Update(hash, bytes, length);
        SHA512_Final(pad, hash);
    } else if (length) {
        memcpy(pad, bytes, length);
    }
    for (size_t i = 0; i < BLOCK512; i++) pad[i] ^= 0x36;
    hash_block(hash, pad);
    memcpy(scratch->states.inner, hash->h, sizeof hash->h);
    for (size_t i = 0; i < BLOCK512; i++) pad[i] ^= 0x36 ^ 0x5c;
    hash_block(hash, pad);
    memcpy(scratch->states.outer, hash->h, sizeof hash->h);
}

void sealing_key_prepare(sealing_key_t *key, const void *bytes) {
    sealing_scratch_t stack, *scratch = scratch_memory(&stack);
    prepare512(bytes, SEALING_KEY, scratch);
    sealing_clear_frames();
    *key = scratch->states;
    OPENSSL_cleanse(scratch, sizeof *scratch);
}

static void begin512(const uint64_t state[8], SHA512_CTX *hash) {
    memcpy(hash->h, state, sizeof hash->h);
    hash->Nl = BLOCK512 * 8;
    hash->Nh = 0;
    hash->num = 0;
    hash->md_len = HASH512;
}

static void finish512(SHA512_CTX *hash, const sealing_key_t *key, unsigned char out[HASH512]) {
    SHA512_Final(out, hash);
    begin512(key->outer, hash);
    SHA512_Update(hash, out, HASH512);
    SHA512_Final(out, hash);
}

static void expand(
    const sealing_key_t *key, unsigned char number, const void *info, size_t length, const void *more, size_t more_length,
    unsigned char block[HASH512], SHA512_CTX *hash) {
    begin512(key->inner, hash);
    if (number > 1) SHA512_Update(hash, block, HASH512);
    if (length) SHA512_Update(hash, info, length);
    if (more_length) SHA512_Update(hash, more, more_length);
    SHA512_Update(hash, &number, 1);
    finish512(hash, key, block);
}

void sealing_expand_twice(
    const sealing_key_t *key, const void *info, size_t length, const void *more, size_t more_length, sealing_workspace_t *workspace,
    unsigned char blocks[2 * HASH512]) {
    sealing_scratch_t stack, *scratch = workspace ? &workspace->scratch : &stack;
    expand(key, 1, info, length, more, more_length, blocks, &scratch->hash);
    memcpy(blocks + HASH512, blocks, HASH512);
    expand(key, 2, info, length, more, more_length, blocks + HASH512, &scratch->hash);
    OPENSSL_cleanse(&scratch->hash, sizeof scratch->hash);
}

bool sealing_expand(const sealing_key_t *key, const void *info, size_t length, void *out) {
    sealing_scratch_t stack, *scratch = scratch_memory(&stack);
    expand(key, 1, info, length, NULL, 0, scratch->block, &scratch->hash);
    bool is_alive = process_secret_is_alive(key);
    memcpy(out, scratch->block, SEALING_KEY);
    OPENSSL_cleanse(&scratch->hash, sizeof scratch->hash);
    OPENSSL_cleanse(scratch->block, sizeof scratch->block);
    if (!is_alive) OPENSSL_cleanse(out, SEALING_KEY);
    return is_alive;
}

void sealing_hkdf_sha512(
    const void *key, size_t key_length, const void *salt, size_t salt_length, const void *info, size_t info_length, void *out,
    size_t count) {
    sealing_scratch_t stack, *scratch = scratch_memory(&stack);
    const sealing_key_t *states = &scratch->states;
    unsigned char *block = scratch->block, *to = out;
    prepare512(salt, salt_length, scratch);
    begin512(states->inner, &scratch->hash);
    SHA512_Update(&scratch->hash, key, key_length);
    finish512(&scratch->hash, states, block);
    prepare512(block, HASH512, scratch);
    for (unsigned char i = 1; count > 0; i++) {
        expand(states, i, info, info_length, NULL, 0, block, &scratch->hash);
        size_t piece = count < HASH512 ? count : HASH512;
        memcpy(to, block, piece);
        to += piece;
        count -= piece;
    }
    sealing_clear_frames();
    OPENSSL_cleanse(scratch, sizeof *scratch);
}

static void begin256(const uint32_t state[8], SHA256_CTX *hash) {
    SHA256_Init(hash);
    memcpy(hash->h, state, sizeof hash->h);
    hash->Nl = BLOCK256 * 8;
}

static void hash_block256(SHA256_CTX *hash, const unsigned char block[BLOCK256]) {
    SHA256_Init(hash);
    SHA256_Update(hash, block, BLOCK256);
}

void sealing_mac_prepare(sealing_mac_key_t *key, const void *bytes, size_t length) {
    sealing_scratch_t stack, *scratch = scratch_memory(&stack);
    SHA256_CTX *hash = (SHA256_CTX *)&scratch->mac;
    sealing_mac_key_t *states = &scratch->mac_states;
    unsigned char *pad = scratch->pad;
    memset(pad, 0, BLOCK256);
    if (length > BLOCK256) {
        SHA256_Init(hash);
        SHA256_Update(hash, bytes, length);
        SHA256_Final(pad, hash);
    } else if (length) {
        memcpy(pad, bytes, length);
    }
    for (size_t i = 0; i < BLOCK256; i++) pad[i] ^= 0x36;
    hash_block256(hash, pad);
    memcpy(states->inner, hash->h, sizeof states->inner);
    for (size_t i = 0; i < BLOCK256; i++) pad[i] ^= 0x36 ^ 0x5c;
    hash_block256(hash, pad);
    memcpy(states->outer, hash->h, sizeof states->outer);
    sealing_clear_frames();
    *key = *states;
    OPENSSL_cleanse(scratch, sizeof *scratch);
}

_Static_assert(sizeof(SHA256_CTX) <= sizeof(sealing_mac_state_t), "the state holds the hash context");

void sealing_mac_begin(const sealing_mac_key_t *key, sealing_mac_state_t *state) { begin256(key->inner, (SHA256_CTX *)state); }

void sealing_mac_add(sealing_mac_state_t *state, const void *bytes, size_t length) {
    if (length) SHA256_Update((SHA256_CTX *)state, bytes, length);
}

void sealing_mac_end(const sealing_mac_key_t *key, sealing_mac_state_t *state, void *out) {
    SHA256_CTX *hash = (SHA256_CTX *)state;
    SHA256_Final(out, hash);
    begin256(key->outer, hash);
    SHA256_Update(hash, out, SEALING_MAC);
    SHA256_Final(out, hash);
    OPENSSL_cleanse(state, sizeof *state);
}

void sealing_mac(const sealing_mac_key_t *key, const void *bytes, size_t length, void *out) {
    sealing_scratch_t stack, *scratch = scratch_memory(&stack);
    sealing_mac_begin(key, &scratch->mac);
    sealing_mac_add(&scratch->mac, bytes, length);
    sealing_mac_end(key, &scratch->mac, out);
}

bool sealing_mac_matches(const sealing_mac_key_t *key, const void *bytes, size_t length, const void *mac) {
    unsigned char expected[SEALING_MAC];
    sealing_mac(key, bytes, length, expected);
    bool same = CRYPTO_memcmp(expected, mac, SEALING_MAC) == 0;
    OPENSSL_cleanse(expected, sizeof expected);
    return same;
}
