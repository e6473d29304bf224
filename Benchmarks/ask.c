/* ask SETTINGS REQUEST: open, ask once, print the answer, close. */
#include "common.h"

int main(int count, char **word) {
    if (count != 3) return 2;
    mam_t *m;
    char *reply;
    must(mam_open(word[1], &m), "mam_open");
    must(mam_policy_check(m, word[2], &reply), "mam_policy_check");
    puts(reply);
    mam_free(reply);
    return mam_close(m) != MAM_OK;
}
