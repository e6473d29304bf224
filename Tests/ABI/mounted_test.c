/* Files of a mount point in an account's directory do not belong to the account, even on the same file system. */
#define _GNU_SOURCE /* mount */
#include "disks.h"

#include <sys/mount.h>
#include <sys/stat.h>

static void a_wipe_spares_mount_points(void **state) {
    const office *o = *state;
    const char *files = in_office(o, "files"), *there = in_office(o, "files/there"), *mine = in_office(o, "mine");
    CHECK(mkdir(files, 0700) == 0 && mkdir(there, 0700) == 0 && mkdir(mine, 0700) == 0);
    write_whole(in_office(o, "mine/photo"), "x", 1);
    if (!mount_small(there, "size=1m,mode=0700")) SKIP("nothing can be mounted here");
    CHECK(umount(there) == 0);
    mam_t *m = open_enrolled(o);
    OK(mam_file_protect(m, files, ANN));
    CHECK(mount(mine, there, NULL, MS_BIND, NULL) == 0);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(access(in_office(o, "mine/photo"), F_OK) == 0);
    OK(mam_close(m));
    CHECK(umount(there) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_OFFICE(a_wipe_spares_mount_points)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
