#include "internal.h"
#include <string.h>

/* One copy: sequence 0, length 8, dense records 16, sealed records 24, generation 32, flags 36, zeros 37, MAC 64. Two of
 * them, in different sectors, written one after the other. */
enum { FIRST = 2048, SECOND = 3072, BOTH = SECOND - FIRST + SEALED_STATE_COPY, TOLD = 64 };

static bool encode(sealed_file_t *file, const state_t *state, unsigned char *copy) {
    memset(copy, 0, TOLD);
    sealed_put(copy, 8, state->sequence);
    sealed_put(copy + 8, 8, state->length);
    sealed_put(copy + 16, 8, state->dense);
    sealed_put(copy + 24, 8, state->sealed);
    sealed_put(copy + 32, 4, state->generation);
    copy[36] = state->flags;
    pthread_mutex_lock(&file->keys);
    const secrets_t *secrets = sealed_secrets(file);
    if (secrets) sealing_mac(&secrets->mac, copy, TOLD, copy + TOLD);
    pthread_mutex_unlock(&file->keys);
    return secrets != NULL;
}

void sealed_state_encode(sealed_file_t *file, const state_t *state, unsigned char *page) {
    encode(file, state, page + FIRST);
    encode(file, state, page + SECOND);
}

/* Whether a copy verifies, and what it says. */
static bool decode(sealed_file_t *file, const unsigned char *copy, state_t *state, sealed_file_fault_t *fault) {
    *state = (state_t){
        .sequence = sealed_get(copy, 8), .length = sealed_get(copy + 8, 8), .dense = sealed_get(copy + 16, 8),
        .sealed = sealed_get(copy + 24, 8), .generation = (uint32_t)sealed_get(copy + 32, 4), .flags = copy[36]};
    pthread_mutex_lock(&file->keys);
    const secrets_t *secrets = sealed_secrets(file);
    bool is_open = secrets != NULL, is_known = is_open && memcmp(copy, file->known, SEALED_STATE_COPY) == 0;
    if (is_open && !is_known && (is_known = sealing_mac_matches(&secrets->mac, copy, TOLD, copy + TOLD)))
        memcpy(file->known, copy, SEALED_STATE_COPY);
    pthread_mutex_unlock(&file->keys);
    if (!is_open) *fault = FAULT(SEALED_FILE_CLOSED);
    return is_known && state->length <= SEALED_MOST && state->dense <= sealed_record_count(state->length)
        && state->generation >= 1 && state->generation <= GENERATIONS;
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

/* What was read before, where nobody has committed since. */
static bool recall(sealed_file_t *file, uint32_t version, state_t *state) {
    pthread_mutex_lock(&file->keys);
    bool is_known = !(version & 1) && version == file->state_version && sealed_secrets(file);
    if (is_known) *state = file->state;
    pthread_mutex_unlock(&file->keys);
    return is_known;
}

static void remember(sealed_file_t *file, uint32_t version, const state_t *state) {
    if (version & 1) return;
    pthread_mutex_lock(&file->keys);
    file->state = *state;
    file->state_version = version;
    pthread_mutex_unlock(&file->keys);
}

sealed_file_fault_t sealed_state_read(sealed_file_t *file, state_t *state) {
    sealed_file_fault_t fault = GOOD;
    uint32_t version = atomic_load(sealed_length_version(file));
    if (recall(file, version, state)) return GOOD;
    /* Somebody may be committing: two commits in the time of one read leave nothing that verifies. */
    for (int turn = 0; turn < 16; turn++) {
        fault = read_newest(file, state);
        if (!fault.status) remember(file, version, state);
        if (fault.status != SEALED_FILE_NOT_AUTHENTIC) return fault;
    }
    return fault;
}

sealed_file_fault_t sealed_state_commit(sealed_file_t *file, state_t *state) {
    unsigned char copy[SEALED_STATE_COPY];
    state->sequence++;
    if (!encode(file, state, copy)) return FAULT(SEALED_FILE_CLOSED);
    /* The older copy goes first: the other stays until this one is whole. */
    int64_t order[] = {state->is_second_older ? SECOND : FIRST, state->is_second_older ? FIRST : SECOND};
    sealed_version_t *version = sealed_length_version(file);
    sealed_changing(version);
    sealed_file_fault_t fault = sealed_write_all(file->descriptor, copy, sizeof copy, order[0]);
    if (!fault.status) fault = sealed_write_all(file->descriptor, copy, sizeof copy, order[1]);
    sealed_changed(version);
    state->is_second_older = false;
    if (!fault.status) remember(file, atomic_load(version), state);
    return fault;
}
