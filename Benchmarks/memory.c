/* memory SETTINGS ACCOUNT: resident kB after open and enroll, with the worker running. With -DEMPTY: of an empty program
 * without libmam. */
#ifndef EMPTY
#include "common.h"
#endif
#include "resident.h"

int main(int count, char **word) {
#ifdef EMPTY
    (void)count, (void)word;
    printf("%ld\n", resident());
    return 0;
#else
    if (count != 3) return 2;
    mam_t *m = open_enrolled(word[1], word[2]);
    printf("%ld\n", resident());
    return mam_close(m) != MAM_OK;
#endif
}
