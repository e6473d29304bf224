#include "internal.h"
#include <errno.h>
#include <process_secrets.h>
#include <string.h>
#include <sys/random.h>

enum { NONCE = SEALING_NONCE, PREFIX = SEALING_SALT + SEALING_COMMITMENT };

/* The terminating NUL is the separator. */
static const char LABEL[48] = "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM";

/* Memory for an object's keys during one call: the thread's workspace, or the stack without one. */
static sealing_object_t *object_memory(sealing_workspace_t *workspace, sealing_object_t *stack) {
    return workspace ? &workspace->object : stack;
}

/* False if the key was zeroed meanwhile: the result would be derived from zeros. */
static bool derive(
    const sealing_key_t *key, const unsigned char *salt, const void *context, size_t length, sealing_workspace_t *workspace,
    sealing_object_t *object) {
    unsigned char head[sizeof LABEL + SEALING_SALT];
    memcpy(head, LABEL, sizeof LABEL);
    memcpy(head + sizeof LABEL, salt, SEALING_SALT);
    sealing_expand_twice(key, head, sizeof head, context, length, workspace, object->blocks);
    if (process_secret_is_alive(key)) return true;
    OPENSSL_cleanse(object, sizeof *object);
    return false;
}

bool sealing_derive(
    const sealing_key_t *key, const void *context, size_t context_length, const void *salt, void *object_key, void *commitment) {
    sealing_workspace_t *workspace = sealing_workspace();
    sealing_object_t stack, *object = object_memory(workspace, &stack);
    if (!derive(key, salt, context, context_length, workspace, object)) return false;
    memcpy(object_key, object->key, SEALING_KEY);
    memcpy(commitment, object->commitment, SEALING_COMMITMENT);
    OPENSSL_cleanse(object, sizeof *object);
    return true;
}

/* The object's base nonce with the chunk number, big-endian, XORed into its end. */
static void chunk_nonce(unsigned char nonce[NONCE], const sealing_object_t *object, uint64_t chunk) {
    memcpy(nonce, object->nonce, NONCE);
    for (int i = NONCE - 1; chunk; i--, chunk >>= 8) nonce[i] ^= (unsigned char)chunk;
}

static bool random_salt(unsigned char *salt) {
    for (;;) {
        ssize_t got = getrandom(salt, SEALING_SALT, 0); /* up to 256 bytes are never split */
        if (got == SEALING_SALT) return true;
        if (got >= 0 || errno != EINTR) return false;
    }
}

static bool overlap(const unsigned char *a, size_t a_length, const unsigned char *b, size_t b_length) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y + b_length && y < x + a_length;
}

static size_t sealed_length(size_t length) { return PREFIX + length + (length / SEALING_CHUNK + 1) * SEALING_TAG; }

/* The address of empty input: arithmetic on NULL is undefined. */
static const unsigned char nothing[1];

/* Seal the full chunks from number `first` on, and the last, shorter one if the bytes end the object. If input and output
 * overlap, the chunks are moved to the output and sealed there one by one, from the last to the first. */
static bool seal_chunks(
    sealing_workspace_t *workspace, const sealing_object_t *object, uint64_t first, const unsigned char *in, size_t length,
    bool ends, unsigned char *out, bool moving) {
    if (!workspace) return false;
    size_t full = length / SEALING_CHUNK, chunks = full + ends;
    const unsigned char *key = object->key;
    bool done = true;
    for (size_t step = 0; done && step < chunks; step++) {
        size_t i = moving ? chunks - 1 - step : step;
        size_t count = i == full ? length % SEALING_CHUNK : SEALING_CHUNK;
        const unsigned char *from = in + i * SEALING_CHUNK;
        unsigned char *to = out + i * (SEALING_CHUNK + SEALING_TAG), nonce[NONCE];
        if (moving) from = memmove(to, from, count);
        chunk_nonce(nonce, object, first + i);
        done = sealing_gcm_encrypt(workspace->cipher, key, nonce, NULL, 0, from, count, to, to + count);
        key = NULL;
    }
    sealing_context_clear(workspace->cipher);
    return done;
}

int32_t sealing_seal(
    const sealing_key_t *key, const void *context, size_t context_length, const void *salt, const void *plain, size_t length,
    void *out) {
    const unsigned char *in = length ? plain : nothing;
    unsigned char *to = out;
    size_t total = sealed_length(length);
    bool moving = length && overlap(in, length, to, total);
    if (moving && (uintptr_t)in > (uintptr_t)to + PREFIX) return SEALING_OVERLAP;
    unsigned char used_salt[SEALING_SALT];
    if (salt) memcpy(used_salt, salt, SEALING_SALT);
    else if (!random_salt(used_salt)) {
        memset(out, 0, total);
        return SEALING_NO_RANDOM;
    }
    sealing_workspace_t *workspace = sealing_workspace();
    sealing_object_t stack, *object = object_memory(workspace, &stack);
    bool is_alive = derive(key, used_salt, context, context_length, workspace, object);
    bool done = is_alive && seal_chunks(workspace, object, 0, in, length, true, to + PREFIX, moving);
    if (done) {
        memcpy(to, used_salt, SEALING_SALT);
        memcpy(to + SEALING_SALT, object->commitment, SEALING_COMMITMENT);
    } else {
        memset(out, 0, total);
    }
    OPENSSL_cleanse(object, sizeof *object);
    return done ? SEALING_OK : is_alive ? SEALING_LIBRARY : SEALING_KEY_GONE;
}

static int32_t open_chunks(
    sealing_workspace_t *workspace, const sealing_object_t *object, uint64_t first, const unsigned char *in, unsigned char *out,
    size_t length, bool ends, bool moving) {
    if (!workspace) return SEALING_LIBRARY;
    size_t full = length / SEALING_CHUNK, chunks = full + ends;
    const unsigned char *key = object->key;
    int32_t status = SEALING_OK;
    for (size_t i = 0; status == SEALING_OK && i < chunks; i++) {
        size_t count = i == full ? length % SEALING_CHUNK : SEALING_CHUNK;
        const unsigned char *from = in + i * (SEALING_CHUNK + SEALING_TAG), *tag = from + count;
        unsigned char *to = out + i * SEALING_CHUNK, nonce[NONCE];
        if (moving) from = memmove(to, from, count); /* the tag lies behind the moved bytes */
        chunk_nonce(nonce, object, first + i);
        status = sealing_gcm_decrypt(workspace->cipher, key, nonce, NULL, 0, from, count, tag, to);
        key = NULL;
    }
    sealing_context_clear(workspace->cipher);
    return status;
}

int32_t sealing_open(
    const sealing_key_t *key, const void *context, size_t context_length, const void *sealed, void *out, size_t length) {
    unsigned char none[1], *to = length ? out : none;
    const unsigned char *in = sealed;
    bool moving = length && overlap(in, sealed_length(length), to, length);
    if (moving && (uintptr_t)to > (uintptr_t)in + PREFIX) return SEALING_OVERLAP;
    sealing_workspace_t *workspace = sealing_workspace();
    sealing_object_t stack, *object = object_memory(workspace, &stack);
    int32_t status = derive(key, in, context, context_length, workspace, object) ? SEALING_NOT_AUTHENTIC : SEALING_KEY_GONE;
    if (status != SEALING_KEY_GONE && CRYPTO_memcmp(object->commitment, in + SEALING_SALT, SEALING_COMMITMENT) == 0) {
        status = open_chunks(workspace, object, 0, in + PREFIX, to, length, true, moving);
    }
    OPENSSL_cleanse(object, sizeof *object);
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}

bool sealing_commitment_matches(const sealing_key_t *key, const void *context, size_t context_length, const void *sealed) {
    const unsigned char *in = sealed;
    sealing_workspace_t *workspace = sealing_workspace();
    sealing_object_t stack, *object = object_memory(workspace, &stack);
    bool same = derive(key, in, context, context_length, workspace, object)
        && CRYPTO_memcmp(object->commitment, in + SEALING_SALT, SEALING_COMMITMENT) == 0;
    OPENSSL_cleanse(object, sizeof *object);
    return same;
}

int32_t sealing_object_create(
    const sealing_key_t *key, const void *context, size_t context_length, const void *salt, sealing_object_t *object,
    void *prefix) {
    unsigned char *to = prefix;
    if (salt) memcpy(to, salt, SEALING_SALT);
    else if (!random_salt(to)) return SEALING_NO_RANDOM;
    if (!derive(key, to, context, context_length, sealing_workspace(), object)) return SEALING_KEY_GONE;
    memcpy(to + SEALING_SALT, object->commitment, SEALING_COMMITMENT);
    return SEALING_OK;
}

int32_t sealing_object_derive(
    const sealing_key_t *key, const void *context, size_t context_length, const void *prefix, sealing_object_t *object) {
    const unsigned char *from = prefix;
    if (!derive(key, from, context, context_length, sealing_workspace(), object)) return SEALING_KEY_GONE;
    if (CRYPTO_memcmp(object->commitment, from + SEALING_SALT, SEALING_COMMITMENT) == 0) return SEALING_OK;
    OPENSSL_cleanse(object, sizeof *object);
    return SEALING_NOT_AUTHENTIC;
}

int32_t sealing_seal_chunks(
    const sealing_object_t *object, uint64_t first, const void *plain, size_t length, bool ends, void *out) {
    bool done = seal_chunks(sealing_workspace(), object, first, length ? plain : nothing, length, ends, out, false);
    bool is_alive = process_secret_is_alive(object);
    if (done && is_alive) return SEALING_OK;
    OPENSSL_cleanse(out, length + (length / SEALING_CHUNK + ends) * SEALING_TAG);
    return is_alive ? SEALING_LIBRARY : SEALING_KEY_GONE;
}

int32_t sealing_open_chunks(
    const sealing_object_t *object, uint64_t first, const void *sealed, size_t length, bool ends, void *out) {
    unsigned char none[1];
    int32_t status = open_chunks(sealing_workspace(), object, first, sealed, length ? out : none, length, ends, false);
    if (!process_secret_is_alive(object)) status = SEALING_KEY_GONE;
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}
