/* follow SETTINGS ACCOUNT AUTHORITY ALLOWED BLOCKED ROUNDS: the time from the start of a check-in that commits a policy in
 * one process until a policy handle in another process follows it, in milliseconds. ALLOWED and BLOCKED are requests of
 * mam_admin. */
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

static void change(char **word, int rounds, int from, int to) {
    char go, *reply;
    int64_t op;
    if (read(from, &go, 1) != 1) exit(1); /* the account is enrolled */
    mam_t *m = open_enrolled(word[1], word[2]);
    for (int round = 0; round < rounds && read(from, &go, 1) == 1; round++) {
        must(mam_admin(word[3], word[round % 2 ? 5 : 4], &reply), "mam_admin");
        mam_free(reply);
        double begun = now_ns();
        must(mam_check_in(m, word[2], &op), "mam_check_in");
        finish(m, op, "check in");
        if (write(to, &begun, sizeof begun) != sizeof begun) exit(1);
    }
    must(mam_close(m), "mam_close");
}

int main(int count, char **word) {
    if (count != 7) return 2;
    int rounds = atoi(word[6]), go[2], begun[2];
    if (pipe(go) || pipe(begun)) return 1;
    pid_t child = fork();
    if (child == 0) {
        close(go[1]);
        change(word, rounds, go[0], begun[1]);
        return 0;
    }
    close(begun[1]);
    mam_t *m = open_enrolled(word[1], word[2]);
    mam_policy_t *policy;
    must(mam_policy_for_account(m, word[2], &policy), "mam_policy_for_account");
    if (write(go[1], "o", 1) != 1) return 1;
    for (int round = 0; round < rounds; round++) {
        double committed;
        if (write(go[1], "g", 1) != 1) return 1;
        while (mam_policy_is_contact_sync_allowed(policy) != (round % 2 == 0)) must(mam_last_status(), "predicate");
        double seen = now_ns();
        if (read(begun[0], &committed, sizeof committed) != sizeof committed) return 1;
        row("follow", (seen - committed) / 1e6, -1);
    }
    close(go[1]);
    mam_policy_release(policy);
    must(mam_close(m), "mam_close");
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}
