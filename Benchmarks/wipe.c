/* wipe SETTINGS ACCOUNT: nanoseconds until mam_wipe_account has returned, when the shred share is destroyed for good, for an
 * account that has just been enrolled and has sealed data. */
#include "common.h"

int main(int count, char **word) {
    if (count != 3) return 2;
    mam_t *m = open_enrolled(word[1], word[2]);
    mam_buffer sealed;
    int64_t op;
    for (int i = 0; i < 100; i++) {
        must(mam_protect(m, word[2], (const uint8_t *)"a note", 6, &sealed), "mam_protect");
        if (i < 99) mam_buffer_free(&sealed);
    }
    double begin = now_ns();
    must(mam_wipe_account(m, word[2], &op), "mam_wipe_account");
    double end = now_ns();
    mam_buffer opened = {0};
    if (mam_unprotect(m, sealed.data, sealed.length, MAM_STRICT, &opened, NULL) == MAM_OK)
        return fprintf(stderr, "the account is wiped and its data opens\n"), 1;
    mam_buffer_free(&sealed);
    finish(m, op, "wipe");
    printf("%.0f\n", end - begin);
    return mam_close(m) != MAM_OK;
}
