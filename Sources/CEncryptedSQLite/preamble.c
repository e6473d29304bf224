#include "internal.h"

/* Logs and journals begin with 48 bytes: "MAM" 0x04, kind, 3 zeros, epoch, record size, 16 bytes of salt, and the first 16
 * bytes of their database. All of it goes into their key, so that what is changed in it opens nothing. */

static const unsigned char magic[MAGIC] = {'M', 'A', 'M', 4};
static const char LABEL[] = "libmam v1 sqlite journal"; /* its NUL is the separator */

int preamble_make(
    unsigned char out[PREAMBLE], unsigned char kind, uint32_t epoch, uint32_t size, const unsigned char *salt) {
    memset(out, 0, PREAMBLE);
    memcpy(out, magic, MAGIC);
    out[4] = kind;
    put32(out + 8, epoch);
    put32(out + 12, size);
    if (!platform_random(out + 16, SALT)) return SQLITE_IOERR_WRITE;
    if (salt) memcpy(out + 32, salt, SALT);
    return SQLITE_OK;
}

size_t preamble_info(unsigned char out[64 + PREAMBLE], const unsigned char preamble[PREAMBLE]) {
    memcpy(out, LABEL, sizeof LABEL);
    memcpy(out + sizeof LABEL, preamble, PREAMBLE);
    return sizeof LABEL + PREAMBLE;
}

bool preamble_is(const unsigned char at[PREAMBLE], unsigned char kind) {
    return memcmp(at, magic, MAGIC) == 0 && at[4] == kind && !(at[5] | at[6] | at[7]) && big32(at + 8) != 0;
}
