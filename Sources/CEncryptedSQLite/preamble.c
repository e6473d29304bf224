#include "internal.h"
#include <process_memory.h>

/* WALs and journals begin with 48 bytes: "MAM" 0x04, type, 3 zeros, epoch, record size, 16 bytes of salt, and the
 * first 16 bytes of their database. Their key is derived from all of it, so that after any change nothing opens. */

static const unsigned char magic[MAGIC] = {'M', 'A', 'M', 4};
static const char LABEL[] = "libmam v1 sqlite journal"; /* the NUL is the separator */

static int find_key(file *f, uint32_t *epoch, const unsigned char preamble[PREAMBLE], sealing_cipher_t **cipher) {
    unsigned char info[sizeof LABEL + PREAMBLE];
    if ((*cipher = keys_cached_locked(f, epoch))) return SQLITE_OK;
    memcpy(info, LABEL, sizeof LABEL);
    memcpy(info + sizeof LABEL, preamble, PREAMBLE);
    return keys_get_locked(f, epoch, info, sizeof info, cipher);
}

int preamble_cipher_locked(file *f, const unsigned char preamble[PREAMBLE], sealing_cipher_t **cipher) {
    uint32_t epoch = big32(preamble + 8);
    return find_key(f, &epoch, preamble, cipher);
}

int preamble_make_locked(file *f, unsigned char out[PREAMBLE], unsigned char type, uint32_t size, const unsigned char *salt) {
    /* The key depends on the epoch in the preamble, so the newest epoch is asked for first. */
    sealing_cipher_t *cipher;
    uint32_t epoch = 0;
    memset(out, 0, PREAMBLE);
    keys_clear_locked(f);
    int result = find_key(f, &epoch, out, &cipher);
    keys_clear_locked(f);
    if (result != SQLITE_OK) return result;
    memcpy(out, magic, MAGIC);
    out[4] = type;
    put32(out + 8, epoch);
    put32(out + 12, size);
    if (!process_random(out + 16, SALT)) return SQLITE_IOERR_WRITE;
    if (salt) memcpy(out + 32, salt, SALT);
    return SQLITE_OK;
}

bool preamble_matches(const unsigned char at[PREAMBLE], unsigned char type) {
    return memcmp(at, magic, MAGIC) == 0 && at[4] == type && !(at[5] | at[6] | at[7]) && big32(at + 8) != 0;
}
