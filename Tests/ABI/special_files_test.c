/* Objects that are not files, unreadable files, and files that other programs extend and truncate while libmam works on
 * them. */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static office *here;
static mam_t *m;

static int begin_here(void **state) {
    if (set_up_without_pin(state)) return -1;
    here = *state;
    m = open_enrolled(here);
    return 0;
}

static int end_here(void **state) {
    OK(mam_close(m));
    return tear_down(state);
}

/* ---- every call, on every kind */

typedef struct call {
    const char *name;
    mam_status (*run)(const char *path);
    bool takes_directories, makes_files;
} call_t;

static mam_file_t *file;
static mam_bool yes;
static char *json;

static mam_status call_open(const char *p) { return mam_file_open(m, p, O_RDWR, &file); }
static mam_status call_create(const char *p) { return mam_file_create(m, p, O_RDWR, 0600, ANN, &file); }
static mam_status call_encrypt(const char *p) { return mam_file_encrypt(m, p, ANN); }
static mam_status call_decrypt(const char *p) { return mam_file_decrypt(m, p); }
static mam_status call_copy(const char *p) { return mam_file_decrypt_copy(m, p, in_office(here, "copy")); }
static mam_status call_copy_to(const char *p) { return mam_file_decrypt_copy(m, in_office(here, "own"), p); }
static mam_status call_look(const char *p) { return mam_file_is_encrypted(m, p, &yes); }
static mam_status call_protect(const char *p) { return mam_file_protect(m, p, ANN); }
static mam_status call_verify(const char *p) { return mam_file_verify_and_protect(m, p, ANN); }
static mam_status call_info(const char *p) {
    mam_status status = mam_file_info(m, p, &json);
    mam_free(json);
    return status;
}
static mam_status call_export(const char *p) { return mam_file_export(m, p, MAM_SAVE_SHAREPOINT, ANN, in_office(here, "copy")); }
static mam_status call_export_to(const char *p) { return mam_file_export(m, in_office(here, "own"), MAM_SAVE_SHAREPOINT, ANN, p); }
static mam_status call_import(const char *p) { return mam_file_import(m, p, ANN, in_office(here, "copy")); }
static mam_status call_import_to(const char *p) { return mam_file_import(m, in_office(here, "exported"), ANN, p); }
static mam_status call_reprotect(const char *p) { return mam_file_reprotect(m, p, &yes); }
static mam_status call_sqlite_encrypt(const char *p) { return mam_sqlite_encrypt(m, p, ANN); }
static mam_status call_sqlite_decrypt(const char *p) { return mam_sqlite_decrypt(m, p, ANN); }

static const call_t calls[] = {
    {"open", call_open, false, false},
    {"create", call_create, false, true},
    {"encrypt", call_encrypt, false, false},
    {"decrypt", call_decrypt, false, false},
    {"decrypt_copy", call_copy, false, false},
    {"decrypt_copy to", call_copy_to, false, true},
    {"is_encrypted", call_look, false, false},
    {"protect", call_protect, true, false},
    {"verify_and_protect", call_verify, true, false},
    {"info", call_info, true, false},
    {"export", call_export, false, false},
    {"export to", call_export_to, false, true},
    {"import", call_import, false, false},
    {"import to", call_import_to, false, true},
    {"reprotect", call_reprotect, false, false},
    {"sqlite_encrypt", call_sqlite_encrypt, false, false},
    {"sqlite_decrypt", call_sqlite_decrypt, false, false},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void prepare_own(void) {
    write_whole(in_office(here, "own"), "own", 3);
    OK(mam_file_encrypt(m, in_office(here, "own"), ANN));
    OK(mam_file_export(m, in_office(here, "own"), MAM_SAVE_SHAREPOINT, ANN, in_office(here, "exported")));
}

/* It fails, soon, and names the path. */
static void refuses(const call_t *c, const char *path, mam_status expected, mam_status or_else) {
    mam_status status = c->run(path);
    if (status == MAM_OK || (expected != MAM_OK && status != expected && status != or_else))
        failed_at(__FILE__, __LINE__, "%s of %.100s answers %d (%s)", c->name, path, status, mam_status_name(status));
    fails_at(__FILE__, __LINE__, c->name, status, status);
    if (strcmp(culprit("path"), path) != 0 && strstr(mam_last_message(), path) == NULL && status != MAM_ERR_ARGUMENT)
        failed_at(__FILE__, __LINE__, "%s of %.100s names the path \"%.100s\"", c->name, path, culprit("path"));
}

static void objects_that_are_not_files(void **state) {
    (void)state;
    prepare_own();
    CHECK(mkfifo(in_office(here, "pipe"), 0600) == 0 && mkdir(in_office(here, "directory"), 0700) == 0);
    make_socket(in_office(here, "socket"));
    CHECK(symlink("own", in_office(here, "link")) == 0 && symlink("link", in_office(here, "link-to-link")) == 0);
    const char *const special[] = {"pipe", "socket", "link", "link-to-link", "directory", "/dev/null", "/dev/tty", "device"};
    bool has_device = mknod(in_office(here, "device"), S_IFCHR | 0666, makedev(1, 3)) == 0; /* one that may be replaced */
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        for (int c = 0; c < CALLS; c++) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "%s", special[i][0] == '/' ? special[i] : in_office(here, special[i]));
            bool is_link = strncmp(special[i], "link", 4) == 0, is_sqlite = strncmp(calls[c].name, "sqlite", 6) == 0;
            if (strcmp(special[i], "directory") == 0 && calls[c].takes_directories) continue;
            if (is_link && is_sqlite) continue; /* SQLite follows it */
            if (strcmp(special[i], "device") == 0 ? !has_device : special[i][0] == '/' && is_sqlite) continue;
            refuses(&calls[c], path, is_sqlite ? MAM_OK : MAM_ERR_UNSUPPORTED, MAM_ERR_UNSUPPORTED);
        }
    }
    struct stat device;
    CHECK(!has_device || (stat(in_office(here, "device"), &device) == 0 && S_ISCHR(device.st_mode)));
    mam_bool encrypted;
    OK(mam_file_is_encrypted(m, in_office(here, "own"), &encrypted)); /* the target of the link */
    CHECK_NUMBER(1, encrypted);
}

static void missing_files(void **state) {
    (void)state;
    prepare_own();
    static char longest[5000];
    memset(longest, 'a', sizeof longest - 1);
    const char *const missing[] = {"none", "none/none", "own/none"};
    for (int c = 0; c < CALLS; c++) {
        for (int i = 0; i < 3; i++) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "%s", in_office(here, missing[i]));
            if (i == 0 && calls[c].makes_files) continue;
            refuses(&calls[c], path, MAM_OK, MAM_OK);
        }
        refuses(&calls[c], longest, MAM_OK, MAM_OK);
        refuses(&calls[c], "", MAM_OK, MAM_OK);
    }
}

static void unreadable(void *argument) {
    here = argument;
    char *words[] = {"chown", "-R", "65534:65534", here->root, NULL};
    if (geteuid() == 0 && (run_program(words, NULL, NULL, 0) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) return;
    m = open_enrolled(here);
    prepare_own();
    char path[PATH_SIZE], directory[PATH_SIZE - 8];
    snprintf(path, sizeof path, "%s", in_office(here, "closed"));
    snprintf(directory, sizeof directory, "%s", in_office(here, "closed-directory"));
    CHECK(mkdir(directory, 0700) == 0);
    for (int c = 0; c < CALLS; c++) {
        char inside[PATH_SIZE];
        snprintf(inside, sizeof inside, "%s/file", directory);
        CHECK(chmod(directory, 0700) == 0);
        write_whole(inside, "x", 1);
        write_whole(path, "x", 1);
        CHECK(chmod(directory, 0) == 0 && chmod(path, 0) == 0);
        refuses(&calls[c], inside, MAM_OK, MAM_OK);
        /* An unreadable file may be replaced; the index may know its owner. */
        bool may_be = calls[c].makes_files || strcmp(calls[c].name, "info") == 0;
        if (!may_be) refuses(&calls[c], path, MAM_OK, MAM_OK);
        struct stat still;
        if (stat(path, &still) != 0 || still.st_size != 1) failed_at(__FILE__, __LINE__, "%s has lost %s", calls[c].name, path);
        CHECK(chmod(path, 0600) == 0);
    }
    OK(mam_close(m));
}

static void unreadable_files(void **state) { in_child(unreadable, *state); }

/* ---- others at work */

static atomic_bool stop;
static char moving[PATH_SIZE];

/* A program without libmam. */
static void *grow_and_shrink(void *unused) {
    uint64_t turn = 12345;
    int f = open(moving, O_RDWR | O_CLOEXEC);
    (void)unused;
    while (!atomic_load(&stop)) {
        turn = turn * 6364136223846793005u + 1442695040888963407u;
        off_t size = (off_t)(turn >> 33) % 400000;
        if (f >= 0 && ftruncate(f, size) == 0 && turn >> 60 & 1) CHECK(pwrite(f, "grown", 5, size) == 5);
        if (f < 0 || (turn >> 61) == 0) { /* it may be another file by now */
            close(f);
            f = open(moving, O_RDWR | O_CLOEXEC);
        }
        usleep(50);
    }
    close(f);
    return NULL;
}

static bool is_reported(mam_status status) {
    return status == MAM_OK || status == MAM_ERR_DAMAGED || status == MAM_ERR_AUTHENTICATION || status == MAM_ERR_BUSY
        || status == MAM_ERR_NOT_PROTECTED || status == MAM_ERR_DENIED;
}

static void files_that_others_change(void **state) {
    (void)state;
    static uint8_t bytes[400000];
    prepare_own();
    snprintf(moving, sizeof moving, "%s", in_office(here, "moving"));
    for (int form = 0; form < 2; form++) {
        pthread_t thread;
        memset(bytes, 'x', sizeof bytes);
        write_whole(moving, bytes, sizeof bytes);
        if (form == 1) OK(mam_file_encrypt(m, moving, ANN));
        OK(mam_file_open(m, moving, O_RDWR, &file));
        atomic_store(&stop, false);
        CHECK(pthread_create(&thread, NULL, grow_and_shrink, NULL) == 0);
        for (int turn = 0; turn < 300; turn++) {
            size_t count;
            int64_t size;
            mam_status status = MAM_OK;
            switch (turn % 10) {
            case 0: status = mam_file_pread(file, 0, bytes, sizeof bytes, &count); break;
            case 1: status = mam_file_pwrite(file, turn * 1000, bytes, 5000, &count); break;
            case 2: status = mam_file_size(file, &size); break;
            case 3: status = mam_file_decrypt_copy(m, moving, in_office(here, "copy")); break;
            case 4: status = mam_file_export(m, moving, MAM_SAVE_SHAREPOINT, ANN, in_office(here, "copy")); break;
            case 5: status = mam_file_import(m, moving, ANN, in_office(here, "copy")); break;
            case 6: status = mam_file_truncate(file, turn * 700); break;
            case 7:
                status = mam_file_info(m, moving, &json);
                mam_free(json);
                break;
            case 8: status = mam_file_reprotect(m, moving, &yes); break;
            default:
                mam_file_close(file);
                status = turn % 20 == 9 ? mam_file_encrypt(m, moving, ANN) : mam_file_decrypt(m, moving);
                if (!is_reported(status)) failed_at(__FILE__, __LINE__, "form %d, turn %d: %d", form, turn, status);
                status = mam_file_open(m, moving, O_RDWR, &file);
                /* Nothing that can be opened remains of it, or of what took its place. */
                for (int again = 0; again < 100 && is_reported(status) && status != MAM_OK; again++) {
                    write_whole(moving, bytes, 1000);
                    status = mam_file_open(m, moving, O_RDWR, &file);
                }
                OK(status);
            }
            if (!is_reported(status)) failed_at(__FILE__, __LINE__, "form %d, turn %d: %d", form, turn, status);
        }
        atomic_store(&stop, true);
        pthread_join(thread, NULL);
        mam_file_close(file);
    }
}

/* ---- many handles */

enum { HANDLES = 10000, MOST_BYTES = 3072 };

static long resident(void) {
    long all = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL && fscanf(f, "%ld %ld", &all, &pages) == 2);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static void limit(rlim_t handles) {
    struct rlimit now;
    CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0);
    now.rlim_cur = handles < now.rlim_max ? handles : now.rlim_max;
    CHECK(setrlimit(RLIMIT_NOFILE, &now) == 0);
}

static void many_handles(void **state) {
    (void)state;
    static mam_file_t *files[HANDLES];
    struct rlimit now;
    size_t count;
    CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0);
    limit(HANDLES + 100);
    CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0);
    if (now.rlim_cur < HANDLES + 100) SKIP("this process may not have 10,000 files open");
    prepare_own();
    long before = resident();
    for (int i = 0; i < HANDLES; i++) OK(mam_file_open(m, in_office(here, "own"), O_RDWR, &files[i]));
    long each = (resident() - before) / HANDLES;
    if (!IS_SANITIZED && each > MOST_BYTES) failed_at(__FILE__, __LINE__, "a handle takes %ld bytes", each);
    /* Each works, including those that lost their slot among the keyed ciphers. */
    for (int i = 0; i < HANDLES; i += 7) {
        char got[8] = "";
        OK(mam_file_pwrite(files[i], 0, (const uint8_t *)(i % 2 ? "odd" : "own"), 3, &count));
        OK(mam_file_pread(files[(i * 31) % HANDLES], 0, (uint8_t *)got, 8, &count));
        CHECK_TEXT(i % 2 ? "odd" : "own", got);
    }
    for (int i = 0; i < HANDLES; i++) mam_file_close(files[i]);
}

static void more_descriptors_than_allowed(void **state) {
    (void)state;
    enum { FEW = 200 };
    mam_file_t *files[FEW];
    struct rlimit before;
    prepare_own();
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    limit(100);
    for (int turn = 0; turn < 3; turn++) {
        int opened = 0;
        mam_status status = MAM_OK;
        while (opened < FEW && (status = mam_file_open(m, in_office(here, "own"), O_RDWR, &files[opened])) == MAM_OK) opened++;
        FAILS(MAM_ERR_IO, status);
        CHECK(files[opened] == NULL && opened > 30);
        CHECK(strstr(mam_last_message(), "ulimit -n") != NULL || strstr(mam_last_message(), "descriptor") != NULL);
        /* Nor does a failing one take a slot. */
        long before = resident();
        for (int i = 0; i < 5000; i++) FAILS(MAM_ERR_IO, mam_file_open(m, in_office(here, "own"), O_RDWR, &files[opened]));
        if (!IS_SANITIZED && resident() - before > 200000) failed_at(__FILE__, __LINE__, "%ld bytes are lost", resident() - before);
        /* Nothing else is lost for lack of a slot. */
        for (int c = 0; c < CALLS; c++) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "%s", in_office(here, calls[c].makes_files ? "target" : "own"));
            file = NULL;
            status = calls[c].run(path);
            if (status == MAM_OK && file != NULL) mam_file_close(file);
            if (status == MAM_ERR_NOT_FOUND || status == MAM_ERR_DAMAGED || status == MAM_ERR_TAMPERED
                || status == MAM_ERR_NOT_PROTECTED)
                failed_at(__FILE__, __LINE__, "%s without a descriptor answers %d", calls[c].name, status);
        }
        char got[8] = "";
        size_t count;
        OK(mam_file_pread(files[0], 0, (uint8_t *)got, 8, &count));
        CHECK_TEXT("own", got);
        for (int i = 0; i < opened; i++) mam_file_close(files[i]);
        CHECK(access(in_office(here, "own"), F_OK) == 0);
    }
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    mam_bool encrypted;
    OK(mam_file_is_encrypted(m, in_office(here, "own"), &encrypted));
    CHECK_NUMBER(1, encrypted);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin_here, end_here)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(objects_that_are_not_files), TEST(missing_files), WITHOUT_PIN(unreadable_files),
        TEST(files_that_others_change),   TEST(many_handles),  TEST(more_descriptors_than_allowed),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
