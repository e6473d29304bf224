/* network SETTINGS ACCOUNT: opens, checks in once and prints the process's time on the processor in milliseconds and its
 * resident kB then. The account is enrolled. */
#include "common.h"
#include "resident.h"
#include <sys/resource.h>

static double used(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

int main(int count, char **word) {
    mam_t *m;
    int64_t op;
    if (count != 3) return 2;
    must(mam_open(word[1], &m), "mam_open");
    must(mam_check_in(m, word[2], &op), "mam_check_in");
    finish(m, op, "check-in");
    printf("%.3f %ld\n", used(), resident());
    return mam_close(m) != MAM_OK;
}
