/* random SETTINGS ACCOUNT FOLDER ROUNDS [FILE]: aligned 4 KiB at random offsets of a sealed file, beside bare AES-256-GCM
 * over pread and pwrite: consecutive records of nonce, text and tag, under a counted nonce, without a table, a lock or a
 * length. FILE is on an encrypting file system; its pages are dropped from the kernel's cache before it is read. */
#include "common.h"
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <unistd.h>

enum { PAGE = 4096, RECORD = PAGE + 28, PAGES = 65536, OPERATIONS = 20000 };

static EVP_CIPHER_CTX *sealing, *opening;
static uint8_t page[PAGE], record[RECORD];
static uint64_t nonce, seed = 1;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int64_t dice(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % PAGES);
}

static void seal(void) {
    int length;
    memset(record, 0, 12);
    nonce++;
    memcpy(record, &nonce, sizeof nonce);
    EVP_EncryptInit_ex(sealing, NULL, NULL, NULL, record);
    EVP_EncryptUpdate(sealing, record + 12, &length, page, PAGE);
    EVP_EncryptFinal_ex(sealing, record + 12 + length, &length);
    EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, 16, record + 12 + PAGE);
}

static void unseal(void) {
    int length;
    EVP_DecryptInit_ex(opening, NULL, NULL, NULL, record);
    EVP_DecryptUpdate(opening, page, &length, record + 12, PAGE);
    EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, 16, record + 12 + PAGE);
    if (EVP_DecryptFinal_ex(opening, page + length, &length) != 1) fail("tag");
}

static void floor_read(int file, int64_t at) {
    if (pread(file, record, RECORD, at * RECORD) != RECORD) fail("pread");
    unseal();
}

static void floor_write(int file, int64_t at) {
    seal();
    if (pwrite(file, record, RECORD, at * RECORD) != RECORD) fail("pwrite");
}

static void own_read(mam_file_t *file, int64_t at) {
    size_t count;
    must(mam_file_pread(file, at * PAGE, page, PAGE, &count), "mam_file_pread");
    if (count != PAGE) fail("mam_file_pread");
}

static void own_write(mam_file_t *file, int64_t at) {
    size_t count;
    must(mam_file_pwrite(file, at * PAGE, page, PAGE, &count), "mam_file_pwrite");
    if (count != PAGE) fail("mam_file_pwrite");
}

static void mounted_read(int file, int64_t at) {
    if (pread(file, page, PAGE, at * PAGE) != PAGE) fail("pread");
}

static void mounted_write(int file, int64_t at) {
    if (pwrite(file, page, PAGE, at * PAGE) != PAGE) fail("pwrite");
}

#define TIMED(call, operations)                      \
    ({                                               \
        double begin = now_ns();                     \
        for (int i = 0; i < (operations); i++) call; \
        (now_ns() - begin) / (operations);           \
    })

int main(int count, char **word) {
    static const uint8_t key[32] = {9};
    char path[4096];
    if (count < 5) return 2;
    mam_t *m = open_enrolled(word[1], word[2]);
    mam_file_t *own;
    sealing = EVP_CIPHER_CTX_new(), opening = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(sealing, EVP_aes_256_gcm(), NULL, key, NULL);
    EVP_DecryptInit_ex(opening, EVP_aes_256_gcm(), NULL, key, NULL);
    snprintf(path, sizeof path, "%s/own", word[3]);
    must(mam_file_create(m, path, O_RDWR, 0600, word[2], &own), "mam_file_create");
    mam_file_close(own);
    must(mam_file_encrypt(m, path, word[2]), "mam_file_encrypt"); /* whatever the policy requires */
    must(mam_file_open(m, path, O_RDWR, &own), "mam_file_open");
    snprintf(path, sizeof path, "%s/bare", word[3]);
    int bare = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    int mounted = count > 5 ? open(word[5], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    if (bare < 0 || (count > 5 && mounted < 0)) fail("open");
    for (int64_t i = 0; i < PAGES; i++) {
        own_write(own, i);
        floor_write(bare, i);
        if (mounted >= 0) mounted_write(mounted, i);
    }
    printf("# %s\n", OpenSSL_version(OPENSSL_VERSION));
    for (int round = -1; round < atoi(word[4]); round++) {
        double read = TIMED(own_read(own, dice()), OPERATIONS), bare_read = TIMED(floor_read(bare, dice()), OPERATIONS);
        double write = TIMED(own_write(own, dice()), OPERATIONS), bare_write = TIMED(floor_write(bare, dice()), OPERATIONS);
        double mount_read = -1, mount_write = -1;
        if (mounted >= 0) {
            if (fsync(mounted) || posix_fadvise(mounted, 0, 0, POSIX_FADV_DONTNEED)) fail("fsync");
            posix_fadvise(mounted, 0, 0, POSIX_FADV_RANDOM);
            mount_read = TIMED(mounted_read(mounted, dice()), OPERATIONS / 10);
            mount_write = TIMED(mounted_write(mounted, dice()), OPERATIONS / 10);
        }
        if (round < 0) continue;
        row("pread", read, bare_read);
        row("pwrite", write, bare_write);
        if (mounted >= 0) {
            row("pread mounted", read, mount_read);
            row("pwrite mounted", write, mount_write);
        }
    }
    mam_file_close(own);
    must(mam_close(m), "mam_close");
    return 0;
}
