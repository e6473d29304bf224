/* Owners of files: what is known after others renamed, copied, stripped and replaced them. docs/file-owners.md has the
 * table. */
#define _GNU_SOURCE /* F_OFD_GETLK */
#include "support.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define OWNER "user.mam.owner"

/* Enroll Ann and Bob, and create files/. */
static mam_t *open_with_files(const office *o) {
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    CHECK(mkdir(in_office(o, "files"), 0700) == 0);
    return m;
}

static const char *make_file(const office *o, const char *name) {
    const char *path = in_office(o, name);
    write_whole(path, "minutes of the meeting", 22);
    return path;
}

/* mam_file_info, compared by its parts; NULL is null. */
static void reports(mam_t *m, const char *path, const char *account, const char *known, const char *disagreement) {
    char *json = NULL;
    OK(mam_file_info(m, path, &json));
    CHECK(is_json(json));
    CHECK_TEXT(account == NULL ? "" : account, text_of(json, "/accountId"));
    CHECK_TEXT(known, text_of(json, "/known"));
    CHECK_TEXT(disagreement == NULL ? "" : disagreement, text_of(json, "/disagreement"));
    mam_free(json);
}

static void run(const char *program, const char *a, const char *b, const char *c) {
    char *words[] = {(char *)program, (char *)a, (char *)b, (char *)c, NULL};
    CHECK_NUMBER(0, run_program(words, NULL, NULL, 0));
}

static void an_owner_is_set_and_reported(void **state) {
    office_permissive_policy(*state);
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    char *json = NULL;
    reports(m, path, NULL, "none", NULL);
    OK(mam_file_protect(m, path, ANN));
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    CHECK_TEXT(APP, text_of(json, "/app"));
    CHECK_TEXT("both", text_of(json, "/known"));
    CHECK(truth_of(json, "/authenticated") && truth_of(json, "/encrypted"));
    mam_free(json);
    OK(mam_file_protect(m, path, BOB));
    reports(m, path, BOB_ID, "both", NULL);
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, ""));
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, EVE));
    reports(m, path, BOB_ID, "both", NULL);
    OK(mam_file_unmanage(m, path, ""));
    reports(m, path, "", "both", NULL);
    OK(mam_file_protect(m, path, EVE));
    reports(m, path, EVE, "both", NULL);
    OK(mam_close(m));
}

static void without_an_account_it_is_the_thread_identity_s(void **state) {
    office_permissive_policy(*state);
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a"), *fresh = make_file(*state, "files/b");
    OK(mam_push_thread_identity(m, BOB));
    OK(mam_file_protect(m, path, NULL));
    reports(m, path, BOB_ID, "both", NULL);
    OK(mam_pop_thread_identity(m));
    OK(mam_file_protect(m, fresh, NULL));
    reports(m, fresh, "", "both", NULL);
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, NULL));
    reports(m, path, BOB_ID, "both", NULL);
    OK(mam_file_unmanage(m, path, NULL));
    reports(m, path, "", "both", NULL);
    OK(mam_close(m));
}

static void renamed_files_are_found(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a"), *same = in_office(*state, "files/b"), *other = in_office(*state, "other");
    OK(mam_file_protect(m, path, ANN));
    CHECK(rename(path, same) == 0);
    reports(m, same, ANN_ID, "both", NULL);
    CHECK(mkdir(other, 0700) == 0);
    CHECK(rename(same, in_office(*state, "other/c")) == 0);
    reports(m, in_office(*state, "other/c"), ANN_ID, "both", NULL);
    /* A freed name has no owner. */
    reports(m, make_file(*state, "files/b"), NULL, "none", NULL);
    OK(mam_close(m));
}

/* By label, device and inode number all the same. */
static void stripped_and_renamed_files_are_found(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a"), *after = in_office(*state, "files/b");
    OK(mam_file_protect(m, path, ANN));
    CHECK(removexattr(path, OWNER) == 0);
    reports(m, path, ANN_ID, "index", "attributeMissing");
    CHECK(rename(path, after) == 0);
    reports(m, after, ANN_ID, "index", "attributeMissing");
    OK(mam_file_verify_and_protect(m, after, ANN));
    reports(m, after, ANN_ID, "both", NULL);
    OK(mam_close(m));
}

static void copies_are_found_by_their_attribute(void **state) {
    office_permissive_policy(*state);
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a"), *copy = in_office(*state, "files/copy"),
               *bare = in_office(*state, "files/bare");
    OK(mam_file_protect(m, path, ANN));
    run("cp", "-a", path, copy);
    reports(m, copy, ANN_ID, "attribute", NULL);
    OK(mam_file_verify_and_protect(m, copy, ANN));
    reports(m, copy, ANN_ID, "both", NULL);
    /* A program that reads it and writes another file: only sealed content names the owner. */
    run("cp", "--no-preserve=all", path, bare);
    reports(m, bare, ANN_ID, "content", NULL);
    OK(mam_file_unmanage(m, path, EVE));
    run("cp", "--no-preserve=all", path, bare);
    reports(m, bare, NULL, "none", NULL);
    OK(mam_close(m));
}

static void on_another_file_system_the_attribute_counts(void **state) {
    char other[] = "/dev/shm/mam-XXXXXX", moved[64];
    struct stat here, there;
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    if (mkdtemp(other) == NULL || stat(other, &there) != 0 || stat(path, &here) != 0 || here.st_dev == there.st_dev
        || setxattr(other, "user.try", "x", 1, 0) != 0)
        SKIP("there is no second file system with attributes at /dev/shm");
    OK(mam_file_protect(m, path, ANN));
    snprintf(moved, sizeof moved, "%s/a", other);
    run("mv", path, moved, NULL);
    reports(m, moved, ANN_ID, "attribute", NULL);
    remove_tree(other);
    OK(mam_close(m));
}

static void a_lost_index_leaves_the_attribute(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    OK(mam_file_protect(m, path, ANN));
    sql(in_group(*state, "state.db"), "DELETE FROM files; DELETE FROM directories");
    reports(m, path, ANN_ID, "attribute", NULL);
    OK(mam_file_verify_and_protect(m, path, ANN));
    reports(m, path, ANN_ID, "both", NULL);
    CHECK_NUMBER(1, sql_number(in_group(*state, "state.db"), "SELECT count(*) FROM files"));
    OK(mam_close(m));
}

/* Rows cannot be given to another account, and one that does not verify is reported. */
static void an_edited_index_is_reported(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    OK(mam_file_protect(m, path, ANN));
    sql(in_group(*state, "state.db"), "UPDATE files SET account = x'00112233445566778899aabbccddeeff'");
    reports(m, path, ANN_ID, "attribute", "indexDamaged");
    CHECK(removexattr(path, OWNER) == 0);
    reports(m, path, NULL, "none", "indexDamaged");
    OK(mam_close(m));
}

static void each_name_of_a_file_has_its_owner(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a"), *second = in_office(*state, "files/second");
    CHECK(link(path, second) == 0);
    /* A file with two names cannot be encrypted; one that stays plain can be given. */
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_protect(m, path, ANN));
    OK(mam_file_protect(m, path, EVE));
    reports(m, second, EVE, "both", NULL);
    CHECK(unlink(second) == 0);
    OK(mam_file_protect(m, path, ANN));
    CHECK(link(path, second) == 0);
    reports(m, second, ANN_ID, "both", NULL);
    CHECK(unlink(path) == 0);
    reports(m, second, ANN_ID, "both", NULL);
    OK(mam_close(m));
}

/* A new file gets the inode number of a removed one: that does not make it the owner's. */
static void a_reused_inode_number_has_no_owner(void **state) {
    mam_t *m = open_with_files(*state);
    struct stat before, after;
    bool is_again = false;
    for (int i = 0; i < 200 && !is_again; i++) {
        const char *path = make_file(*state, "files/a");
        OK(mam_file_protect(m, path, EVE));
        CHECK(stat(path, &before) == 0 && unlink(path) == 0);
        sleep_ms(5); /* birth times differ */
        const char *next = make_file(*state, "files/b");
        CHECK(stat(next, &after) == 0);
        is_again = after.st_ino == before.st_ino;
        reports(m, next, NULL, "none", NULL);
        CHECK(unlink(next) == 0);
    }
    if (!is_again) SKIP("the file system uses no number again so soon");
    OK(mam_close(m));
}

/* As editors save: a new file replaces the old one. */
static void a_replaced_file_is_reported(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a"), *fresh = make_file(*state, "files/.a.new");
    OK(mam_file_protect(m, path, ANN));
    CHECK(rename(fresh, path) == 0);
    reports(m, path, ANN_ID, "index", "replaced");
    OK(mam_file_verify_and_protect(m, path, ANN));
    reports(m, path, ANN_ID, "both", NULL);
    OK(mam_close(m));
}

static void conflicting_labels_are_reported(void **state) {
    mam_t *m = open_with_files(*state);
    const char *anns = make_file(*state, "files/a"), *bobs = make_file(*state, "files/b");
    char label[2048];
    char *json = NULL;
    OK(mam_file_protect(m, anns, ANN));
    OK(mam_file_protect(m, bobs, BOB));
    ssize_t length = getxattr(bobs, OWNER, label, sizeof label);
    CHECK(length > 0 && setxattr(anns, OWNER, label, (size_t)length, 0) == 0);
    OK(mam_file_info(m, anns, &json));
    CHECK_TEXT(BOB_ID, text_of(json, "/accountId"));
    CHECK_TEXT(ANN_ID, text_of(json, "/indexAccountId"));
    CHECK_TEXT("owner", text_of(json, "/disagreement"));
    mam_free(json);
    OK(mam_close(m));
}

/* Each bit of a label counts. */
static void a_changed_label_is_reported(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    char label[2048];
    OK(mam_file_protect(m, path, ANN));
    ssize_t length = getxattr(path, OWNER, label, sizeof label);
    CHECK(length > 32);
    for (ssize_t at = 0; at < length; at++) {
        label[at] ^= (char)(1 << (at % 8));
        CHECK(setxattr(path, OWNER, label, (size_t)length, 0) == 0);
        char *json = NULL;
        OK(mam_file_info(m, path, &json));
        CHECK_TEXT("index", text_of(json, "/known"));
        CHECK_TEXT(at >= 10 && at < 26 ? "attributeForeign" : "attributeDamaged", text_of(json, "/disagreement"));
        mam_free(json);
        label[at] ^= (char)(1 << (at % 8));
    }
    for (ssize_t cut = 0; cut < length; cut += 7) {
        CHECK(setxattr(path, OWNER, label, (size_t)cut, 0) == 0);
        reports(m, path, ANN_ID, "index", "attributeDamaged");
    }
    OK(mam_close(m));
}

static void another_groups_label_is_reported_and_does_not_count(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o), *other = NULL;
    const char *path = make_file(o, "files/a");
    char settings[LONG_PATH * 2];
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"com.other\"},\"stateDirectory\":\"%s\",\"worker\":false,\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}",
        o->state, o->authority);
    OK(mam_open(settings, &other));
    enroll_well(other, ANN);
    OK(mam_file_protect(other, path, ANN));
    char *json = NULL;
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT("attributeForeign", text_of(json, "/disagreement"));
    CHECK_TEXT("com.other", text_of(json, "/app"));
    CHECK(!truth_of(json, "/authenticated"));
    mam_free(json);
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(0, mam_policy_can_receive_file(policy, path));
    mam_policy_release(policy);
    OK(mam_close(other));
    OK(mam_close(m));
}

static void a_directory_passes_on_its_owner(void **state) {
    office_permissive_policy(*state);
    mam_t *m = open_with_files(*state);
    CHECK(mkdir(in_office(*state, "files/sub"), 0700) == 0);
    make_file(*state, "files/a");
    make_file(*state, "files/sub/b");
    CHECK(mkfifo(in_office(*state, "files/pipe"), 0600) == 0);
    const char *outside = make_file(*state, "outside");
    CHECK(symlink(outside, in_office(*state, "files/link")) == 0);
    OK(mam_file_protect(m, in_office(*state, "files"), ANN));
    reports(m, in_office(*state, "files"), ANN_ID, "both", NULL);
    reports(m, in_office(*state, "files/a"), ANN_ID, "both", NULL);
    reports(m, in_office(*state, "files/sub/b"), ANN_ID, "both", NULL);
    reports(m, outside, NULL, "none", NULL);
    /* A file that is created later belongs to the owner, however deep, unless it has another owner. */
    CHECK(mkdir(in_office(*state, "files/sub/new"), 0700) == 0);
    const char *late = make_file(*state, "files/sub/new/c");
    reports(m, late, ANN_ID, "directory", NULL);
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, late, ""));
    reports(m, late, ANN_ID, "directory", NULL);
    OK(mam_file_unmanage(m, late, ""));
    reports(m, late, "", "both", NULL);
    /* Without its attribute, the index knows the directory. */
    CHECK(removexattr(in_office(*state, "files"), OWNER) == 0);
    reports(m, make_file(*state, "files/d"), ANN_ID, "directory", NULL);
    OK(mam_close(m));
}

/* A link that another program puts into a directory leads to no file's owner. */
static void links_are_never_followed(void **state) {
    mam_t *m = open_with_files(*state);
    const char *outside = make_file(*state, "outside"), *link = in_office(*state, "files/link");
    char *json = NULL;
    CHECK(symlink(outside, link) == 0);
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_protect(m, link, ANN));
    CULPRIT("path", link);
    CHECK_NUMBER(101, original_code());
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_info(m, link, &json));
    reports(m, outside, NULL, "none", NULL);
    /* Links in the directories of the path are followed: the index has the file's real path. */
    CHECK(symlink(in_office(*state, "files"), in_office(*state, "way")) == 0);
    make_file(*state, "files/a");
    OK(mam_file_protect(m, in_office(*state, "way/a"), ANN));
    CHECK(removexattr(in_office(*state, "files/a"), OWNER) == 0);
    reports(m, in_office(*state, "files/a"), ANN_ID, "index", "attributeMissing");
    OK(mam_close(m));
}

static bool has_nodump(const char *path) {
    int flags = 0, file = open(path, O_RDONLY);
    bool is_known = file >= 0 && ioctl(file, FS_IOC_GETFLAGS, &flags) == 0;
    close(file);
    if (!is_known) SKIP("the file system has no nodump attribute");
    return flags & FS_NODUMP_FL;
}

static void backups_omit_what_policy_keeps(void **state) {
    office_permissive_policy(*state);
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    CHECK(!has_nodump(path));
    OK(mam_file_protect(m, path, ANN));
    CHECK(has_nodump(path));
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, ""));
    CHECK(has_nodump(path));
    OK(mam_file_unmanage(m, path, ""));
    CHECK(!has_nodump(path));
    OK(mam_close(m));
}

/* A database that the host has open is examined and given an owner: its locks stay. */
static void the_hosts_locks_stay(void **state) {
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    char *json = NULL;
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET}, seen;
    int file = open(path, O_RDWR), other = open(path, O_RDWR);
    CHECK(file >= 0 && other >= 0 && fcntl(file, F_SETLK, &all) == 0);
    OK(mam_file_protect(m, path, EVE));
    OK(mam_file_info(m, path, &json));
    mam_free(json);
    FAILS(MAM_ERR_BUSY, mam_file_protect(m, path, ANN)); /* it is not encrypted while the host uses it */
    reports(m, make_file(*state, "files/b"), NULL, "none", NULL);
    seen = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CHECK(fcntl(other, F_OFD_GETLK, &seen) == 0 && seen.l_type == F_WRLCK && seen.l_pid == getpid());
    all.l_type = F_UNLCK;
    CHECK(fcntl(file, F_SETLK, &all) == 0);
    close(file);
    close(other);
    OK(mam_close(m));
}

static void files_are_received_by_their_owner(void **state) {
    office_permissive_policy(*state);
    mam_t *m = open_with_files(*state);
    const char *path = make_file(*state, "files/a");
    mam_policy_t *ann = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    CHECK_NUMBER(0, mam_policy_can_receive_file(ann, path));
    OK(mam_file_protect(m, path, ANN));
    CHECK_NUMBER(1, mam_policy_can_receive_file(ann, path));
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, EVE));
    CHECK_NUMBER(1, mam_policy_can_receive_file(ann, path));
    OK(mam_file_unmanage(m, path, EVE));
    CHECK_NUMBER(0, mam_policy_can_receive_file(ann, path));
    CHECK_NUMBER(0, mam_policy_can_receive_file(ann, in_office(*state, "files/none")));
    FAILS(MAM_ERR_NOT_FOUND, mam_last_status());
    mam_policy_release(ann);
    OK(mam_close(m));
}

/* A cached owner is not returned after another program has changed it. */
static void cached_owners_are_not_stale(void **state) {
    mam_t *m = open_with_files(*state), *other = open_quiet(*state);
    const char *path = make_file(*state, "files/a");
    OK(mam_file_protect(m, path, ANN));
    for (int i = 0; i < 5; i++) {
        reports(m, path, ANN_ID, "both", NULL);
        OK(mam_file_protect(other, path, BOB));
        reports(m, path, BOB_ID, "both", NULL);
        sleep_ms(150);
        reports(m, path, BOB_ID, "both", NULL);
        reports(m, path, BOB_ID, "both", NULL);
        OK(mam_file_protect(other, path, ANN));
        reports(m, path, ANN_ID, "both", NULL);
        sleep_ms(i * 30);
    }
    OK(mam_close(other));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(an_owner_is_set_and_reported),
        WITH_OFFICE(without_an_account_it_is_the_thread_identity_s),
        WITH_OFFICE(renamed_files_are_found),
        WITH_OFFICE(stripped_and_renamed_files_are_found),
        WITH_OFFICE(copies_are_found_by_their_attribute),
        WITH_OFFICE(on_another_file_system_the_attribute_counts),
        WITH_OFFICE(a_lost_index_leaves_the_attribute),
        WITH_OFFICE(an_edited_index_is_reported),
        WITH_OFFICE(each_name_of_a_file_has_its_owner),
        WITH_OFFICE(a_reused_inode_number_has_no_owner),
        WITH_OFFICE(a_replaced_file_is_reported),
        WITH_OFFICE(conflicting_labels_are_reported),
        WITH_OFFICE(a_changed_label_is_reported),
        WITH_OFFICE(another_groups_label_is_reported_and_does_not_count),
        WITH_OFFICE(a_directory_passes_on_its_owner),
        WITH_OFFICE(links_are_never_followed),
        WITH_OFFICE(backups_omit_what_policy_keeps),
        WITH_OFFICE(the_hosts_locks_stay),
        WITH_OFFICE(files_are_received_by_their_owner),
        WITH_OFFICE(cached_owners_are_not_stale),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
