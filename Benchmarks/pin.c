/* pin SETTINGS ACCOUNT ROUNDS: user-mode instructions of a right and of a wrong PIN, and of the bare KDF in both. Exits with
 * 3 if the system counts none. */
#include "common.h"
#include <linux/perf_event.h>
#include <openssl/evp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter;

static double counted(void) {
    long long count = 0;
    if (read(counter, &count, sizeof count) != sizeof count) exit(3);
    return (double)count;
}

static double verify(mam_t *m, const char *account, const char *pin, mam_status expected) {
    double before = counted();
    mam_status status = mam_pin_verify(m, account, (const uint8_t *)pin, strlen(pin));
    double after = counted();
    if (status != expected) must(status == MAM_OK ? MAM_ERR_INTERNAL : status, pin);
    return after - before;
}

int main(int count, char **word) {
    if (count != 4) return 2;
    struct perf_event_attr what = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof what,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    mam_t *m = open_enrolled(word[1], word[2]);
    counter = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
    if (counter < 0) return perror("perf_event_open"), 3;
    must(mam_pin_set(m, word[2], NULL, 0, (const uint8_t *)"1397", 4), "mam_pin_set");
    verify(m, word[2], "1397", MAM_OK);
    for (int round = 0, rounds = atoi(word[3]); round < rounds; round++) {
        double right = verify(m, word[2], "1397", MAM_OK);
        double wrong = verify(m, word[2], "0000", MAM_ERR_DENIED);
        verify(m, word[2], "1397", MAM_OK); /* the next round has all attempts again */
        unsigned char hash[32], material[32] = {1}, salt[16] = {2};
        double before = counted();
        if (EVP_PBE_scrypt((char *)material, 32, salt, 16, 1 << 15, 8, 3, 64 << 20, hash, 32) != 1) return 1;
        double bare = counted() - before;
        row("right", right, bare);
        row("wrong", wrong, bare);
        row("same", right > wrong ? right : wrong, right > wrong ? wrong : right);
    }
    must(mam_close(m), "mam_close");
    return 0;
}
