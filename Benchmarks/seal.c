/* seal SETTINGS ACCOUNT ROUNDS: mam_protect_into and mam_unprotect_into beside bare Cobblestone-256, in one process on one
 * libcrypto. -DFLOOR names the source of the bare one, with `seal(n)` (in -> out) and `hmac_init`; without it there is no
 * peer. Opening is compared with the cost of bare sealing, too. */
#ifdef FLOOR
#define main floor_main
#include FLOOR
#undef main
#endif
#include "common.h"
#include <openssl/crypto.h>

enum { LARGEST = 1 << 20 };
static uint8_t *plain, *sealed, *opened;
static size_t sealed_length;

static double floor_seal(size_t n, int times) {
#ifdef FLOOR
    double begin = now_ns();
    for (int i = 0; i < times; i++) seal(n);
    return (now_ns() - begin) / times;
#else
    return (void)n, (void)times, -1;
#endif
}

static double protect(mam_t *m, const char *account, size_t n, int times) {
    double begin = now_ns();
    for (int i = 0; i < times; i++)
        must(mam_protect_into(m, account, plain, n, sealed, mam_protect_bound(LARGEST), &sealed_length), "mam_protect_into");
    return (now_ns() - begin) / times;
}

static double unprotect(mam_t *m, int times) {
    size_t length;
    double begin = now_ns();
    for (int i = 0; i < times; i++)
        must(
            mam_unprotect_into(m, sealed, sealed_length, MAM_STRICT, opened, mam_protect_bound(LARGEST), &length, NULL),
            "mam_unprotect_into");
    return (now_ns() - begin) / times;
}

static uint8_t *memory(size_t size) {
    uint8_t *bytes = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (bytes == NULL) abort();
    return memset(bytes, 3, size);
}

int main(int count, char **word) {
    static const struct {
        size_t size;
        int times;
        const char *protect, *unprotect;
    } step[] = {
        {64, 20000, "protect 64", "unprotect 64"},
        {65536, 2000, "protect 65536", "unprotect 65536"},
        {LARGEST, 200, "protect 1048576", "unprotect 1048576"},
    };
    if (count != 4) return 2;
    plain = memory(LARGEST), sealed = memory(mam_protect_bound(LARGEST)), opened = memory(mam_protect_bound(LARGEST));
#ifdef FLOOR
    in = plain, out = memory(LARGEST * 2);
    ctx = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(ctx, EVP_CIPHER_fetch(0, "AES-256-GCM", 0), 0, input_key, input_key);
    hmac_init();
#endif
    printf("# %s\n", OpenSSL_version(OPENSSL_VERSION));
    mam_t *m = open_enrolled(word[1], word[2]);
    for (int i = -1, rounds = atoi(word[3]); i < rounds; i++)
        for (size_t s = 0; s < sizeof step / sizeof *step; s++) {
            double bare = floor_seal(step[s].size, step[s].times);
            double ours = protect(m, word[2], step[s].size, step[s].times);
            double again = floor_seal(step[s].size, step[s].times);
            double back = unprotect(m, step[s].times);
            if (i < 0) continue;
            row(step[s].protect, ours, bare);
            row(step[s].unprotect, back, again);
        }
    if (memcmp(plain, opened, LARGEST) != 0) return fprintf(stderr, "what was opened is not what was sealed\n"), 1;
    return mam_close(m) != MAM_OK;
}
