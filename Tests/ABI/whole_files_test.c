/* Files that are encrypted and decrypted as a whole, in place. */
#define _GNU_SOURCE
#include "support.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>

static const char MARK[] = "the minutes of a meeting that nobody else may read";

static office *here;
static mam_t *m;
static char notes[PATH_SIZE], other[PATH_SIZE];

static int begin_here(void **state) {
    if (set_up(state)) return -1;
    here = *state;
    m = open_enrolled(here);
    snprintf(notes, sizeof notes, "%s/notes", here->root);
    snprintf(other, sizeof other, "%s/other", here->root);
    write_whole(notes, MARK, sizeof MARK);
    return 0;
}

static int end_here(void **state) {
    OK(mam_close(m));
    return tear_down(state);
}

static bool is_encrypted(const char *path) {
    mam_bool encrypted = 7;
    OK(mam_file_is_encrypted(m, path, &encrypted));
    return encrypted == 1;
}

static bool is_plain(const char *path) {
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    bool same = length == sizeof MARK && memcmp(bytes, MARK, length) == 0;
    free(bytes);
    return same;
}

static int entries(void) {
    DIR *folder = opendir(here->root);
    int count = 0;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static void encrypted_and_decrypted(void **state) {
    (void)state;
    int before = entries();
    CHECK(!is_encrypted(notes));
    OK(mam_file_encrypt(m, notes, ANN));
    CHECK(is_encrypted(notes) && !is_plain(notes));
    OK(mam_file_encrypt(m, notes, ANN_ID));
    OK(mam_file_decrypt_copy(m, notes, other));
    CHECK(is_plain(other) && is_encrypted(notes));
    OK(mam_file_decrypt(m, notes));
    CHECK(is_plain(notes) && !is_encrypted(notes));
    OK(mam_file_decrypt(m, notes));
    CHECK_NUMBER(before + 1, entries());
}

static void attributes_stay(void **state) {
    (void)state;
    struct timespec times[] = {{1000000000, 111}, {1100000000, 222}};
    struct stat before, after;
    char value[16] = "";
    CHECK(chmod(notes, 04751) == 0 && setxattr(notes, "user.color", "blue", 4, 0) == 0);
    CHECK(utimensat(AT_FDCWD, notes, times, 0) == 0 && stat(notes, &before) == 0);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 0) OK(mam_file_encrypt(m, notes, ANN));
        else OK(mam_file_decrypt(m, notes));
        CHECK(stat(notes, &after) == 0);
        CHECK(after.st_mode == before.st_mode && after.st_uid == before.st_uid && after.st_gid == before.st_gid);
        CHECK(after.st_mtim.tv_sec == 1100000000 && after.st_mtim.tv_nsec == 222 && after.st_atim.tv_sec == 1000000000);
        CHECK(getxattr(notes, "user.color", value, sizeof value) == 4 && memcmp(value, "blue", 4) == 0);
    }
}

static void holes_stay(void **state) {
    (void)state;
    int file = open(notes, O_RDWR | O_TRUNC);
    CHECK(file >= 0 && pwrite(file, "a", 1, 100 << 20) == 1 && pwrite(file, "b", 1, 5) == 1);
    CHECK(ftruncate(file, 200 << 20) == 0 && close(file) == 0);
    struct stat s;
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 0) OK(mam_file_encrypt(m, notes, ANN));
        else OK(mam_file_decrypt(m, notes));
        CHECK(stat(notes, &s) == 0 && s.st_blocks < 2000);
    }
    CHECK_NUMBER(200 << 20, s.st_size);
    char out[2];
    CHECK((file = open(notes, O_RDONLY)) >= 0 && pread(file, out, 1, 100 << 20) == 1 && pread(file, out + 1, 1, 5) == 1);
    CHECK(out[0] == 'a' && out[1] == 'b');
    close(file);
}

static void only_for_managed_accounts(void **state) {
    (void)state;
    FAILS(MAM_ERR_NOT_MANAGED, mam_file_encrypt(m, notes, EVE));
    CHECK_NUMBER(106, original_code());
    FAILS(MAM_ERR_ARGUMENT, mam_file_encrypt(m, notes, ""));
    CHECK_NUMBER(106, original_code());
    OK(mam_push_thread_identity(m, ANN));
    OK(mam_file_encrypt(m, notes, NULL));
    OK(mam_pop_thread_identity(m));
    CHECK(is_encrypted(notes));
}

static void from_one_account_to_another(void **state) {
    (void)state;
    enroll_well(m, BOB);
    OK(mam_file_encrypt(m, notes, ANN));
    OK(mam_file_encrypt(m, notes, BOB));
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    OK(mam_file_decrypt(m, notes));
    CHECK(is_plain(notes));
}

static void not_while_it_is_being_written(void **state) {
    (void)state;
    mam_file_t *file = NULL;
    OK(mam_file_open(m, notes, O_RDWR, &file));
    FAILS(MAM_ERR_BUSY, mam_file_encrypt(m, notes, ANN));
    mam_file_close(file);
    OK(mam_file_open(m, notes, O_RDONLY, &file));
    OK(mam_file_encrypt(m, notes, ANN));
    /* A reader keeps the former content. */
    char out[sizeof MARK];
    size_t count;
    OK(mam_file_read(file, (uint8_t *)out, sizeof out, &count));
    CHECK(count == sizeof out && memcmp(out, MARK, sizeof out) == 0);
    mam_file_close(file);
    CHECK(is_encrypted(notes));
}

static void only_files_are_accepted(void **state) {
    (void)state;
    CHECK(link(notes, other) == 0);
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_encrypt(m, notes, ANN));
    CHECK(unlink(other) == 0 && symlink(notes, other) == 0);
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_encrypt(m, other, ANN));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_decrypt_copy(m, notes, other));
    FAILS(MAM_ERR_ARGUMENT, mam_file_decrypt_copy(m, notes, notes));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_encrypt(m, here->root, ANN));
    CHECK_NUMBER(105, original_code());
    char missing[PATH_SIZE];
    snprintf(missing, sizeof missing, "%s/missing", here->root);
    FAILS(MAM_ERR_NOT_FOUND, mam_file_encrypt(m, missing, ANN));
    CHECK_NUMBER(104, original_code());
    FAILS(MAM_ERR_NOT_FOUND, mam_file_is_encrypted(m, missing, &(mam_bool){0}));
    CHECK(is_plain(notes));
}

static void a_damaged_file_is_left_alone(void **state) {
    (void)state;
    OK(mam_file_encrypt(m, notes, ANN));
    int file = open(notes, O_RDWR);
    uint8_t byte;
    CHECK(pread(file, &byte, 1, 8200) == 1);
    byte ^= 1;
    CHECK(pwrite(file, &byte, 1, 8200) == 1 && close(file) == 0);
    size_t length, again;
    uint8_t *before = read_whole(notes, &length);
    FAILS(MAM_ERR_DAMAGED, mam_file_decrypt(m, notes));
    CHECK_NUMBER(103, original_code());
    FAILS(MAM_ERR_DAMAGED, mam_file_decrypt_copy(m, notes, other));
    CHECK(access(other, F_OK) != 0);
    uint8_t *after = read_whole(notes, &again);
    CHECK(length == again && memcmp(before, after, length) == 0);
    free(before);
    free(after);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin_here, end_here)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(encrypted_and_decrypted),
        TEST(attributes_stay),
        TEST(holes_stay),
        TEST(only_for_managed_accounts),
        TEST(from_one_account_to_another),
        TEST(not_while_it_is_being_written),
        TEST(only_files_are_accepted),
        TEST(a_damaged_file_is_left_alone),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
