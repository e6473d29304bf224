/* A directory that another user can write: while root's session works there, that user exchanges files, directories and
 * links that lead out as fast as possible. Nothing outside is read, changed, sealed, owned or removed. */
#define _GNU_SOURCE /* renameat2 */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>

enum { NOBODY = 65534, MILLISECONDS = 1500 };

static const char PRECIOUS[] = "nobody but its owner may see or change this";
static office *here;
static mam_t *m;

static const char *shared(const char *name) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "shared/%s", name);
    return in_office(here, path);
}

/* Exchange two names, so that there is always an object at each. */
static void swap_for_ever(void *unused) {
    (void)unused;
    if (geteuid() == 0) CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    int at = open(shared("."), O_RDONLY | O_DIRECTORY);
    CHECK(at >= 0);
    for (unsigned turn = 0;; turn++) {
        /* If root has put another file there, that is exchanged as well. */
        (void)renameat2(at, "name", at, turn % 2 ? "link" : "other", RENAME_EXCHANGE);
        (void)renameat2(at, "folder", at, "folder-link", RENAME_EXCHANGE);
        if (turn % 8 == 0) (void)renameat2(at, "tree/inner", at, "tree-link", RENAME_EXCHANGE);
        if (turn % 64 == 0) {
            (void)unlinkat(at, "name", 0);
            (void)symlinkat("../outside/precious", at, "name");
        }
    }
}

static void make_places(void) {
    CHECK(mkdir(in_office(here, "outside"), 0700) == 0 && mkdir(in_office(here, "shared"), 0700) == 0);
    CHECK(mkdir(in_office(here, "outside/inner"), 0700) == 0);
    const char *const kept[] = {"outside/precious", "outside/0", "outside/inner/0", "outside/inner/precious"};
    for (int i = 0; i < 4; i++) write_whole(in_office(here, kept[i]), PRECIOUS, sizeof PRECIOUS);
    write_whole(shared("name"), "ours", 4);
    write_whole(shared("other"), "other", 5);
    CHECK(mkdir(shared("folder"), 0777) == 0 && mkdir(shared("tree"), 0777) == 0 && mkdir(shared("tree/inner"), 0777) == 0);
    char name[64];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "folder/%d", i);
        write_whole(shared(name), "ours", 4);
        snprintf(name, sizeof name, "tree/inner/%d", i);
        write_whole(shared(name), "ours", 4);
    }
    CHECK(symlink("../outside/precious", shared("link")) == 0 && symlink("../outside", shared("folder-link")) == 0);
    CHECK(symlink("../outside/inner", shared("tree-link")) == 0);
    char *words[] = {"chown", "-hR", "65534:65534", (char *)in_office(here, "shared"), NULL};
    CHECK_NUMBER(0, run_program(words, NULL, NULL, 0));
    CHECK(chmod(here->root, 0711) == 0 && chmod(shared("."), 0777) == 0);
}

typedef struct kept {
    struct stat facts;
    const char *name;
} kept_t;

static kept_t outside[] = {{.name = "outside"},       {.name = "outside/precious"}, {.name = "outside/0"},
                           {.name = "outside/inner"}, {.name = "outside/inner/0"},  {.name = "outside/inner/precious"}};
enum { OUTSIDE = sizeof outside / sizeof *outside };

static void remember(void) {
    for (int i = 0; i < OUTSIDE; i++) CHECK(stat(in_office(here, outside[i].name), &outside[i].facts) == 0);
}

static void nothing_happened(const char *after) {
    for (int i = 0; i < OUTSIDE; i++) {
        const char *path = in_office(here, outside[i].name);
        struct stat now, *then = &outside[i].facts;
        if (stat(path, &now) != 0) failed_at(__FILE__, __LINE__, "after %s: %s is gone", after, path);
        bool is_same = now.st_ino == then->st_ino && now.st_mode == then->st_mode && now.st_uid == then->st_uid
            && now.st_size == then->st_size && now.st_nlink == then->st_nlink && now.st_ctim.tv_sec == then->st_ctim.tv_sec
            && now.st_ctim.tv_nsec == then->st_ctim.tv_nsec && now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
        if (!is_same) failed_at(__FILE__, __LINE__, "after %s: %s was touched", after, path);
    }
}

/* Data read at the name is never that of a link's target. */
static void reads_nothing_outside(mam_file_t *file) {
    char got[64] = "";
    size_t count;
    if (mam_file_pread(file, 0, (uint8_t *)got, sizeof got, &count) == MAM_OK && memmem(got, count, PRECIOUS, 10) != NULL)
        failed_at(__FILE__, __LINE__, "a link was read through");
}

static unsigned met_links, met_files;

static void use(int what) {
    const char *name = shared("name"), *copy = in_office(here, "copy");
    static char *json;
    mam_file_t *file = NULL;
    mam_bool yes;
    mam_status status = MAM_OK;
    size_t count;
    switch (what) {
    case 0: status = mam_file_protect(m, name, ANN); break;
    case 1: status = mam_file_protect(m, shared("tree"), ANN); break;
    case 2: status = mam_file_protect(m, shared("folder"), ANN); break;
    case 3: status = mam_file_encrypt(m, name, ANN); break;
    case 4: status = mam_file_decrypt(m, name); break;
    case 5:
        status = mam_file_create(m, name, O_RDWR, 0600, ANN, &file);
        if (status == MAM_OK) status = mam_file_write(file, (const uint8_t *)"new", 3, &count);
        if (file) mam_file_close(file);
        break;
    case 6:
        status = mam_file_open(m, name, O_RDWR | O_TRUNC, &file);
        if (file) mam_file_close(file);
        break;
    case 7:
        status = mam_file_open(m, name, O_RDWR, &file);
        if (status == MAM_OK) reads_nothing_outside(file);
        if (status == MAM_OK) status = mam_file_write(file, (const uint8_t *)"more", 4, &count);
        if (file) mam_file_close(file);
        break;
    case 8: status = mam_file_decrypt_copy(m, name, copy); break;
    case 9: status = mam_file_decrypt_copy(m, in_office(here, "own"), name); break;
    case 10: status = mam_file_export(m, in_office(here, "own"), MAM_SAVE_SHAREPOINT, ANN, name); break;
    case 11: status = mam_file_import(m, in_office(here, "exported"), ANN, name); break;
    case 12: status = mam_file_reprotect(m, name, &yes); break;
    case 13: status = mam_file_verify_and_protect(m, name, ANN); break;
    case 14: status = mam_file_is_encrypted(m, name, &yes); break;
    case 15:
        status = mam_file_info(m, name, &json);
        mam_free(json);
        break;
    default: status = mam_rotate_keys(m, ANN);
    }
    met_links += status == MAM_ERR_UNSUPPORTED;
    met_files += status == MAM_OK;
    if (status == MAM_ERR_INTERNAL) failed_at(__FILE__, __LINE__, "%d: internal", what);
}

static void prepare_session(void) {
    m = open_enrolled(here);
    write_whole(in_office(here, "own"), "own", 3);
    OK(mam_file_encrypt(m, in_office(here, "own"), ANN));
    OK(mam_file_export(m, in_office(here, "own"), MAM_SAVE_SHAREPOINT, ANN, in_office(here, "exported")));
}

static void nothing_outside_is_accessed(void **state) {
    here = *state;
    if (geteuid() != 0) SKIP("only root can be somebody else as well");
    make_places();
    prepare_session();
    remember();
    pid_t other = start_child(swap_for_ever, NULL);
    unsigned turns = 0;
    const long long until = now_ms() + MILLISECONDS;
    int status;
    for (; now_ms() < until || turns < 100 || met_links < 10 || met_files < 10; turns++) {
        if (now_ms() > until + 20 * MILLISECONDS || waitpid(other, &status, WNOHANG) != 0)
            failed_at(__FILE__, __LINE__, "after %u turns %u links and %u files were met", turns, met_links, met_files);
        use((int)(turns % 17));
        char after[32];
        snprintf(after, sizeof after, "call %u", turns % 17);
        nothing_happened(after);
    }
    /* And a wipe, while the user goes on. */
    use(1);
    use(2);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    int code = code_of(m, op);
    nothing_happened("the wipe");
    CHECK(waitpid(other, &status, WNOHANG) == 0); /* it ran to the end */
    CHECK(kill(other, SIGKILL) == 0 && waitpid(other, &status, 0) == other);
    /* It may say that files were moved while it looked; then it removes them once they keep still. */
    if (code != 104) CHECK_NUMBER(215, code);
    finish_wipes(m);
    nothing_happened("the rest of the wipe");
    size_t length;
    for (int i = 1; i < OUTSIDE; i++) {
        if (i == 3) continue;
        char *bytes = (char *)read_whole(in_office(here, outside[i].name), &length);
        CHECK(length == sizeof PRECIOUS && memcmp(bytes, PRECIOUS, length) == 0);
        free(bytes);
        CHECK(getxattr(in_office(here, outside[i].name), "user.mam.owner", NULL, 0) < 0);
    }
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITHOUT_PIN(nothing_outside_is_accessed)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
