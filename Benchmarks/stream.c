/* stream SETTINGS ACCOUNT MODE IN OUT: one file through libmam's streams, or through the bare cipher, in the same loop of
 * read and write. MODE is protect or unprotect, with a 2 appended for two threads, seal or open (bare Cobblestone-256, a
 * stream without header), or copy. Prints "seconds<TAB>KiB": the largest growth of resident memory. */
#include "common.h"
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <unistd.h>

enum { PIECE = 1 << 20, CHUNK = 16384, TAG = 16, ROOM = PIECE / CHUNK * (CHUNK + TAG) };

static int in, out;
static uint8_t *piece, *made;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int32_t put(void *user, const uint8_t *data, size_t length) {
    (void)user;
    while (length > 0) {
        ssize_t count = write(out, data, length);
        if (count < 0) fail("write");
        data += count;
        length -= (size_t)count;
    }
    return 0;
}

static size_t get(size_t size) {
    size_t length = 0;
    for (ssize_t count; length < size && (count = read(in, piece + length, size - length)) != 0; length += (size_t)count)
        if (count < 0) fail("read");
    return length;
}

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) fail("/proc/self/statm");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The object key, base nonce and commitment are constant: one derivation does not matter in a gibibyte. */
static void bare(int seals) {
    static uint8_t key[32] = {9}, prefix[56];
    const size_t record = seals ? CHUNK : CHUNK + TAG;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    EVP_CipherInit_ex(ctx, cipher, NULL, key, NULL, seals);
    uint64_t chunk = 0;
    if (seals) put(NULL, prefix, sizeof prefix);
    else if (read(in, prefix, sizeof prefix) != sizeof prefix) fail("read");
    for (int is_last = 0; !is_last;) {
        size_t length = get(PIECE / CHUNK * record), to = 0;
        is_last = length < PIECE / CHUNK * record;
        for (size_t at = 0; at < length || (is_last && at == length && length % record == 0 && seals); chunk++) {
            size_t left = length - at, count = left < record ? left : record;
            uint8_t iv[12] = {0};
            int made_count = 0, rest = 0;
            for (int i = 0; i < 8; i++) iv[11 - i] = (uint8_t)(chunk >> 8 * i);
            EVP_CipherInit_ex(ctx, NULL, NULL, NULL, iv, seals);
            size_t text = seals ? count : count - TAG;
            EVP_CipherUpdate(ctx, made + to, &made_count, piece + at, (int)text);
            if (!seals) EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, piece + at + text);
            if (EVP_CipherFinal_ex(ctx, made + to + text, &rest) != 1) fail("a tag");
            if (seals) EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, made + to + text);
            to += seals ? text + TAG : text;
            at += count;
            if (count < record) break;
        }
        put(NULL, made, to);
    }
    EVP_CIPHER_free(cipher);
    EVP_CIPHER_CTX_free(ctx);
}

static long streamed(mam_t *m, const char *account, int protects, uint32_t flags) {
    mam_protect_stream_t *protecting = NULL;
    mam_unprotect_stream_t *unprotecting = NULL;
    long most = 0;
    if (protects) must(mam_protect_stream_open(m, account, flags, put, NULL, &protecting), "open");
    else must(mam_unprotect_stream_open(m, MAM_STRICT | flags, put, NULL, &unprotecting), "open");
    size_t count;
    for (int i = 1; (count = get(PIECE)) > 0; i++) {
        if (protects) must(mam_protect_stream_write(protecting, piece, count), "write");
        else must(mam_unprotect_stream_write(unprotecting, piece, count), "write");
        if (i % 256 == 0 && resident() > most) most = resident();
    }
    if (protects) must(mam_protect_stream_close(protecting, 0), "close");
    else must(mam_unprotect_stream_close(unprotecting, 0, NULL), "close");
    return most;
}

int main(int words, char **word) {
    if (words == 2) return puts(OpenSSL_version(OPENSSL_VERSION)) < 0;
    if (words != 6) return 2;
    const char *mode = word[3];
    bool is_ours = strstr(mode, "protect") != NULL;
    mam_t *m = is_ours ? open_enrolled(word[1], word[2]) : NULL;
    piece = aligned_alloc(4096, ROOM + 4096), made = aligned_alloc(4096, ROOM + 4096);
    if (piece == NULL || made == NULL) fail("memory");
    memset(piece, 1, ROOM), memset(made, 1, ROOM);
    long before = resident(), most = before;
    double begin = now_ns();
    in = open(word[4], O_RDONLY | O_CLOEXEC), out = open(word[5], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (in < 0 || out < 0) fail("open");
    if (is_ours) most = streamed(m, word[2], mode[0] == 'p', strchr(mode, '2') ? MAM_TWO_THREADS : 0);
    else if (strcmp(mode, "copy") == 0)
        for (size_t count; (count = get(PIECE)) > 0;) put(NULL, piece, count);
    else bare(strcmp(mode, "seal") == 0);
    close(in), close(out);
    printf("%.6f\t%ld\n", (now_ns() - begin) / 1e9, most - before);
    return m != NULL && mam_close(m) != MAM_OK;
}
