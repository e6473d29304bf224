#include "internal.h"
#include <stdlib.h>

void keys_forget(file *f) {
    for (int i = 0; i < KEYS; i++) {
        sealing_held_free(f->keys[i].context);
        f->keys[i] = (keyed){0, NULL};
    }
    f->newest = 0;
}

void keys_renew(file *f) {
    uint64_t round = atomic_load(&f->access->keys);
    if (f->round != round) keys_forget(f);
    f->round = round;
}

sealing_held_t *keys_held(const file *f, uint32_t *epoch) {
    uint32_t wanted = *epoch ? *epoch : f->newest;
    for (int i = 0; wanted && i < KEYS; i++) {
        if (f->keys[i].epoch != wanted || !f->keys[i].context) continue;
        *epoch = wanted;
        return f->keys[i].context;
    }
    return NULL;
}

int keys_find(file *f, uint32_t *epoch, const void *info, size_t length, sealing_held_t **context) {
    if ((*context = keys_held(f, epoch))) return SQLITE_OK;
    unsigned char key[SEALING_KEY];
    bool is_newest = *epoch == 0;
    int32_t result = f->access->calls.derive(f->access->calls.context, epoch, info, length, key);
    if (result != ENCRYPTED_OPEN) return result == ENCRYPTED_CLOSED ? SQLITE_IOERR_AUTH : SQLITE_IOERR_DATA;
    if (is_newest) f->newest = *epoch;
    keyed *slot = &f->keys[f->next_key++ % KEYS];
    for (int i = 0; i < KEYS; i++) {
        if (f->keys[i].context && f->keys[i].epoch == *epoch) slot = &f->keys[i];
    }
    sealing_held_free(slot->context);
    *slot = (keyed){*epoch, sealing_held_new(key)};
    platform_zero(key, sizeof key);
    if (!slot->context) return SQLITE_IOERR_NOMEM;
    *context = slot->context;
    return SQLITE_OK;
}

bool keys_scratch(file *f, size_t size) {
    if (f->scratch_size >= size) return true;
    unsigned char *more = realloc(f->scratch, size);
    if (!more) return false;
    f->scratch = more;
    f->scratch_size = size;
    return true;
}

void tell_later(file *f, int32_t what, uint64_t page) {
    f->event = what;
    f->event_page = page;
}
