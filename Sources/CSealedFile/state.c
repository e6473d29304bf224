#include "internal.h"
#include <string.h>

/* A copy, by offset: 0 sequence, 8 length, 16 dense records, 24 sealed records, 32 key number, 36 flags, 37 zeros,
 * 64 MAC. There are two, in different sectors, written one after the other. */
enum { FIRST = 2048, SECOND = 3072, BOTH = SECOND - FIRST + SEALED_STATE_COPY, STATE_FIELDS = 64 };

static bool encode(sealed_file_t *file, const state_t *state, unsigned char *copy) {
    memset(copy, 0, STATE_FIELDS);
    sealed_put_be(copy, 8, state->sequence);
    sealed_put_be(copy + 8, 8, state->length);
    sealed_put_be(copy + 16, 8, state->dense);
    sealed_put_be(copy + 24, 8, state->sealed);
    sealed_put_be(copy + 32, 4, state->key_number);
    copy[36] = state->flags;
    pthread_mutex_lock(&file->verified.mutex);
    const file_keys_t *keys = sealed_keys(file);
    if (keys) sealing_mac(&keys->mac, copy, STATE_FIELDS, copy + STATE_FIELDS);
    pthread_mutex_unlock(&file->verified.mutex);
    return keys != NULL;
}

void sealed_state_encode(sealed_file_t *file, const state_t *state, unsigned char *page) {
    encode(file, state, page + FIRST);
    encode(file, state, page + SECOND);
}

/* Decode a copy; false if it does not verify. */
static bool decode(sealed_file_t *file, const unsigned char *copy, state_t *state, sealed_file_fault_t *fault) {
    *state = (state_t){
        .sequence = sealed_get_be(copy, 8),
        .length = sealed_get_be(copy + 8, 8),
        .dense = sealed_get_be(copy + 16, 8),
        .sealed = sealed_get_be(copy + 24, 8),
        .key_number = (uint32_t)sealed_get_be(copy + 32, 4),
        .flags = copy[36]};
    pthread_mutex_lock(&file->verified.mutex);
    const file_keys_t *keys = sealed_keys(file);
    bool is_open = keys != NULL, is_known = is_open && memcmp(copy, file->verified.copy, SEALED_STATE_COPY) == 0;
    if (is_open && !is_known && (is_known = sealing_mac_matches(&keys->mac, copy, STATE_FIELDS, copy + STATE_FIELDS)))
        memcpy(file->verified.copy, copy, SEALED_STATE_COPY);
    pthread_mutex_unlock(&file->verified.mutex);
    if (!is_open) *fault = FAULT(SEALED_FILE_CLOSED);
    return is_known && state->length <= SEALED_MAX_LENGTH && state->dense <= sealed_record_count(state->length)
        && state->key_number >= 1 && state->key_number <= MAX_KEY_NUMBER;
}

static sealed_file_fault_t read_newest(sealed_file_t *file, state_t *state) {
    unsigned char both[BOTH];
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, both, BOTH, FIRST);
    if (fault.status) return fault;
    state_t second;
    bool is_first = decode(file, both, state, &fault);
    if (fault.status) return fault;
    if (is_first && memcmp(both, both + SECOND - FIRST, SEALED_STATE_COPY) == 0) return GOOD;
    bool is_second = decode(file, both + SECOND - FIRST, &second, &fault);
    if (fault.status) return fault;
    if (!is_first && !is_second) return FAULT(SEALED_FILE_NOT_AUTHENTIC);
    if (is_second && (!is_first || second.sequence > state->sequence)) *state = second;
    else state->is_second_older = true;
    return GOOD;
}

/* The cached state, if there was no commit since. */
static bool read_cached_state(sealed_file_t *file, uint32_t version, state_t *state) {
    pthread_mutex_lock(&file->verified.mutex);
    bool is_known = !(version & 1) && version == file->verified.version && sealed_keys(file);
    if (is_known) *state = file->verified.state;
    pthread_mutex_unlock(&file->verified.mutex);
    return is_known;
}

static void cache_state(sealed_file_t *file, uint32_t version, const state_t *state) {
    if (version & 1) return;
    pthread_mutex_lock(&file->verified.mutex);
    file->verified.state = *state;
    file->verified.version = version;
    pthread_mutex_unlock(&file->verified.mutex);
}

sealed_file_fault_t sealed_state_read(sealed_file_t *file, state_t *state) {
    sealed_file_fault_t fault = GOOD;
    uint32_t version = atomic_load(sealed_length_version(file));
    if (read_cached_state(file, version, state)) return GOOD;
    /* Repeat, because two commits during one read leave no copy that verifies. */
    for (int attempt = 0; attempt < 16; attempt++) {
        fault = read_newest(file, state);
        if (!fault.status) cache_state(file, version, state);
        if (fault.status != SEALED_FILE_NOT_AUTHENTIC) return fault;
    }
    return fault;
}

sealed_file_fault_t sealed_state_commit_locked(sealed_file_t *file, state_t *state) {
    unsigned char copy[SEALED_STATE_COPY];
    state->sequence++;
    if (!encode(file, state, copy)) return FAULT(SEALED_FILE_CLOSED);
    /* Overwrite the older copy first: the other stays valid until this one is complete. */
    int64_t order[] = {state->is_second_older ? SECOND : FIRST, state->is_second_older ? FIRST : SECOND};
    sealed_version_t *version = sealed_length_version(file);
    sealed_version_begin_change(version);
    sealed_file_fault_t fault = sealed_write_all(file->descriptor, copy, sizeof copy, order[0]);
    if (!fault.status) fault = sealed_write_all(file->descriptor, copy, sizeof copy, order[1]);
    sealed_version_end_change(version);
    state->is_second_older = false;
    if (!fault.status) cache_state(file, atomic_load(version), state);
    return fault;
}
