#include "internal.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NONCE = 12, HASH = 64, SPAN = 4096 };

/* Contexts are used again and never freed: the memory that a dump leaves out is then no other data's. */
struct sealing_held {
    struct sealing_held *next;
    void *context;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sealing_held_t *unused;

static sealing_held_t *make(void) {
    if (!sealing_start()) return NULL;
    sealing_held_t *one = malloc(sizeof *one);
    void *context = one ? sealing_cipher.make(sealing_provider()) : NULL;
    if (!context) {
        free(one);
        return NULL;
    }
    *one = (sealing_held_t){NULL, context};
    /* The expanded key lies in it. Where the second page is not mapped, the first is left out all the same. */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)context & ~(page - 1);
    uintptr_t end = ((uintptr_t)context + SPAN + page - 1) & ~(page - 1);
    (void)madvise((void *)begin, end - begin, MADV_DONTDUMP);
    return one;
}

sealing_held_t *sealing_held_new(const void *key) {
    pthread_mutex_lock(&lock);
    sealing_held_t *one = unused;
    if (one) unused = one->next;
    pthread_mutex_unlock(&lock);
    if (!one && !(one = make())) return NULL;
    if (sealing_cipher.encrypt(one->context, key, SEALING_KEY, NULL, 0, NULL) == 1) return one;
    sealing_held_free(one);
    return NULL;
}

void sealing_held_free(sealing_held_t *one) {
    static const unsigned char zeros[SEALING_KEY];
    if (!one) return;
    if (sealing_cipher.encrypt(one->context, zeros, sizeof zeros, NULL, 0, NULL) != 1) {
        sealing_cipher.free(one->context); /* which cleanses it */
        free(one);
        return;
    }
    pthread_mutex_lock(&lock);
    one->next = unused;
    unused = one;
    pthread_mutex_unlock(&lock);
}

static OSSL_PARAM tag_parameter(unsigned char *tag) {
    return OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, SEALING_TAG);
}

int32_t sealing_held_seal(
    sealing_held_t *one, const void *nonce, const void *extra, size_t extra_length, const sealing_piece_t *pieces,
    size_t count, void *tag) {
    const sealing_cipher_t *c = &sealing_cipher;
    size_t done;
    unsigned char last[SEALING_TAG];
    OSSL_PARAM result[] = {tag_parameter(tag), OSSL_PARAM_END};
    if (c->encrypt(one->context, NULL, 0, nonce, NONCE, NULL) != 1) return SEALING_LIBRARY;
    if (extra_length && c->update(one->context, NULL, &done, extra_length, extra, extra_length) != 1) return SEALING_LIBRARY;
    for (size_t i = 0; i < count; i++) {
        const sealing_piece_t *p = &pieces[i];
        if (p->length && c->update(one->context, p->out, &done, p->length, p->in, p->length) != 1) return SEALING_LIBRARY;
    }
    return c->final(one->context, last, &done, sizeof last) == 1 && c->get(one->context, result) == 1 ? SEALING_OK
                                                                                                    : SEALING_LIBRARY;
}

int32_t sealing_held_open(
    sealing_held_t *one, const void *nonce, const void *extra, size_t extra_length, const sealing_piece_t *pieces,
    size_t count, const void *tag) {
    const sealing_cipher_t *c = &sealing_cipher;
    size_t done;
    unsigned char expected[SEALING_TAG], last[SEALING_TAG];
    memcpy(expected, tag, SEALING_TAG);
    OSSL_PARAM held_against[] = {tag_parameter(expected), OSSL_PARAM_END};
    int32_t status = SEALING_LIBRARY;
    bool fed = c->decrypt(one->context, NULL, 0, nonce, NONCE, NULL) == 1;
    if (fed && extra_length) fed = c->update(one->context, NULL, &done, extra_length, extra, extra_length) == 1;
    for (size_t i = 0; fed && i < count; i++) {
        const sealing_piece_t *p = &pieces[i];
        if (p->length) fed = c->update(one->context, p->out, &done, p->length, p->in, p->length) == 1;
    }
    if (fed && c->set(one->context, held_against) == 1) {
        status = c->final(one->context, last, &done, sizeof last) == 1 ? SEALING_OK : SEALING_NOT_AUTHENTIC;
    }
    if (status != SEALING_OK) {
        for (size_t i = 0; i < count; i++) {
            if (pieces[i].length) OPENSSL_cleanse(pieces[i].out, pieces[i].length);
        }
    }
    return status;
}

void sealing_expand(const sealing_key_t *key, const void *info, size_t length, void *out) {
    SHA512_CTX hash;
    unsigned char block[HASH], one = 1;
    sealing_hmac_begin(key->inner, &hash);
    if (length) SHA512_Update(&hash, info, length);
    SHA512_Update(&hash, &one, 1);
    SHA512_Final(block, &hash);
    sealing_hmac_begin(key->outer, &hash);
    SHA512_Update(&hash, block, HASH);
    SHA512_Final(block, &hash);
    memcpy(out, block, SEALING_KEY);
    OPENSSL_cleanse(block, sizeof block);
    OPENSSL_cleanse(&hash, sizeof hash);
}
