#include "internal.h"
#include <string.h>
#include <process_memory.h>
#include <process_secrets.h>

static const char LENGTH_INFO[] = "libmam v1 sealed file length";
static const char RECORDS_INFO[] = "libmam v1 sealed file records";

/* Derive the record key with a number. */
static void derive(const unsigned char *key, uint32_t key_number, unsigned char *out) {
    unsigned char info[sizeof RECORDS_INFO - 1 + 4];
    memcpy(info, RECORDS_INFO, sizeof RECORDS_INFO - 1);
    sealed_put_be(info + sizeof RECORDS_INFO - 1, 4, key_number);
    sealing_hkdf_sha512(key, SEALING_KEY, NULL, 0, info, sizeof info, out, SEALING_KEY);
}

sealed_file_fault_t sealed_keys_init(sealed_file_t *file, const unsigned char *key) {
    file_keys_t *keys = process_secret_alloc(NULL, sizeof *keys);
    if (!keys) return FAULT(SEALED_FILE_NO_MEMORY);
    memcpy(keys->key, key, SEALING_KEY);
    sealing_hkdf_sha512(key, SEALING_KEY, NULL, 0, LENGTH_INFO, sizeof LENGTH_INFO - 1, keys->derived, SEALING_KEY);
    sealing_mac_prepare(&keys->mac, keys->derived, SEALING_KEY);
    process_zero(keys->derived, SEALING_KEY);
    atomic_store(&file->verified.keys, keys);
    file->slot_owner = sealing_slot_new_owners(MAX_KEY_NUMBER + 1);
    return GOOD;
}

void sealed_file_clear_keys(sealed_file_t *file) {
    pthread_mutex_lock(&file->verified.mutex);
    file_keys_t *keys = atomic_exchange(&file->verified.keys, NULL); /* first, in case of a fork */
    if (keys) process_secret_free(keys, sizeof *keys);
    pthread_mutex_unlock(&file->verified.mutex);
    sealing_slot_clear_keys(file->slot_owner, MAX_KEY_NUMBER + 1);
}

/* The memory page is never unmapped, so this is safe while another thread clears the keys. */
file_keys_t *sealed_keys(const sealed_file_t *file) {
    file_keys_t *keys = atomic_load(&file->verified.keys);
    return keys && process_secret_is_alive(keys) ? keys : NULL;
}

/* Derive the record key with a number into a cipher slot. */
static sealed_file_fault_t set_slot_key(sealed_file_t *file, uint32_t key_number, sealing_slot_t *slot) {
    bool done = false;
    pthread_mutex_lock(&file->verified.mutex);
    file_keys_t *keys = sealed_keys(file);
    bool is_open = keys != NULL;
    if (is_open) {
        derive(keys->key, key_number, keys->derived);
        done = sealing_slot_set_key(slot, file->slot_owner + key_number, keys->derived);
        process_zero(keys->derived, SEALING_KEY);
    }
    pthread_mutex_unlock(&file->verified.mutex);
    return !is_open ? FAULT(SEALED_FILE_CLOSED) : !done ? FAULT(SEALED_FILE_LIBRARY) : GOOD;
}

sealed_file_fault_t sealed_workspace_acquire(sealed_file_t *file, uint32_t key_number, workspace_t *workspace) {
    bool is_keyed;
    if (!sealed_keys(file)) return FAULT(SEALED_FILE_CLOSED);
    workspace->cipher = sealing_slot_acquire(file->slot_owner + key_number, file->slot_hint, &is_keyed);
    if (!workspace->cipher) return FAULT(SEALED_FILE_LIBRARY);
    file->slot_hint = workspace->cipher;
    workspace->key_number = key_number;
    workspace->pages = sealing_slot_memory(workspace->cipher, WORKSPACE_SIZE);
    sealed_file_fault_t fault = workspace->pages ? GOOD : FAULT(SEALED_FILE_NO_MEMORY);
    if (!fault.status && !is_keyed) fault = set_slot_key(file, key_number, workspace->cipher);
    if (fault.status) sealed_workspace_release(workspace);
    return fault;
}

sealed_file_fault_t sealed_workspace_set_key(sealed_file_t *file, uint32_t key_number, workspace_t *workspace) {
    if (workspace->key_number == key_number) return GOOD;
    sealed_file_fault_t fault = set_slot_key(file, key_number, workspace->cipher);
    workspace->key_number = fault.status ? 0 : key_number;
    return fault;
}

void sealed_workspace_release(workspace_t *workspace) {
    sealing_slot_release(workspace->cipher);
    workspace->cipher = NULL;
}
