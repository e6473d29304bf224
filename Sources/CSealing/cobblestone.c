#include "internal.h"
#include <errno.h>
#include <platform_secrets.h>
#include <string.h>
#include <sys/random.h>

enum { NONCE = SEALING_NONCE, HASH = 64, PREFIX = SEALING_SALT + SEALING_COMMITMENT };

/* The separator is the text's own NUL. */
static const char LABEL[48] = "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM";

/* An object's keys for as long as a call takes; on the stack where there is no better place. */
static sealing_object_t *room(sealing_object_t *stack) {
    sealing_place_t *place = sealing_place();
    return place ? place->object : stack;
}

/* Whether the key was there until the end: what is derived from one that was zeroed meanwhile is nothing. */
static bool derive(
    const sealing_key_t *key, const unsigned char *salt, const void *context, size_t length, sealing_object_t *object) {
    unsigned char head[sizeof LABEL + SEALING_SALT];
    memcpy(head, LABEL, sizeof LABEL);
    memcpy(head + sizeof LABEL, salt, SEALING_SALT);
    sealing_expand_block(key, 1, head, sizeof head, context, length, object->blocks);
    memcpy(object->blocks + HASH, object->blocks, HASH);
    sealing_expand_block(key, 2, head, sizeof head, context, length, object->blocks + HASH);
    if (platform_secret_is_alive(key)) return true;
    OPENSSL_cleanse(object, sizeof *object);
    return false;
}

bool sealing_derive(
    const sealing_key_t *key, const void *context, size_t context_length, const void *salt, void *object_key,
    void *commitment) {
    sealing_object_t stack, *object = room(&stack);
    if (!derive(key, salt, context, context_length, object)) return false;
    memcpy(object_key, object->key, SEALING_KEY);
    memcpy(commitment, object->commitment, SEALING_COMMITMENT);
    OPENSSL_cleanse(object, sizeof *object);
    return true;
}

/* The nonce of a chunk: the base with the chunk's number, big-endian, XORed into its end. */
static void number(unsigned char nonce[NONCE], const sealing_object_t *object, uint64_t chunk) {
    memcpy(nonce, object->nonce, NONCE);
    for (int i = NONCE - 1; chunk; i--, chunk >>= 8) nonce[i] ^= (unsigned char)chunk;
}

static bool draw(unsigned char *salt) {
    for (;;) {
        ssize_t got = getrandom(salt, SEALING_SALT, 0); /* so few bytes come whole or not at all */
        if (got == SEALING_SALT) return true;
        if (got >= 0 || errno != EINTR) return false;
    }
}

static bool overlap(const unsigned char *a, size_t a_length, const unsigned char *b, size_t b_length) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y + b_length && y < x + a_length;
}

static size_t sealed_length(size_t length) {
    return PREFIX + length + (length / SEALING_CHUNK + 1) * SEALING_TAG;
}

/* An address for empty input, so that no arithmetic is done on NULL. */
static const unsigned char nothing[1];

/* The full chunks of some bytes from a number on and, where the bytes end the object, the last one. Where input and output
 * overlap, the chunks are sealed from the last to the first, each moved to its place before. */
static bool seal_chunks(
    const sealing_object_t *object, uint64_t first, const unsigned char *in, size_t length, bool ends, unsigned char *out,
    bool moving) {
    sealing_place_t *place = sealing_place();
    if (!place) return false;
    size_t full = length / SEALING_CHUNK, chunks = full + ends;
    const unsigned char *key = object->key;
    bool done = true;
    for (size_t turn = 0; done && turn < chunks; turn++) {
        size_t i = moving ? chunks - 1 - turn : turn;
        size_t count = i == full ? length % SEALING_CHUNK : SEALING_CHUNK;
        const unsigned char *from = in + i * SEALING_CHUNK;
        unsigned char *to = out + i * (SEALING_CHUNK + SEALING_TAG), nonce[NONCE];
        if (moving) from = memmove(to, from, count);
        number(nonce, object, first + i);
        done = sealing_gcm_encrypt(place->cipher, key, nonce, NULL, 0, from, count, to, to + count);
        key = NULL;
    }
    sealing_undumped_forget(place->cipher);
    return done;
}

int32_t sealing_seal(
    const sealing_key_t *key, const void *context, size_t context_length, const void *salt, const void *plain,
    size_t length, void *out) {
    const unsigned char *in = length ? plain : nothing;
    unsigned char *to = out;
    size_t total = sealed_length(length);
    bool moving = length && overlap(in, length, to, total);
    if (moving && (uintptr_t)in > (uintptr_t)to + PREFIX) return SEALING_OVERLAP;
    unsigned char drawn[SEALING_SALT];
    if (salt) memcpy(drawn, salt, SEALING_SALT);
    else if (!draw(drawn)) {
        memset(out, 0, total);
        return SEALING_NO_RANDOM;
    }
    sealing_object_t stack, *object = room(&stack);
    bool is_alive = derive(key, drawn, context, context_length, object);
    bool done = is_alive && seal_chunks(object, 0, in, length, true, to + PREFIX, moving);
    if (done) {
        memcpy(to, drawn, SEALING_SALT);
        memcpy(to + SEALING_SALT, object->commitment, SEALING_COMMITMENT);
    } else {
        memset(out, 0, total);
    }
    OPENSSL_cleanse(object, sizeof *object);
    return done ? SEALING_OK : is_alive ? SEALING_LIBRARY : SEALING_DEAD;
}

static int32_t open_chunks(
    const sealing_object_t *object, uint64_t first, const unsigned char *in, unsigned char *out, size_t length, bool ends,
    bool moving) {
    sealing_place_t *place = sealing_place();
    if (!place) return SEALING_LIBRARY;
    size_t full = length / SEALING_CHUNK, chunks = full + ends;
    const unsigned char *key = object->key;
    int32_t status = SEALING_OK;
    for (size_t i = 0; status == SEALING_OK && i < chunks; i++) {
        size_t count = i == full ? length % SEALING_CHUNK : SEALING_CHUNK;
        const unsigned char *from = in + i * (SEALING_CHUNK + SEALING_TAG), *tag = from + count;
        unsigned char *to = out + i * SEALING_CHUNK, nonce[NONCE];
        if (moving) from = memmove(to, from, count); /* ends before the tag */
        number(nonce, object, first + i);
        status = sealing_gcm_decrypt(place->cipher, key, nonce, NULL, 0, from, count, tag, to);
        key = NULL;
    }
    sealing_undumped_forget(place->cipher);
    return status;
}

int32_t sealing_open(
    const sealing_key_t *key, const void *context, size_t context_length, const void *sealed, void *out,
    size_t length) {
    unsigned char none[1], *to = length ? out : none;
    const unsigned char *in = sealed;
    bool moving = length && overlap(in, sealed_length(length), to, length);
    if (moving && (uintptr_t)to > (uintptr_t)in + PREFIX) return SEALING_OVERLAP;
    sealing_object_t stack, *object = room(&stack);
    int32_t status = derive(key, in, context, context_length, object) ? SEALING_NOT_AUTHENTIC : SEALING_DEAD;
    if (status != SEALING_DEAD && CRYPTO_memcmp(object->commitment, in + SEALING_SALT, SEALING_COMMITMENT) == 0) {
        status = open_chunks(object, 0, in + PREFIX, to, length, true, moving);
    }
    OPENSSL_cleanse(object, sizeof *object);
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}

bool sealing_commits(const sealing_key_t *key, const void *context, size_t context_length, const void *sealed) {
    const unsigned char *in = sealed;
    sealing_object_t stack, *object = room(&stack);
    bool same = derive(key, in, context, context_length, object) && CRYPTO_memcmp(object->commitment, in + SEALING_SALT, SEALING_COMMITMENT) == 0;
    OPENSSL_cleanse(object, sizeof *object);
    return same;
}

int32_t sealing_object_make(
    const sealing_key_t *key, const void *context, size_t context_length, const void *salt, sealing_object_t *object,
    void *prefix) {
    unsigned char *to = prefix;
    if (salt) memcpy(to, salt, SEALING_SALT);
    else if (!draw(to)) return SEALING_NO_RANDOM;
    if (!derive(key, to, context, context_length, object)) return SEALING_DEAD;
    memcpy(to + SEALING_SALT, object->commitment, SEALING_COMMITMENT);
    return SEALING_OK;
}

int32_t sealing_object_find(
    const sealing_key_t *key, const void *context, size_t context_length, const void *prefix, sealing_object_t *object) {
    const unsigned char *from = prefix;
    if (!derive(key, from, context, context_length, object)) return SEALING_DEAD;
    if (CRYPTO_memcmp(object->commitment, from + SEALING_SALT, SEALING_COMMITMENT) == 0) return SEALING_OK;
    OPENSSL_cleanse(object, sizeof *object);
    return SEALING_NOT_AUTHENTIC;
}

int32_t sealing_seal_chunks(
    const sealing_object_t *object, uint64_t first, const void *plain, size_t length, bool ends, void *out) {
    bool done = seal_chunks(object, first, length ? plain : nothing, length, ends, out, false);
    bool is_alive = platform_secret_is_alive(object);
    if (done && is_alive) return SEALING_OK;
    OPENSSL_cleanse(out, length + (length / SEALING_CHUNK + ends) * SEALING_TAG);
    return is_alive ? SEALING_LIBRARY : SEALING_DEAD;
}

int32_t sealing_open_chunks(
    const sealing_object_t *object, uint64_t first, const void *sealed, size_t length, bool ends, void *out) {
    unsigned char none[1];
    int32_t status = open_chunks(object, first, sealed, length ? out : none, length, ends, false);
    if (!platform_secret_is_alive(object)) status = SEALING_DEAD;
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}
