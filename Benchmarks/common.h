/* Shared by the harnesses. Each prints lines "row<TAB>ours<TAB>peer", one a round, in nanoseconds, peer "-" if there is
 * none; bench.py makes the table. */
#ifndef COMMON_H
#define COMMON_H
#define _GNU_SOURCE
#include <mam.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void must(mam_status status, const char *what) {
    if (status == MAM_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, mam_status_name(status), mam_last_message());
    exit(1);
}

/* Waits for an operation, which must succeed. */
static inline void finish(mam_t *m, int64_t op, const char *what) {
    char *status;
    must(mam_wait(m, op, -1, &status), what);
    if (strstr(status, "\"didSucceed\":true") == NULL) {
        fprintf(stderr, "%s: %s\n", what, status);
        exit(1);
    }
    mam_free(status);
}

/* Opens, and enrolls the account (a UPN) unless it is enrolled. */
static inline mam_t *open_enrolled(const char *settings, const char *account) {
    mam_t *m;
    char *enrolled, request[512];
    int64_t op;
    must(mam_open(settings, &m), "mam_open");
    must(mam_enrolled_accounts(m, &enrolled), "mam_enrolled_accounts");
    if (strstr(enrolled, account) == NULL) {
        snprintf(request, sizeof request, "{\"upn\":\"%s\"}", account);
        must(mam_register_and_enroll(m, request, &op), "mam_register_and_enroll");
        finish(m, op, "enroll");
    }
    mam_free(enrolled);
    return m;
}

static inline void row(const char *name, double ours, double peer) {
    if (peer < 0) printf("%s\t%.3f\t-\n", name, ours);
    else printf("%s\t%.3f\t%.3f\n", name, ours, peer);
}
#endif
