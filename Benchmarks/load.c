/* load LIBRARY: the nanoseconds of dlopen in a fresh process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int main(int count, char **word) {
    struct timespec a, b;
    if (count != 2) return 2;
    clock_gettime(CLOCK_MONOTONIC, &a);
    void *library = dlopen(word[1], RTLD_NOW);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
    printf("%.0f\n", (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec));
    return 0;
}
