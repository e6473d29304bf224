/* The location of the state, the owner of its files, and the users who may access them. */
#include "saved_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { NOBODY = 65534 };

/* ---- its location */

static void missing_parents_are_made(void **state) {
    office *o = *state;
    snprintf(o->state, sizeof o->state, "%s/a/b/c", o->root);
    saved_state k = make_state(o);
    struct stat s;
    static const char *const names[] = {"a", "a/b", "a/b/c", "a/b/c/" GROUP, "a/b/c/" GROUP "/shares"};
    for (int i = 0; i < 5; i++) {
        CHECK(stat(in_office(o, names[i]), &s) == 0 && S_ISDIR(s.st_mode));
        CHECK_NUMBER(0, s.st_mode & 077);
    }
    all_is_there(o, &k);
    forget(&k);
}

/* Others have no access to it, whatever the umask. */
static void others_have_no_access(void **state) {
    const office *o = *state;
    mode_t before = umask(0);
    saved_state k = make_state(o);
    mam_t *m = open_quiet(o);
    OK(mam_set_override(m, "SupportsDarkMode", "true"));
    DIR *directory = opendir(in_group(o, "."));
    CHECK(directory != NULL);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        struct stat s;
        if (strcmp(entry->d_name, "..") == 0) continue;
        CHECK(stat(in_group(o, entry->d_name), &s) == 0);
        if (s.st_mode & 077) failed_at(__FILE__, __LINE__, "%s has mode %o", entry->d_name, (unsigned)s.st_mode & 07777);
        files++;
    }
    closedir(directory);
    CHECK(files >= 4);
    struct stat s;
    CHECK(stat(in_group(o, "shares"), &s) == 0 && (s.st_mode & 077) == 0);
    OK(mam_close(m));
    umask(before);
    forget(&k);
}

static void not_a_directory(void **state) {
    office *o = *state;
    write_whole(o->state, "a file", 6);
    mam_status status = try_open(o, QUIET);
    CHECK(status == MAM_ERR_IO || status == MAM_ERR_PERMISSION);
    FAILS(status, status);
    CULPRIT("path", o->state);
    snprintf(o->state, sizeof o->state, "%s/state/below", o->root);
    FAILS(MAM_ERR_IO, try_open(o, QUIET));
    CHECK(strstr(mam_last_message(), "/state") != NULL);
    snprintf(o->state, sizeof o->state, "%s/folder", o->root);
    CHECK(mkdir(o->state, 0700) == 0);
    write_whole(in_office(o, "folder/" GROUP), "", 0); /* the group's folder is a file */
    status = try_open(o, QUIET);
    CHECK(status != MAM_OK);
    FAILS(status, status);
    /* The obstacle was not touched. */
    struct stat s;
    CHECK(stat(in_office(o, "state"), &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 6);
}

static void others_may_use_it(void **state) {
    const office *o = *state;
    saved_state k = make_state(o);
    static const struct {
        const char *name;
        mode_t mode, good;
    } rows[] = {
        {".", 0750, 0700},        {".", 0705, 0700},        {".", 0777, 0700},        {"shares", 0711, 0700},
        {"root.key", 0644, 0600}, {"root.key", 0640, 0600}, {"root.key", 0604, 0600},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stat s;
        bool is_group = strcmp(rows[i].name, ".") == 0;
        char path[LONG_PATH];
        snprintf(path, sizeof path, "%s/" GROUP "%s%s", o->state, is_group ? "" : "/", is_group ? "" : rows[i].name);
        CHECK(chmod(path, rows[i].mode) == 0);
        refuses_to_open(o, MAM_ERR_PERMISSION, path);
        CHECK(stat(path, &s) == 0 && (s.st_mode & 07777) == rows[i].mode); /* not silently repaired */
        CHECK(chmod(path, rows[i].good) == 0);
        all_is_there(o, &k);
    }
    CHECK(chmod(o->state, 0777) == 0); /* others could put another group's folder there */
    refuses_to_open(o, MAM_ERR_PERMISSION, o->state);
    CHECK(chmod(o->state, 0700) == 0);
    all_is_there(o, &k);
    forget(&k);
}

/* The files of a group whose session is open, including its log, one share last. */
enum { FILES = 7 };

static const char *file_of(const office *o, int i) {
    static const char *const names[] = {"state.db", "state.db-wal", "state.db-shm",   "generation",
                                        "counter",  "wipe.lock",    "enrollment.lock"};
    return i < FILES - 1 ? in_group(o, names[i]) : only_file_in(in_group(o, "shares"));
}

/* A file of ours in a folder that is closed to others was inaccessible to them: its mode is corrected as well. */
static void files_in_a_closed_folder(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    write_whole(in_group(o, "wipe.lock"), "", 0);
    write_whole(in_group(o, "enrollment.lock"), "", 0);
    for (int i = 0; i < FILES; i++) CHECK(chmod(file_of(o, i), 0666) == 0);
    OK(try_open(o, QUIET));
    for (int i = 0; i < FILES; i++) {
        struct stat s;
        CHECK(stat(file_of(o, i), &s) == 0);
        CHECK_NUMBER(0600, s.st_mode & 07777);
    }
    OK(mam_close(m));
}

static void without_owner_permissions(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    write_whole(in_group(o, "wipe.lock"), "", 0);
    write_whole(in_group(o, "enrollment.lock"), "", 0);
    static const mode_t modes[] = {0400, 0200, 0};
    for (int i = 0; i < FILES; i++) {
        char path[LONG_PATH];
        snprintf(path, sizeof path, "%s", file_of(o, i));
        for (int k = 0; k < 3; k++) {
            CHECK(chmod(path, modes[k]) == 0);
            refuses_to_open(o, MAM_ERR_PERMISSION, path);
            CHECK(strstr(mam_last_message(), "chmod 600") != NULL);
        }
        CHECK(chmod(path, 0600) == 0);
        OK(try_open(o, QUIET));
    }
    OK(mam_close(m));
    CHECK(chmod(in_group(o, "state.db"), 0400) == 0);
    refuses_to_open(o, MAM_ERR_PERMISSION, in_group(o, "state.db"));
    CHECK(access(in_group(o, "state.db-wal"), F_OK) != 0); /* none was created with that mode */
    CHECK(chmod(in_group(o, "state.db"), 0600) == 0);
    OK(try_open(o, QUIET));
}

static void owned_by_another_user(void **state) {
    const office *o = *state;
    if (geteuid() != 0) SKIP("only root can give files away");
    saved_state k = make_state(o);
    char share[64];
    DIR *shares = opendir(in_group(o, "shares"));
    for (struct dirent *entry; (entry = readdir(shares)) != NULL;)
        if (entry->d_name[0] != '.') snprintf(share, sizeof share, "/shares/%.48s", entry->d_name);
    closedir(shares);
    const char *const names[] = {"", "/shares", "/root.key", "/state.db", "/generation", share};
    for (int i = 0; i < 6; i++) {
        char path[LONG_PATH];
        snprintf(path, sizeof path, "%s/" GROUP "%s", o->state, names[i]);
        CHECK(chown(path, NOBODY, NOBODY) == 0);
        refuses_to_open(o, MAM_ERR_PERMISSION, path);
        CHECK(chown(path, 0, 0) == 0);
        all_is_there(o, &k);
    }
    CHECK(chown(o->state, NOBODY, NOBODY) == 0);
    refuses_to_open(o, MAM_ERR_PERMISSION, o->state);
    CHECK(chown(o->state, 0, 0) == 0);
    all_is_there(o, &k);
    forget(&k);
}

static void symbolic_links(void **state) {
    const office *o = *state;
    saved_state k = make_state(o);
    static const char *const names[] = {"root.key", "state.db", "shares"};
    for (int i = 0; i < 3; i++) {
        char path[LONG_PATH], real[LONG_PATH];
        snprintf(path, sizeof path, "%s", in_group(o, names[i]));
        snprintf(real, sizeof real, "%s", in_office(o, "elsewhere"));
        CHECK(rename(path, real) == 0 && symlink(real, path) == 0);
        mam_status status = try_open(o, QUIET);
        if (status == MAM_OK) failed_at(__FILE__, __LINE__, "%s may be a symbolic link", names[i]);
        FAILS(status, status);
        CHECK(strstr(mam_last_message(), names[i]) != NULL);
        CHECK(unlink(path) == 0 && rename(real, path) == 0);
        all_is_there(o, &k);
    }
    char share[LONG_PATH], real[LONG_PATH]; /* a share that is a link is no share */
    CHECK(strlen(in_group(o, "shares")) > 0);
    DIR *shares = opendir(in_group(o, "shares"));
    struct dirent *entry;
    do entry = readdir(shares);
    while (entry->d_name[0] == '.');
    snprintf(share, sizeof share, "%s/%s", in_group(o, "shares"), entry->d_name);
    closedir(shares);
    snprintf(real, sizeof real, "%s", in_office(o, "elsewhere"));
    CHECK(rename(share, real) == 0 && symlink(real, share) == 0);
    mam_t *m = open_quiet(o);
    mam_status of_ann = opens_as(m, &k.ann, TEXT), of_bob = opens_as(m, &k.bob, TEXT);
    CHECK((of_ann == MAM_OK) != (of_bob == MAM_OK));
    OK(opens_as(m, &k.personal, TEXT));
    OK(mam_close(m));
    CHECK(unlink(share) == 0 && rename(real, share) == 0);
    all_is_there(o, &k);
    forget(&k);
}

/* ---- read-only: as nobody, since root may write anywhere */

/* Change the owner of a folder and its content, down to the shares. */
static void give_away(const char *path, int depth) {
    if (geteuid() != 0) return;
    CHECK(lchown(path, NOBODY, NOBODY) == 0);
    DIR *directory = depth > 0 ? opendir(path) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        char below[LONG_PATH];
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) give_away(below, depth - 1);
    }
    if (directory) closedir(directory);
}

static void be_nobody(void) {
    if (geteuid() == 0) CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

static void finds_read_only_parent(void *argument) {
    office *o = argument;
    be_nobody();
    FAILS(MAM_ERR_PERMISSION, try_open(o, QUIET));
    CHECK(strstr(mam_last_message(), o->state) != NULL);
}

static void a_read_only_parent(void **state) {
    office *o = *state;
    CHECK(mkdir(o->state, 0500) == 0);
    give_away(o->root, 4);
    in_child(finds_read_only_parent, o);
    DIR *directory = opendir(o->state); /* nothing was left behind */
    int entries = 0;
    while (readdir(directory)) entries++;
    closedir(directory);
    CHECK_NUMBER(2, entries);
}

typedef struct place {
    office *o;
    saved_state *k;
} place;

static void finds_read_only_state(void *argument) {
    place *p = argument;
    be_nobody();
    mam_t *m = NULL;
    char *settings = settings_for(p->o, APP, QUIET);
    mam_status status = mam_open(settings, &m);
    if (status == MAM_OK) { /* reading may work; writing fails and reports it */
        OK(opens_as(m, &p->k->ann, TEXT));
        status = mam_set_override(m, "SupportsDarkMode", "true");
        CHECK(status != MAM_OK);
        FAILS(status, status);
        OK(mam_close(m));
    } else {
        CHECK(status == MAM_ERR_PERMISSION || status == MAM_ERR_IO || status == MAM_ERR_STORAGE);
        FAILS(status, status);
        CHECK(m == NULL && strstr(mam_last_message(), p->o->state) != NULL);
    }
    free(settings);
}

static void reads_as_nobody(void *argument) {
    place *p = argument;
    be_nobody();
    all_is_there(p->o, p->k);
}

static void a_read_only_state(void **state) {
    office *o = *state;
    saved_state k = make_state(o);
    place p = {o, &k};
    give_away(o->root, 4);
    in_child(reads_as_nobody, &p);
    CHECK(chmod(in_group(o, "."), 0500) == 0);
    in_child(finds_read_only_state, &p);
    CHECK(chmod(in_group(o, "."), 0700) == 0);
    in_child(reads_as_nobody, &p);
    forget(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(missing_parents_are_made),  WITH_OFFICE(others_have_no_access),    WITH_OFFICE(not_a_directory),
        WITH_OFFICE(others_may_use_it),         WITH_OFFICE(files_in_a_closed_folder), WITH_OFFICE(owned_by_another_user),
        WITH_OFFICE(without_owner_permissions), WITH_OFFICE(symbolic_links),           WITH_OFFICE(a_read_only_parent),
        WITH_OFFICE(a_read_only_state),
    };
    return cmocka_run_group_tests_name("permissions", tests, begin, NULL);
}
