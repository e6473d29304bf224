/* Files of a host: POSIX semantics, sealed on the disk. */
#define _GNU_SOURCE
#include "support.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char MARK[] = "the minutes of a meeting that nobody else may read";

static office *here;
static mam_t *m;

static int begin_here(void **state) {
    if (set_up(state)) return -1;
    here = *state;
    m = open_enrolled(here);
    return 0;
}

static int end_here(void **state) {
    OK(mam_close(m));
    return tear_down(state);
}

static const char *path_of(const char *name) {
    static char paths[4][PATH_SIZE];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_SIZE, "%s/%s", here->root, name);
    return path;
}

static mam_file_t *create(const char *name, const char *account) {
    mam_file_t *file = NULL;
    OK(mam_file_create(m, path_of(name), O_RDWR, 0640, account, &file));
    return file;
}

static mam_file_t *open_it(const char *name, int flags) {
    mam_file_t *file = NULL;
    OK(mam_file_open(m, path_of(name), flags, &file));
    return file;
}

static void put(mam_file_t *file, int64_t offset, const void *data, size_t length) {
    size_t written = 0;
    OK(mam_file_pwrite(file, offset, data, length, &written));
    CHECK_NUMBER(length, written);
}

static void holds(mam_file_t *file, int64_t offset, const void *data, size_t length) {
    uint8_t *out = malloc(length + 1);
    size_t count = 0;
    OK(mam_file_pread(file, offset, out, length, &count));
    CHECK_NUMBER(length, count);
    CHECK(memcmp(out, data, length) == 0);
    free(out);
}

static int64_t size_of(mam_file_t *file) {
    int64_t size = -1;
    OK(mam_file_size(file, &size));
    return size;
}

static bool shows(const char *name, const char *text) {
    size_t length;
    uint8_t *bytes = read_whole(path_of(name), &length);
    bool found = memmem(bytes, length, text, strlen(text)) != NULL;
    free(bytes);
    return found;
}

static void a_managed_file_is_sealed_and_reads_back(void **state) {
    (void)state;
    mode_t former = umask(0022);
    mam_file_t *file = create("notes", ANN);
    umask(former);
    put(file, 0, MARK, sizeof MARK);
    holds(file, 0, MARK, sizeof MARK);
    mam_file_close(file);
    CHECK(!shows("notes", "minutes"));
    file = open_it("notes", O_RDONLY);
    holds(file, 0, MARK, sizeof MARK);
    CHECK_NUMBER(sizeof MARK, size_of(file));
    mam_file_close(file);
    struct stat s;
    CHECK(stat(path_of("notes"), &s) == 0 && (s.st_mode & 07777) == 0640);
}

static void others_files_are_plain(void **state) {
    (void)state;
    static const char *const owners[] = {EVE, ""};
    for (int i = 0; i < 2; i++) {
        mam_file_t *file = create("plain", owners[i]);
        put(file, 3, MARK, sizeof MARK);
        holds(file, 0, "\0\0\0the", 6);
        mam_file_close(file);
        CHECK(shows("plain", MARK));
    }
    write_whole(path_of("other"), MARK, sizeof MARK);
    mam_file_t *file = open_it("other", O_RDWR);
    holds(file, 0, MARK, sizeof MARK);
    mam_file_close(file);
}

/* NULL is the thread's identity. */
static void without_a_name_it_is_the_thread_identity_s(void **state) {
    (void)state;
    OK(mam_set_process_identity(m, ""));
    mam_file_t *file = create("nobodys", NULL);
    put(file, 0, MARK, sizeof MARK);
    mam_file_close(file);
    CHECK(shows("nobodys", MARK));
    OK(mam_push_thread_identity(m, ANN));
    file = create("anns", NULL);
    put(file, 0, MARK, sizeof MARK);
    mam_file_close(file);
    OK(mam_pop_thread_identity(m));
    CHECK(!shows("anns", "minutes"));
}

static void positions_move_as_posix_says(void **state) {
    (void)state;
    mam_file_t *file = create("moving", ANN);
    size_t count = 0;
    int64_t at = -1;
    char out[16] = "";
    OK(mam_file_write(file, (const uint8_t *)"0123456789", 10, &count));
    OK(mam_file_tell(file, &at));
    CHECK_NUMBER(10, at);
    OK(mam_file_seek(file, -4, SEEK_END, &at));
    CHECK_NUMBER(6, at);
    OK(mam_file_read(file, (uint8_t *)out, 2, &count));
    CHECK(count == 2 && memcmp(out, "67", 2) == 0);
    OK(mam_file_seek(file, 1, SEEK_CUR, NULL));
    OK(mam_file_read(file, (uint8_t *)out, 16, &count));
    CHECK(count == 1 && out[0] == '9');
    OK(mam_file_read(file, (uint8_t *)out, 16, &count));
    CHECK_NUMBER(0, count);
    FAILS(MAM_ERR_ARGUMENT, mam_file_seek(file, -1, SEEK_SET, &at));
    FAILS(MAM_ERR_ARGUMENT, mam_file_seek(file, INT64_MAX, SEEK_END, &at));
    FAILS(MAM_ERR_ARGUMENT, mam_file_pread(file, -1, (uint8_t *)out, 1, &count));
    FAILS(MAM_ERR_ARGUMENT, mam_file_truncate(file, -1));
    mam_file_close(file);
}

static void holes_read_as_zeros_and_stay_sparse(void **state) {
    (void)state;
    static const uint8_t zeros[10000];
    mam_file_t *file = create("sparse", ANN);
    put(file, (int64_t)1 << 40, "far", 3);
    CHECK_NUMBER(((int64_t)1 << 40) + 3, size_of(file));
    holds(file, ((int64_t)1 << 39) - 77, zeros, sizeof zeros);
    holds(file, ((int64_t)1 << 40) - 5, "\0\0\0\0\0far", 8);
    OK(mam_file_truncate(file, 5000));
    OK(mam_file_truncate(file, 20000));
    holds(file, 4000, zeros, sizeof zeros);
    mam_file_close(file);
    struct stat s;
    CHECK(stat(path_of("sparse"), &s) == 0 && s.st_blocks < 1000);
}

static void appending_goes_to_the_end(void **state) {
    (void)state;
    static const char *const owners[] = {ANN, EVE};
    static const char *const names[] = {"log", "Eve's log"};
    for (int i = 0; i < 2; i++) {
        mam_file_close(create(names[i], owners[i]));
        mam_file_t *one = open_it(names[i], O_WRONLY | O_APPEND), *two = open_it(names[i], O_RDWR | O_APPEND);
        size_t count;
        for (int turn = 0; turn < 3; turn++) {
            OK(mam_file_write(one, (const uint8_t *)"one", 3, &count));
            OK(mam_file_write(two, (const uint8_t *)"two", 3, &count));
        }
        holds(two, 0, "onetwoonetwoonetwo", 18);
        FAILS(MAM_ERR_ARGUMENT, mam_file_read(one, (uint8_t *)(char[4]){0}, 4, &count));
        mam_file_close(one);
        mam_file_close(two);
    }
}

static void truncated_data_is_gone(void **state) {
    (void)state;
    mam_file_t *old = create("cut", ANN);
    put(old, 0, MARK, sizeof MARK);
    mam_file_t *again = create("cut", ANN);
    CHECK_NUMBER(0, size_of(again));
    CHECK_NUMBER(0, size_of(old));
    put(again, 0, "new", 3);
    holds(old, 0, "new", 3);
    mam_file_close(again);
    mam_file_close(old);
    mam_file_t *file = NULL;
    FAILS(MAM_ERR_ALREADY, mam_file_create(m, path_of("cut"), O_RDWR | O_EXCL, 0600, ANN, &file));
    /* The error for O_CREAT names the function that creates files. */
    FAILS(MAM_ERR_ARGUMENT, mam_file_open(m, path_of("missing"), O_RDWR | O_CREAT, &file));
    CULPRIT("argument", "flags");
    CHECK(strstr(mam_last_message(), "mam_file_create") != NULL);
    /* Created again for another account, once it is no longer Ann's. */
    FAILS(MAM_ERR_DENIED, mam_file_create(m, path_of("cut"), O_RDWR, 0600, EVE, &file));
    office_permissive_policy(here);
    CHECK_NUMBER(100, check_in(m, ANN));
    FAILS(MAM_ERR_DENIED, mam_file_create(m, path_of("cut"), O_RDWR, 0600, EVE, &file));
    file = open_it("cut", O_RDONLY);
    holds(file, 0, "new", 3);
    mam_file_close(file);
    OK(mam_file_unmanage(m, path_of("cut"), EVE));
    CHECK(shows("cut", "new"));
    file = create("cut", EVE);
    put(file, 0, "plain", 5);
    mam_file_close(file);
    CHECK(shows("cut", "plain"));
}

static void damaged_files_can_be_truncated(void **state) {
    (void)state;
    static const char bad[] = "MAM\002 is how a sealed file begins";
    write_whole(path_of("bad"), bad, sizeof bad);
    mam_file_t *file = NULL;
    FAILS(MAM_ERR_DAMAGED, mam_file_open(m, path_of("bad"), O_RDWR, &file));
    CHECK_NUMBER(103, original_code());
    file = create("bad", ANN);
    put(file, 0, MARK, sizeof MARK);
    holds(file, 0, MARK, sizeof MARK);
    mam_file_close(file);
}

static void bad_paths(void **state) {
    (void)state;
    mam_file_t *file = NULL;
    FAILS(MAM_ERR_NOT_FOUND, mam_file_open(m, path_of("missing"), O_RDWR, &file));
    CHECK_NUMBER(104, original_code());
    CULPRIT("path", path_of("missing"));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_open(m, here->root, O_RDONLY, &file));
    CHECK_NUMBER(105, original_code());
    CHECK(mkfifo(path_of("pipe"), 0600) == 0 && symlink(path_of("notes"), path_of("link")) == 0);
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_open(m, path_of("pipe"), O_RDONLY, &file));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_open(m, path_of("link"), O_RDONLY, &file));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_create(m, path_of("link"), O_RDWR, 0600, ANN, &file));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_open(m, "/dev/null", O_RDONLY, &file));
    FAILS(MAM_ERR_NOT_FOUND, mam_file_create(m, path_of("no/where"), O_RDWR, 0600, ANN, &file));
    FAILS(MAM_ERR_ARGUMENT, mam_file_open(m, path_of("x"), O_RDWR | O_DIRECT, &file));
    FAILS(MAM_ERR_ARGUMENT, mam_file_create(m, path_of("x"), O_RDONLY, 0600, ANN, &file));
    char long_path[5000];
    memset(long_path, 'a', sizeof long_path);
    long_path[4999] = 0;
    FAILS(MAM_ERR_ARGUMENT, mam_file_open(m, long_path, O_RDONLY, &file));
    mam_file_close(create("new\nline", ANN));
    mam_file_close(create("no utf-8 \377", ANN));
}

static void a_wiped_account_closes_its_files(void **state) {
    (void)state;
    mam_t *other = open_app(here, APP, QUIET);
    mam_file_t *file = NULL, *plain = create("bystander", EVE);
    size_t count;
    int64_t op;
    OK(mam_file_create(other, path_of("doomed"), O_RDWR, 0600, ANN, &file));
    put(file, 0, MARK, sizeof MARK);
    OK(mam_wipe_account(m, ANN, &op));
    FAILS(MAM_ERR_CLOSED, mam_file_pread(file, 0, (uint8_t *)(char[4]){0}, 4, &count));
    FAILS(MAM_ERR_CLOSED, mam_file_pwrite(file, 0, (const uint8_t *)"x", 1, &count));
    FAILS(MAM_ERR_CLOSED, mam_file_size(file, &(int64_t){0}));
    put(plain, 0, "x", 1);
    mam_file_close(file);
    mam_file_close(plain);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_open(m, path_of("doomed"), O_RDONLY, &file));
    CULPRIT("accountId", ANN_ID);
    OK(mam_close(other));
}

static void a_closed_session_closes_its_files(void **state) {
    (void)state;
    mam_t *other = open_app(here, APP, QUIET);
    mam_file_t *file = NULL;
    size_t count;
    OK(mam_file_create(other, path_of("left"), O_RDWR, 0600, ANN, &file));
    OK(mam_close(other));
    FAILS(MAM_ERR_CLOSED, mam_file_pwrite(file, 0, (const uint8_t *)"x", 1, &count));
    mam_file_close(file);
    mam_file_close(file);
    mam_file_close(NULL);
}

static void a_child_has_no_file(void **state) {
    (void)state;
    mam_file_t *file = create("parents", ANN);
    put(file, 0, MARK, sizeof MARK);
    pid_t child = fork();
    if (child == 0) {
        size_t count;
        bool refused = mam_file_pwrite(file, 0, (const uint8_t *)"x", 1, &count) == MAM_ERR_FORKED;
        mam_file_close(file);
        _exit(refused ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    holds(file, 0, MARK, sizeof MARK);
    mam_file_close(file);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin_here, end_here)

/* The cache of tables has a limit: groups far from each other share one slot, and more groups are used than it keeps.
 *  */
static void groups_far_from_each_other(void **state) {
    (void)state;
    enum { SPAN = 63 * 4096, PLACES = 1152, MANY = 1500 };
    mam_file_t *file = create("sparse", ANN), *other = open_it("sparse", O_RDWR);
    char text[64];
    for (int turn = 0; turn < 3; turn++)
        for (int group = 5; group < 5 + 3 * PLACES; group += PLACES) {
            int length = snprintf(text, sizeof text, "group %d, turn %d", group, turn);
            put(turn % 2 ? file : other, (int64_t)group * SPAN + 100, text, (size_t)length);
            holds(turn % 2 ? other : file, (int64_t)group * SPAN + 100, text, (size_t)length);
        }
    for (int turn = 0; turn < 2; turn++)
        for (int group = 0; group < MANY; group++) {
            int length = snprintf(text, sizeof text, "%d in turn %d", group, turn);
            put(group % 2 ? file : other, (int64_t)group * SPAN, text, (size_t)length);
        }
    for (int group = 0; group < MANY; group++) {
        int length = snprintf(text, sizeof text, "%d in turn 1", group);
        holds(file, (int64_t)group * SPAN, text, (size_t)length);
        holds(other, (int64_t)group * SPAN, text, (size_t)length);
    }
    mam_file_close(file);
    mam_file_close(other);
}

static void invalid_offsets(void **state) {
    (void)state;
    mam_file_t *file = create("sealed", ANN);
    size_t count = 7;
    put(file, 0, MARK, sizeof MARK);
    FAILS(MAM_ERR_ARGUMENT, mam_file_pwrite(file, -1, (const uint8_t *)MARK, sizeof MARK, &count));
    FAILS(MAM_ERR_ARGUMENT, mam_file_pread(file, INT64_MIN, (uint8_t *)&count, 1, &count));
    CHECK(mam_file_pwrite(file, INT64_MAX - 1, (const uint8_t *)MARK, sizeof MARK, &count) != MAM_OK);
    /* tmpfs has files of that size. */
    if (mam_file_pwrite(file, INT64_MAX / 2, (const uint8_t *)MARK, sizeof MARK, &count) == MAM_OK) {
        holds(file, INT64_MAX / 2, MARK, sizeof MARK);
        OK(mam_file_truncate(file, sizeof MARK));
    }
    CHECK_NUMBER(sizeof MARK, size_of(file));
    holds(file, 0, MARK, sizeof MARK);
    mam_file_close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_managed_file_is_sealed_and_reads_back),
        TEST(others_files_are_plain),
        TEST(without_a_name_it_is_the_thread_identity_s),
        TEST(positions_move_as_posix_says),
        TEST(holes_read_as_zeros_and_stay_sparse),
        TEST(appending_goes_to_the_end),
        TEST(truncated_data_is_gone),
        TEST(damaged_files_can_be_truncated),
        TEST(bad_paths),
        TEST(a_wiped_account_closes_its_files),
        TEST(a_closed_session_closes_its_files),
        TEST(a_child_has_no_file),
        TEST(groups_far_from_each_other),
        TEST(invalid_offsets),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
