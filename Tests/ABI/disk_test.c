/* The file system of the state: full, read-only, remote. */
#define _GNU_SOURCE /* mount */
#include "disks.h"
#include "saved_state.h"

#include <sys/mount.h>
#include <sys/stat.h>

static void a_full_disk(void **state) {
    office *o = *state;
    char disk[PATH_SIZE];
    snprintf(disk, sizeof disk, "%s", in_office(o, "disk"));
    CHECK(mkdir(disk, 0700) == 0);
    if (!mount_small(disk, "size=1m,mode=0700")) SKIP("no small file system can be mounted here");
    snprintf(o->state, sizeof o->state, "%s/disk/state", o->root);
    char filler[PATH_SIZE];
    snprintf(filler, sizeof filler, "%s", in_office(o, "disk/filler"));

    for (size_t spare = 0; spare < 200000; spare += 8192) { /* a new state, out of space at each step */
        fill(filler, spare);
        mam_status status = try_open(o, QUIET);
        if (status != MAM_OK) FAILS(MAM_ERR_NO_SPACE, status);
        CHECK(unlink(filler) == 0);
        OK(try_open(o, QUIET)); /* with space again: an interrupted creation is no obstacle */
        remove_tree(o->state);
    }

    saved_state k = make_state(o);
    mam_t *m = open_quiet(o);
    fill(filler, 0);
    mam_status status = MAM_OK;
    char value[20000];
    memset(value, 'x', sizeof value);
    value[0] = value[sizeof value - 2] = '"';
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < 100 && status == MAM_OK; i++) status = mam_set_override(m, "ADALClientId", value);
    FAILS(MAM_ERR_NO_SPACE, status);
    OK(opens_as(m, &k.ann, TEXT)); /* reading still works */
    OK(opens_as(m, &k.personal, TEXT));
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
    OK(mam_last_status());
    mam_policy_release(policy);
    int64_t op = 0;
    admin(o, "{\"action\":\"user.add\",\"upn\":\"new@contoso.example\"}");
    status = mam_register_and_enroll(m, "{\"upn\":\"new@contoso.example\"}", &op);
    if (status != MAM_OK) {
        FAILS(MAM_ERR_NO_SPACE, status);
        CHECK_NUMBER(0, op);
    }
    OK(mam_close(m));
    CHECK(unlink(filler) == 0);
    all_is_there(o, &k);

    /* A wipe on a full disk succeeds, or reports that it did not. */
    m = open_quiet(o);
    fill(filler, 0);
    status = mam_wipe_account(m, ANN, &op);
    if (status == MAM_OK) {
        FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &k.ann, TEXT));
    } else {
        FAILS(MAM_ERR_NO_SPACE, status);
        CHECK_NUMBER(0, op);
    }
    OK(opens_as(m, &k.bob, TEXT));
    CHECK(unlink(filler) == 0);
    if (status != MAM_OK) OK(mam_wipe_account(m, ANN, &op)); /* "try again" */
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &k.ann, TEXT));
    OK(opens_as(m, &k.bob, TEXT));
    OK(opens_as(m, &k.personal, TEXT));
    OK(mam_close(m));
    forget(&k);
    CHECK(umount(disk) == 0);
}

static char *launched(mam_t *m) {
    int64_t op;
    char *report = NULL;
    OK(mam_launch(m, &op));
    OK(mam_wait(m, op, SOON, &report));
    return report;
}

/* A launch that cannot be recorded closes the accounts, each with a finding; personal data is none of its business. */
static void a_launch_on_a_full_disk(void **state) {
    office *o = *state;
    char disk[PATH_SIZE], filler[PATH_SIZE];
    snprintf(disk, sizeof disk, "%s", in_office(o, "disk"));
    snprintf(filler, sizeof filler, "%s", in_office(o, "disk/filler"));
    CHECK(mkdir(disk, 0700) == 0);
    if (!mount_small(disk, "size=1m,mode=0700")) SKIP("no small file system can be mounted here");
    snprintf(o->state, sizeof o->state, "%s/disk/state", o->root);
    mam_t *m = open_enrolled(o);
    mam_buffer note = sealed(m, ANN, TEXT), own = sealed(m, EVE, TEXT);
    fill(filler, 0);
    char *report = launched(m);
    CHECK_TEXT("blocked", text_of(report, "/outcome"));
    CHECK_NUMBER(1, count_of(report, "/findings"));
    CHECK_TEXT("library", text_of(report, "/findings/0/check"));
    CHECK_TEXT(ANN_ID, text_of(report, "/findings/0/accountId"));
    CHECK_TEXT("errorNoSpace", text_of(report, "/findings/0/messageKey"));
    mam_free(report);
    FAILS(MAM_ERR_LOCKED, opens_as(m, &note, TEXT));
    CULPRIT("check", "library");
    CHECK_TEXT("errorNoSpace", message_key());
    OK(opens_as(m, &own, TEXT));
    CHECK(unlink(filler) == 0);
    report = launched(m);
    CHECK_TEXT("allowed", text_of(report, "/outcome"));
    mam_free(report);
    OK(opens_as(m, &note, TEXT));
    mam_buffer_free(&note);
    mam_buffer_free(&own);
    OK(mam_close(m));
    CHECK(umount(disk) == 0);
}

static void a_read_only_file_system(void **state) {
    office *o = *state;
    char disk[PATH_SIZE];
    snprintf(disk, sizeof disk, "%s", in_office(o, "disk"));
    CHECK(mkdir(disk, 0700) == 0);
    if (!mount_small(disk, "size=4m,mode=0700")) SKIP("no small file system can be mounted here");
    snprintf(o->state, sizeof o->state, "%s/disk/state", o->root);
    saved_state k = make_state(o);
    CHECK(mount(NULL, disk, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
    mam_status status = try_open(o, QUIET);
    CHECK(status != MAM_OK);
    FAILS(status, status);
    CHECK(status == MAM_ERR_IO || status == MAM_ERR_PERMISSION || status == MAM_ERR_STORAGE);
    CHECK(mount(NULL, disk, NULL, MS_REMOUNT, NULL) == 0);
    all_is_there(o, &k);
    forget(&k);
    CHECK(umount(disk) == 0);
}

static void a_network_file_system(void **state) {
    const office *o = *state;
    static const char *const types[] = {"6969", "ff534d42", "fe534d42", "517b", "65735546", "01021997"};
    char *const words[] = {(char *)(uintptr_t)tool("actor"), "open", (char *)(uintptr_t)o->root, NULL};
    char output[1024];
    CHECK_NUMBER(0, run_program(words, tool("network.so"), output, sizeof output)); /* without a type: unchanged */
    for (int i = 0; i < 6; i++) {
        setenv("NETWORK_TYPE", types[i], 1);
        CHECK_NUMBER(1, run_program(words, tool("network.so"), output, sizeof output));
        if (strncmp(output, "6 ", 2) != 0 || strstr(output, o->state) == NULL || strstr(output, "network") == NULL)
            failed_at(__FILE__, __LINE__, "on a file system of type %s: %s", types[i], output);
    }
    unsetenv("NETWORK_TYPE");
    CHECK_NUMBER(0, run_program(words, NULL, output, sizeof output));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(a_network_file_system),
        WITH_OFFICE(a_read_only_file_system),
        WITH_OFFICE(a_full_disk),
        WITHOUT_PIN(a_launch_on_a_full_disk),
    };
    return cmocka_run_group_tests_name("disk", tests, begin, NULL);
}
