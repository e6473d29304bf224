#include "internal.h"
#include <process_size_limit.h>
#include <process_memory.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* By offset: 0 magic, 4 flags, 5 header length, 7 algorithm, 8 content, 9 epoch, 13 key id, 29 page size, 33 zeros,
 * 37 account length, 39 account; then salt, commitment, and zeros up to 2048. */
enum { FIXED = 39, ALGORITHM = 1, CONTENT = 2, STATE = 2048 };
static const unsigned char MAGIC[4] = {'M', 'A', 'M', 2};

bool sealed_file_is(const void *bytes, size_t length) { return length >= sizeof MAGIC && memcmp(bytes, MAGIC, sizeof MAGIC) == 0; }

static size_t encode(const sealed_file_header_t *header, unsigned char *page) {
    memcpy(page, MAGIC, sizeof MAGIC);
    sealed_put_be(page + 5, 2, 32u + header->account_length);
    page[7] = ALGORITHM;
    page[8] = CONTENT;
    sealed_put_be(page + 9, 4, header->epoch);
    memcpy(page + 13, header->key_id, SEALED_FILE_KEY_ID);
    sealed_put_be(page + 29, 4, PAGE);
    sealed_put_be(page + 37, 2, header->account_length);
    memcpy(page + FIXED, header->account, header->account_length);
    return FIXED + header->account_length;
}

sealed_file_fault_t sealed_file_header_read(int descriptor, sealed_file_header_t *header) {
    unsigned char page[STATE], again[STATE] = {0};
    ssize_t got;
    do got = pread(descriptor, page, sizeof page, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return sealed_fault_system();
    if (!sealed_file_is(page, (size_t)got)) return FAULT(SEALED_FILE_FOREIGN);
    if ((size_t)got < sizeof page) return FAULT(SEALED_FILE_MALFORMED);
    memset(header, 0, sizeof *header);
    header->epoch = (uint32_t)sealed_get_be(page + 9, 4);
    memcpy(header->key_id, page + 13, SEALED_FILE_KEY_ID);
    header->account_length = (uint16_t)sealed_get_be(page + 37, 2);
    if (header->account_length > SEALED_FILE_ACCOUNT) return FAULT(SEALED_FILE_MALFORMED);
    memcpy(header->account, page + FIXED, header->account_length);
    size_t length = FIXED + header->account_length;
    memcpy(header->salt, page + length, SEALING_SALT);
    memcpy(header->commitment, page + length + SEALING_SALT, SEALING_COMMITMENT);
    /* Accept only the encoding that `encode` produces. */
    encode(header, again);
    memcpy(again + length, page + length, SEALING_SALT + SEALING_COMMITMENT);
    return memcmp(page, again, sizeof page) == 0 ? GOOD : FAULT(SEALED_FILE_MALFORMED);
}

static bool is_equal(const unsigned char *a, const unsigned char *b, size_t count) {
    unsigned char difference = 0;
    for (size_t i = 0; i < count; i++) difference |= a[i] ^ b[i];
    return !difference;
}

sealed_file_fault_t sealed_file_create(int descriptor, const sealed_file_header_t *given, const sealing_key_t *key) {
    unsigned char page[PAGE] = {0}, secret[SEALING_KEY];
    sealed_file_header_t header = *given;
    if (!process_random(header.salt, SEALING_SALT)) return FAULT(SEALED_FILE_NO_RANDOM);
    size_t length = encode(&header, page);
    memcpy(page + length, header.salt, SEALING_SALT);
    if (!sealing_derive(key, page, length, header.salt, secret, header.commitment)) return FAULT(SEALED_FILE_CLOSED);
    memcpy(page + length + SEALING_SALT, header.commitment, SEALING_COMMITMENT);
    sealed_file_t file = {.descriptor = descriptor, .verified.mutex = PTHREAD_MUTEX_INITIALIZER};
    sealed_file_fault_t fault = sealed_keys_init(&file, secret);
    process_zero(secret, sizeof secret);
    if (fault.status) return fault;
    /* UNSYNCED already, so that the first writer need not commit it. */
    state_t state = {.sequence = 1, .key_number = 1, .flags = UNSYNCED};
    sealed_state_encode(&file, &state, page);
    sealed_file_clear_keys(&file);
    bool is_blocked = process_sigxfsz_block();
    fault = sealed_write_all(descriptor, page, sizeof page, 0);
    process_sigxfsz_unblock(is_blocked);
    return fault;
}

sealed_file_fault_t sealed_header_open(sealed_file_t *file, const sealed_file_header_t *header, const sealing_key_t *key) {
    unsigned char start[FIXED + SEALED_FILE_ACCOUNT] = {0}, secret[SEALING_KEY], commitment[SEALING_COMMITMENT];
    size_t length = encode(header, start);
    if (!sealing_derive(key, start, length, header->salt, secret, commitment)) return FAULT(SEALED_FILE_CLOSED);
    sealed_file_fault_t fault = is_equal(commitment, header->commitment, sizeof commitment) ? sealed_keys_init(file, secret)
                                                                                            : FAULT(SEALED_FILE_NOT_AUTHENTIC);
    process_zero(secret, sizeof secret);
    return fault;
}
