/* memory SETTINGS ACCOUNT: resident kB after open and enroll, with the worker running. With -DEMPTY: of an empty program
 * without libmam. */
#ifdef EMPTY
#include <stdio.h>
#include <string.h>
#else
#include "common.h"
#endif

static long resident(void) {
    char line[256];
    long kilobytes = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "Rss:", 4) == 0) sscanf(line + 4, "%ld", &kilobytes);
    if (file != NULL) fclose(file);
    return kilobytes;
}

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
