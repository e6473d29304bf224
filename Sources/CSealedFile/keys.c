#include "internal.h"
#include <string.h>
#include <platform_memory.h>

static const char LENGTH_INFO[] = "libmam v1 sealed file length";
static const char RECORDS_INFO[] = "libmam v1 sealed file records";

/* The key of a generation of records. */
static void derive(const unsigned char *key, uint32_t generation, unsigned char *out) {
    unsigned char info[sizeof RECORDS_INFO - 1 + 4];
    memcpy(info, RECORDS_INFO, sizeof RECORDS_INFO - 1);
    sealed_put(info + sizeof RECORDS_INFO - 1, 4, generation);
    sealing_hkdf_sha512(key, SEALING_KEY, NULL, 0, info, sizeof info, out, SEALING_KEY);
}

sealed_file_fault_t sealed_keys_make(sealed_file_t *file, const unsigned char *key) {
    secrets_t *secrets = platform_secret_alloc(NULL, sizeof *secrets);
    if (!secrets) return FAULT(SEALED_FILE_NO_MEMORY);
    unsigned char mac[SEALING_KEY];
    memcpy(secrets->key, key, SEALING_KEY);
    sealing_hkdf_sha512(key, SEALING_KEY, NULL, 0, LENGTH_INFO, sizeof LENGTH_INFO - 1, mac, sizeof mac);
    sealing_mac_prepare(&secrets->mac, mac, sizeof mac);
    platform_zero(mac, sizeof mac);
    atomic_store(&file->secrets, secrets);
    file->owner = sealing_keyed_owner(GENERATIONS + 1);
    return GOOD;
}

void sealed_file_forget(sealed_file_t *file) {
    pthread_mutex_lock(&file->keys);
    secrets_t *secrets = atomic_exchange(&file->secrets, NULL); /* first: a fork may come */
    if (secrets) platform_secret_free(secrets, sizeof *secrets);
    pthread_mutex_unlock(&file->keys);
    sealing_keyed_forget(file->owner, GENERATIONS + 1);
}

/* Its page stays, so it may be asked beside who forgets it. */
secrets_t *sealed_secrets(const sealed_file_t *file) {
    secrets_t *secrets = atomic_load(&file->secrets);
    return secrets && platform_secret_is_alive(secrets) ? secrets : NULL;
}

/* The key of a generation into a place. */
static sealed_file_fault_t key(sealed_file_t *file, uint32_t generation, sealing_keyed_t *place) {
    unsigned char records[SEALING_KEY];
    bool done = false;
    pthread_mutex_lock(&file->keys);
    secrets_t *secrets = sealed_secrets(file);
    bool is_open = secrets != NULL;
    if (is_open) {
        derive(secrets->key, generation, records);
        done = sealing_keyed_key(place, file->owner + generation, records);
        platform_zero(records, sizeof records);
    }
    pthread_mutex_unlock(&file->keys);
    return !is_open ? FAULT(SEALED_FILE_CLOSED) : !done ? FAULT(SEALED_FILE_LIBRARY) : GOOD;
}

sealed_file_fault_t sealed_bench_take(sealed_file_t *file, uint32_t generation, bench_t *bench) {
    bool is_keyed;
    if (!sealed_secrets(file)) return FAULT(SEALED_FILE_CLOSED);
    bench->cipher = sealing_keyed_take(file->owner + generation, file->hint, &is_keyed);
    if (!bench->cipher) return FAULT(SEALED_FILE_LIBRARY);
    file->hint = bench->cipher;
    bench->generation = generation;
    bench->pages = sealing_keyed_room(bench->cipher, ROOM);
    sealed_file_fault_t fault = bench->pages ? GOOD : FAULT(SEALED_FILE_NO_MEMORY);
    if (!fault.status && !is_keyed) fault = key(file, generation, bench->cipher);
    if (fault.status) sealed_bench_give(bench);
    return fault;
}

sealed_file_fault_t sealed_bench_key(sealed_file_t *file, uint32_t generation, bench_t *bench) {
    if (bench->generation == generation) return GOOD;
    sealed_file_fault_t fault = key(file, generation, bench->cipher);
    bench->generation = fault.status ? 0 : generation;
    return fault;
}

void sealed_bench_give(bench_t *bench) {
    sealing_keyed_give(bench->cipher);
    bench->cipher = NULL;
}
