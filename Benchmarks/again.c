/* again SETTINGS ACCOUNT ROUNDS: calls that a host repeats while nothing has changed, in microseconds: a check-in, and a
 * policy handle. */
#include "common.h"

static double checked_in(mam_t *m, const char *account) {
    int64_t op;
    double begun = now_ns();
    must(mam_check_in(m, account, &op), "mam_check_in");
    finish(m, op, "check in");
    return now_ns() - begun;
}

int main(int count, char **word) {
    if (count != 4) return 2;
    mam_t *m = open_enrolled(word[1], word[2]);
    /* The first check-in is recorded in the authority's file, which must be unchanged for a while afterwards; the last one's
     * result is cached. */
    checked_in(m, word[2]);
    for (double end = now_ns() + 3e8; now_ns() < end;) checked_in(m, word[2]);
    checked_in(m, word[2]);
    for (int round = 0, rounds = atoi(word[3]); round < rounds; round++) {
        double quickest = 1e18, handle = 0; /* the best of ten: no other process interfered */
        for (int i = 0; i < 10; i++) {
            double taken = checked_in(m, word[2]);
            if (taken < quickest) quickest = taken;
        }
        row("checked in", quickest / 1e3, -1);
        for (int i = 0; i < 100; i++) {
            mam_policy_t *policy;
            double begun = now_ns();
            must(mam_policy_for_account(m, word[2], &policy), "mam_policy_for_account");
            handle += (now_ns() - begun) / 100;
            mam_policy_release(policy);
        }
        row("handle", handle / 1e3, -1);
    }
    return mam_close(m) != MAM_OK;
}
