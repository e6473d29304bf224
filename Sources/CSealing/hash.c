#include "internal.h"
#include <platform_secrets.h>
#include <string.h>

enum { BLOCK512 = 128, HASH512 = 64, BLOCK256 = 64 };

/* HMAC's two states: the hash after one block of the key, padded differently. */
static void prepare512(uint64_t inner[8], uint64_t outer[8], const void *bytes, size_t length) {
    unsigned char pad[BLOCK512] = {0};
    SHA512_CTX hash;
    if (length > BLOCK512) {
        SHA512_Init(&hash);
        SHA512_Update(&hash, bytes, length);
        SHA512_Final(pad, &hash);
    } else if (length) {
        memcpy(pad, bytes, length);
    }
    for (size_t i = 0; i < BLOCK512; i++) pad[i] ^= 0x36;
    SHA512_Init(&hash);
    SHA512_Update(&hash, pad, BLOCK512);
    memcpy(inner, hash.h, sizeof hash.h);
    for (size_t i = 0; i < BLOCK512; i++) pad[i] ^= 0x36 ^ 0x5c;
    SHA512_Init(&hash);
    SHA512_Update(&hash, pad, BLOCK512);
    memcpy(outer, hash.h, sizeof hash.h);
    OPENSSL_cleanse(pad, sizeof pad);
    OPENSSL_cleanse(&hash, sizeof hash);
}

void sealing_key_prepare(sealing_key_t *key, const void *bytes) {
    prepare512(key->inner, key->outer, bytes, SEALING_KEY);
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

void sealing_expand_block(
    const sealing_key_t *key, unsigned char number, const void *info, size_t length, const void *more,
    size_t more_length, unsigned char block[HASH512]) {
    SHA512_CTX hash;
    begin512(key->inner, &hash);
    if (number > 1) SHA512_Update(&hash, block, HASH512);
    if (length) SHA512_Update(&hash, info, length);
    if (more_length) SHA512_Update(&hash, more, more_length);
    SHA512_Update(&hash, &number, 1);
    finish512(&hash, key, block);
    OPENSSL_cleanse(&hash, sizeof hash);
}

bool sealing_expand(const sealing_key_t *key, const void *info, size_t length, void *out) {
    unsigned char block[HASH512];
    sealing_expand_block(key, 1, info, length, NULL, 0, block);
    bool is_alive = platform_secret_is_alive(key);
    memcpy(out, block, SEALING_KEY);
    OPENSSL_cleanse(block, sizeof block);
    if (!is_alive) OPENSSL_cleanse(out, SEALING_KEY);
    return is_alive;
}

void sealing_hkdf_sha512(
    const void *key, size_t key_length, const void *salt, size_t salt_length, const void *info, size_t info_length,
    void *out, size_t count) {
    sealing_key_t states;
    SHA512_CTX hash;
    unsigned char block[HASH512], *to = out;
    prepare512(states.inner, states.outer, salt, salt_length);
    begin512(states.inner, &hash);
    SHA512_Update(&hash, key, key_length);
    finish512(&hash, &states, block);
    prepare512(states.inner, states.outer, block, HASH512);
    for (unsigned char i = 1; count > 0; i++) {
        sealing_expand_block(&states, i, info, info_length, NULL, 0, block);
        size_t piece = count < HASH512 ? count : HASH512;
        memcpy(to, block, piece);
        to += piece;
        count -= piece;
    }
    OPENSSL_cleanse(block, sizeof block);
    OPENSSL_cleanse(&hash, sizeof hash);
    OPENSSL_cleanse(&states, sizeof states);
}

static void begin256(const uint32_t state[8], SHA256_CTX *hash) {
    SHA256_Init(hash);
    memcpy(hash->h, state, sizeof hash->h);
    hash->Nl = BLOCK256 * 8;
}

void sealing_mac_prepare(sealing_mac_key_t *key, const void *bytes, size_t length) {
    unsigned char pad[BLOCK256] = {0};
    SHA256_CTX hash;
    if (length > BLOCK256) {
        SHA256_Init(&hash);
        SHA256_Update(&hash, bytes, length);
        SHA256_Final(pad, &hash);
    } else if (length) {
        memcpy(pad, bytes, length);
    }
    for (size_t i = 0; i < BLOCK256; i++) pad[i] ^= 0x36;
    SHA256_Init(&hash);
    SHA256_Update(&hash, pad, BLOCK256);
    memcpy(key->inner, hash.h, sizeof hash.h);
    for (size_t i = 0; i < BLOCK256; i++) pad[i] ^= 0x36 ^ 0x5c;
    SHA256_Init(&hash);
    SHA256_Update(&hash, pad, BLOCK256);
    memcpy(key->outer, hash.h, sizeof hash.h);
    OPENSSL_cleanse(pad, sizeof pad);
    OPENSSL_cleanse(&hash, sizeof hash);
}

_Static_assert(sizeof(SHA256_CTX) <= sizeof(sealing_mac_state_t), "a MAC under way has room for its hash");

void sealing_mac_begin(const sealing_mac_key_t *key, sealing_mac_state_t *state) {
    begin256(key->inner, (SHA256_CTX *)state);
}

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
    sealing_mac_state_t state;
    sealing_mac_begin(key, &state);
    sealing_mac_add(&state, bytes, length);
    sealing_mac_end(key, &state, out);
}

bool sealing_mac_matches(const sealing_mac_key_t *key, const void *bytes, size_t length, const void *mac) {
    unsigned char expected[SEALING_MAC];
    sealing_mac(key, bytes, length, expected);
    bool same = CRYPTO_memcmp(expected, mac, SEALING_MAC) == 0;
    OPENSSL_cleanse(expected, sizeof expected);
    return same;
}
