#include "internal.h"

/* Logs and journals begin with 48 bytes: "MAM" 0x04, kind, 3 zeros, epoch, record size, 16 bytes of salt, and the first 16
 * bytes of their database. All of it goes into their key, so that what is changed in it opens nothing. */

static const unsigned char magic[MAGIC] = {'M', 'A', 'M', 4};
static const char LABEL[] = "libmam v1 sqlite journal"; /* its NUL is the separator */

static int find_key(file *f, uint32_t *epoch, const unsigned char preamble[PREAMBLE], sealing_held_t **key) {
    unsigned char info[sizeof LABEL + PREAMBLE];
    if ((*key = keys_held(f, epoch))) return SQLITE_OK;
    memcpy(info, LABEL, sizeof LABEL);
    memcpy(info + sizeof LABEL, preamble, PREAMBLE);
    return keys_find(f, epoch, info, sizeof info, key);
}

int preamble_key(file *f, const unsigned char preamble[PREAMBLE], sealing_held_t **key) {
    uint32_t epoch = big32(preamble + 8);
    return find_key(f, &epoch, preamble, key);
}

int preamble_make(
    file *f, unsigned char out[PREAMBLE], unsigned char kind, uint32_t size, const unsigned char *salt) {
    /* The epoch stands in what the key is made of: ask which is the newest first. */
    sealing_held_t *key;
    uint32_t epoch = 0;
    memset(out, 0, PREAMBLE);
    keys_forget(f);
    int result = find_key(f, &epoch, out, &key);
    keys_forget(f);
    if (result != SQLITE_OK) return result;
    memcpy(out, magic, MAGIC);
    out[4] = kind;
    put32(out + 8, epoch);
    put32(out + 12, size);
    if (!platform_random(out + 16, SALT)) return SQLITE_IOERR_WRITE;
    if (salt) memcpy(out + 32, salt, SALT);
    return SQLITE_OK;
}

bool preamble_is(const unsigned char at[PREAMBLE], unsigned char kind) {
    return memcmp(at, magic, MAGIC) == 0 && at[4] == kind && !(at[5] | at[6] | at[7]) && big32(at + 8) != 0;
}
