#include "internal.h"
#include <process_secrets.h>

void keys_clear_locked(file *f) {
    for (int i = 0; i < CACHED_KEYS; i++) {
        sealing_cipher_free(f->keys[i].cipher);
        f->keys[i] = (cached_key){0, NULL};
    }
    f->newest_epoch = 0;
}

void keys_refresh_locked(file *f) {
    uint64_t version = atomic_load(&f->access->key_version);
    if (f->key_version != version) keys_clear_locked(f);
    f->key_version = version;
}

sealing_cipher_t *keys_cached_locked(const file *f, uint32_t *epoch) {
    uint32_t wanted = *epoch ? *epoch : f->newest_epoch;
    for (int i = 0; wanted && i < CACHED_KEYS; i++) {
        if (f->keys[i].epoch != wanted || !f->keys[i].cipher) continue;
        *epoch = wanted;
        return f->keys[i].cipher;
    }
    return NULL;
}

int keys_get_locked(file *f, uint32_t *epoch, const void *info, size_t length, sealing_cipher_t **cipher) {
    if ((*cipher = keys_cached_locked(f, epoch))) return SQLITE_OK;
    unsigned char *key = process_secret_alloc(NULL, SEALING_KEY);
    if (!key) return SQLITE_IOERR_NOMEM;
    bool is_newest = *epoch == 0;
    int32_t result = f->access->calls.derive(f->access->calls.context, epoch, info, length, key);
    if (result != ENCRYPTED_OPEN) {
        process_secret_free(key, SEALING_KEY);
        return result == ENCRYPTED_CLOSED ? SQLITE_IOERR_AUTH : SQLITE_IOERR_DATA;
    }
    if (is_newest) f->newest_epoch = *epoch;
    cached_key *slot = &f->keys[f->next_key++ % CACHED_KEYS];
    for (int i = 0; i < CACHED_KEYS; i++) {
        if (f->keys[i].cipher && f->keys[i].epoch == *epoch) slot = &f->keys[i];
    }
    sealing_cipher_free(slot->cipher);
    *slot = (cached_key){*epoch, sealing_cipher_new(key)};
    process_secret_free(key, SEALING_KEY);
    if (!slot->cipher) return SQLITE_IOERR_NOMEM;
    *cipher = slot->cipher;
    return SQLITE_OK;
}
