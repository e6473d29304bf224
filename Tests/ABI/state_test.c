/* The state directory under every misfortune: a clear error, nothing lost; without the fault all is there again. */
#define _GNU_SOURCE /* mount and unshare */
#include "functions.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TEXT "what must not be lost"
enum { NOBODY = 65534 };

/* A state with Ann and Bob enrolled, their containers, and no session open. */
typedef struct kept {
    mam_buffer ann, bob, personal;
} kept;

static kept make_state(const office *o) {
    kept k;
    mam_t *m = open_quiet(o);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    k.ann = sealed(m, ANN, TEXT);
    k.bob = sealed(m, BOB, TEXT);
    k.personal = sealed(m, EVE, TEXT);
    OK(mam_close(m));
    return k;
}

static void all_is_there(const office *o, kept *k) {
    mam_t *m = open_quiet(o);
    OK(opens_as(m, &k->ann, TEXT));
    OK(opens_as(m, &k->bob, TEXT));
    OK(opens_as(m, &k->personal, TEXT));
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(2, count_of(json, ""));
    mam_free(json);
    OK(mam_close(m));
}

static void forget(kept *k) {
    mam_buffer_free(&k->ann);
    mam_buffer_free(&k->bob);
    mam_buffer_free(&k->personal);
}

/* mam_open fails with this status and names the path; the fault is mended, and everything is there. */
static void refuses_to_open(const office *o, mam_status expected, const char *path) {
    FAILS(expected, try_open(o, QUIET));
    if (path && strcmp(culprit("path"), path) != 0)
        failed_at(__FILE__, __LINE__, "the detail names the path \"%s\" instead of \"%s\"", culprit("path"), path);
    if (path && strstr(mam_last_message(), path) == NULL) failed_at(__FILE__, __LINE__, "the message does not name %s", path);
}

/* ---- where it is */

static void missing_parents_are_made(void **state) {
    office *o = *state;
    snprintf(o->state, sizeof o->state, "%s/a/b/c", o->root);
    kept k = make_state(o);
    struct stat s;
    static const char *const names[] = {"a", "a/b", "a/b/c", "a/b/c/" GROUP, "a/b/c/" GROUP "/shares"};
    for (int i = 0; i < 5; i++) {
        CHECK(stat(in_office(o, names[i]), &s) == 0 && S_ISDIR(s.st_mode));
        CHECK_NUMBER(0, s.st_mode & 077);
    }
    all_is_there(o, &k);
    forget(&k);
}

/* Whatever the umask, nothing of it is for others. */
static void nothing_is_for_others(void **state) {
    const office *o = *state;
    mode_t before = umask(0);
    kept k = make_state(o);
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
    /* What is in the way was not touched. */
    struct stat s;
    CHECK(stat(in_office(o, "state"), &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 6);
}

static void others_may_use_it(void **state) {
    const office *o = *state;
    kept k = make_state(o);
    static const struct {
        const char *name;
        mode_t mode, good;
    } rows[] = {
        {".", 0750, 0700}, {".", 0705, 0700}, {".", 0777, 0700}, {"shares", 0711, 0700},
        {"root.key", 0644, 0600}, {"root.key", 0640, 0600}, {"root.key", 0604, 0600},
        {"state.db", 0644, 0600},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stat s;
        bool is_group = strcmp(rows[i].name, ".") == 0;
        char path[LONG_PATH];
        snprintf(path, sizeof path, "%s/" GROUP "%s%s", o->state, is_group ? "" : "/", is_group ? "" : rows[i].name);
        CHECK(chmod(path, rows[i].mode) == 0);
        if (strcmp(rows[i].name, "state.db") == 0) {
            mam_status status = try_open(o, QUIET); /* refused or mended: never left open */
            CHECK(status == MAM_ERR_PERMISSION || (stat(path, &s) == 0 && (s.st_mode & 077) == 0));
        } else {
            refuses_to_open(o, MAM_ERR_PERMISSION, path);
            CHECK(stat(path, &s) == 0 && (s.st_mode & 07777) == rows[i].mode); /* not repaired in silence */
        }
        CHECK(chmod(path, rows[i].good) == 0);
        all_is_there(o, &k);
    }
    CHECK(chmod(o->state, 0777) == 0); /* others could put another group's folder there */
    refuses_to_open(o, MAM_ERR_PERMISSION, o->state);
    CHECK(chmod(o->state, 0700) == 0);
    all_is_there(o, &k);
    forget(&k);
}

static void owned_by_another_user(void **state) {
    const office *o = *state;
    if (geteuid() != 0) SKIP("only root can give files away");
    kept k = make_state(o);
    static const char *const names[] = {"", "/shares", "/root.key", "/state.db"};
    for (int i = 0; i < 4; i++) {
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
    kept k = make_state(o);
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
    char share[LONG_PATH], real[LONG_PATH]; /* a share that leads elsewhere is no share */
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

static int chown_one(const char *path) { return geteuid() == 0 ? chown(path, NOBODY, NOBODY) : 0; }

static void give_away(const office *o) {
    static const char *const names[] = {"", "/" GROUP, "/" GROUP "/shares", "/" GROUP "/root.key", "/" GROUP "/state.db",
                                        "/" GROUP "/state.db-wal", "/" GROUP "/state.db-shm", "/" GROUP "/generation"};
    char path[LONG_PATH];
    CHECK(chown_one(o->root) == 0 && chown_one(o->authority) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", o->state, names[i]);
        if (access(path, F_OK) == 0) CHECK(chown_one(path) == 0);
    }
    DIR *shares = opendir(in_group(o, "shares"));
    for (struct dirent *entry; shares && (entry = readdir(shares)) != NULL;) {
        snprintf(path, sizeof path, "%s/" GROUP "/shares/%s", o->state, entry->d_name);
        if (entry->d_name[0] != '.') CHECK(chown_one(path) == 0);
    }
    if (shares) closedir(shares);
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
    give_away(o);
    in_child(finds_read_only_parent, o);
    DIR *directory = opendir(o->state); /* nothing was left behind */
    int entries = 0;
    while (readdir(directory)) entries++;
    closedir(directory);
    CHECK_NUMBER(2, entries);
}

typedef struct place {
    office *o;
    kept *k;
} place;

static void finds_read_only_state(void *argument) {
    place *p = argument;
    be_nobody();
    mam_t *m = NULL;
    char *settings = settings_for(p->o, APP, QUIET);
    mam_status status = mam_open(settings, &m);
    if (status == MAM_OK) { /* reading may work; writing does not, and says so */
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
    kept k = make_state(o);
    place p = {o, &k};
    give_away(o);
    in_child(reads_as_nobody, &p);
    CHECK(chmod(in_group(o, "."), 0500) == 0);
    in_child(finds_read_only_state, &p);
    CHECK(chmod(in_group(o, "."), 0700) == 0);
    CHECK(chmod(in_group(o, "state.db"), 0400) == 0);
    in_child(finds_read_only_state, &p);
    static const char *const files[] = {"state.db", "state.db-wal", "state.db-shm"}; /* SQLite copies the mode */
    for (int i = 0; i < 3; i++) CHECK(chmod(in_group(o, files[i]), 0600) == 0 || errno == ENOENT);
    in_child(reads_as_nobody, &p);
    forget(&k);
}

/* ---- file systems */

/* A file system of the test's own, where no other process sees it. */
static bool mount_small(const char *where, const char *options) {
    static bool is_apart;
    if (geteuid() != 0) return false;
    if (!is_apart) is_apart = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    return is_apart && mount("tmpfs", where, "tmpfs", 0, options) == 0;
}

/* Take all the room that is left but `spare` bytes. */
static void fill(const char *path, size_t spare) {
    static char block[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0);
    off_t written = 0;
    for (ssize_t n; (n = write(file, block, sizeof block)) > 0;) written += n;
    CHECK(errno == ENOSPC && ftruncate(file, written - (off_t)spare) == 0);
    close(file);
}

static void a_full_disk(void **state) {
    office *o = *state;
    char disk[PATH_SIZE];
    snprintf(disk, sizeof disk, "%s", in_office(o, "disk"));
    CHECK(mkdir(disk, 0700) == 0);
    if (!mount_small(disk, "size=1m,mode=0700")) SKIP("only root can mount a small file system");
    snprintf(o->state, sizeof o->state, "%s/disk/state", o->root);
    char filler[PATH_SIZE];
    snprintf(filler, sizeof filler, "%s", in_office(o, "disk/filler"));

    for (size_t spare = 0; spare < 200000; spare += 8192) { /* a new state, out of room at each step */
        fill(filler, spare);
        mam_status status = try_open(o, QUIET);
        if (status != MAM_OK) FAILS(MAM_ERR_NO_SPACE, status);
        CHECK(unlink(filler) == 0);
        OK(try_open(o, QUIET)); /* with room again: what was begun is no obstacle */
        remove_tree(o->state);
    }

    kept k = make_state(o);
    mam_t *m = open_quiet(o);
    fill(filler, 0);
    mam_status status = MAM_OK;
    char value[20000];
    memset(value, 'x', sizeof value);
    value[0] = value[sizeof value - 2] = '"';
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < 100 && status == MAM_OK; i++) status = mam_set_override(m, "ADALClientId", value);
    FAILS(MAM_ERR_NO_SPACE, status);
    OK(opens_as(m, &k.ann, TEXT)); /* reading goes on */
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

    /* A wipe on a full disk succeeds, or says that it did not. */
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

static void a_read_only_file_system(void **state) {
    office *o = *state;
    char disk[PATH_SIZE];
    snprintf(disk, sizeof disk, "%s", in_office(o, "disk"));
    CHECK(mkdir(disk, 0700) == 0);
    if (!mount_small(disk, "size=4m,mode=0700")) SKIP("only root can mount a small file system");
    snprintf(o->state, sizeof o->state, "%s/disk/state", o->root);
    kept k = make_state(o);
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
    CHECK_NUMBER(0, run_program(words, tool("network.so"), output, sizeof output)); /* without a type: as it is */
    for (int i = 0; i < 6; i++) {
        setenv("NETWORK_TYPE", types[i], 1);
        CHECK_NUMBER(1, run_program(words, tool("network.so"), output, sizeof output));
        if (strncmp(output, "6 ", 2) != 0 || strstr(output, o->state) == NULL || strstr(output, "network") == NULL)
            failed_at(__FILE__, __LINE__, "on a file system of type %s: %s", types[i], output);
    }
    unsetenv("NETWORK_TYPE");
    CHECK_NUMBER(0, run_program(words, NULL, output, sizeof output));
}

/* ---- the root key and the shares */

static void a_root_key_that_is_gone(void **state) {
    const office *o = *state;
    kept k = make_state(o);
    char path[LONG_PATH];
    size_t length, database_length, length_after;
    snprintf(path, sizeof path, "%s", in_group(o, "root.key"));
    uint8_t *key = read_whole(path, &length), *before = read_whole(in_group(o, "state.db"), &database_length);
    CHECK(unlink(path) == 0);
    refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
    CHECK(access(path, F_OK) != 0); /* none was made in its place */
    uint8_t *after = read_whole(in_group(o, "state.db"), &length_after);
    CHECK(length_after == database_length && memcmp(before, after, length_after) == 0);
    free(after);
    static const size_t sizes[] = {0, 1, 8, 32, 39};
    for (int i = 0; i < 5; i++) {
        write_whole(path, key, sizes[i]);
        refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
    }
    uint8_t *bent = malloc(length + 1);
    if (bent == NULL) abort();
    memcpy(bent, key, length);
    bent[length] = 0;
    write_whole(path, bent, length + 1);
    refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
    for (size_t i = 0; i < length; i++) {
        bent[i] ^= 0x10;
        write_whole(path, bent, length);
        refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
        bent[i] ^= 0x10;
    }
    write_whole(path, key, length);
    all_is_there(o, &k);
    free(bent);
    free(key);
    free(before);
    forget(&k);
}

static void a_share_is_hurt(const office *o, size_t new_length, bool gone) {
    kept k = make_state(o);
    char path[LONG_PATH];
    DIR *shares = opendir(in_group(o, "shares"));
    struct dirent *entry;
    do entry = readdir(shares);
    while (entry->d_name[0] == '.');
    snprintf(path, sizeof path, "%s/%s", in_group(o, "shares"), entry->d_name);
    closedir(shares);
    size_t length;
    uint8_t *share = read_whole(path, &length);
    if (gone) CHECK(unlink(path) == 0);
    else write_whole(path, share, new_length);
    mam_t *m = open_quiet(o);
    mam_policy_t *ann = NULL, *bob = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    OK(mam_policy_for_account(m, BOB, &bob));
    mam_status of_ann = opens_as(m, &k.ann, TEXT), of_bob = opens_as(m, &k.bob, TEXT);
    /* One is closed, with a reason; the other goes on. */
    CHECK((of_ann == MAM_ERR_KEY_UNAVAILABLE && of_bob == MAM_OK) || (of_bob == MAM_ERR_KEY_UNAVAILABLE && of_ann == MAM_OK));
    const char *closed = of_ann == MAM_OK ? BOB : ANN, *open = of_ann == MAM_OK ? ANN : BOB;
    mam_buffer out = {NULL, 0};
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_protect(m, closed, (const uint8_t *)"x", 1, &out));
    CHECK(out.data == NULL);
    OK(mam_protect(m, open, (const uint8_t *)"x", 1, &out));
    mam_buffer_free(&out);
    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(of_ann == MAM_OK ? bob : ann, MAM_SAVE_SHAREPOINT, closed));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(of_ann == MAM_OK ? ann : bob, MAM_SAVE_SHAREPOINT, open));
    OK(opens_as(m, &k.personal, TEXT));
    mam_policy_release(ann);
    mam_policy_release(bob);
    OK(mam_close(m));
    write_whole(path, share, length);
    all_is_there(o, &k);
    free(share);
    forget(&k);
}

static void a_deleted_share(void **state) { a_share_is_hurt(*state, 0, true); }
static void a_truncated_share(void **state) { a_share_is_hurt(*state, 31, false); }
static void an_empty_share(void **state) { a_share_is_hurt(*state, 0, false); }

/* ---- the database */

static void sql(const char *path, const char *statement) {
    sqlite3 *database = NULL;
    char *error = NULL;
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    if (sqlite3_exec(database, statement, NULL, NULL, &error) != SQLITE_OK)
        failed_at(__FILE__, __LINE__, "%s: %s", statement, error);
    CHECK(sqlite3_close(database) == SQLITE_OK);
}

static long long sql_number(const char *path, const char *query) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(database, query, -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    long long number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    CHECK(sqlite3_close(database) == SQLITE_OK);
    return number;
}

static void a_newer_schema(void **state) {
    const office *o = *state;
    kept k = make_state(o);
    char path[LONG_PATH], statement[64];
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    long long version = sql_number(path, "PRAGMA user_version");
    CHECK(version >= 1);
    static const long long newer[] = {1, 1000, INT32_MAX};
    for (int i = 0; i < 3; i++) {
        long long made = i < 2 ? version + newer[i] : newer[i];
        size_t length, length_after;
        snprintf(statement, sizeof statement, "PRAGMA user_version = %lld", made);
        sql(path, statement);
        uint8_t *before = read_whole(path, &length);
        refuses_to_open(o, MAM_ERR_VERSION, path);
        uint8_t *after = read_whole(path, &length_after);
        CHECK(length == length_after && memcmp(before, after, length) == 0);
        free(before);
        free(after);
    }
    snprintf(statement, sizeof statement, "PRAGMA user_version = %lld", version);
    sql(path, statement);
    all_is_there(o, &k);
    forget(&k);
}

static void a_foreign_database(void **state) {
    const office *o = *state;
    kept k = make_state(o);
    char path[LONG_PATH];
    size_t length;
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    uint8_t *database = read_whole(path, &length);
    write_whole(path, "this is no database, but somebody's letter, and longer than a header of one hundred bytes would be....", 100);
    refuses_to_open(o, MAM_ERR_STORAGE, path);
    CHECK(unlink(path) == 0);
    sql(path, "CREATE TABLE letters (text); PRAGMA application_id = 77");
    CHECK(chmod(path, 0600) == 0);
    refuses_to_open(o, MAM_ERR_STORAGE, path);
    write_whole(path, database, length);
    all_is_there(o, &k);
    free(database);
    forget(&k);
}

/* Everything a host does, on a state that may be broken: each call answers. */
static void use_it(const office *o, kept *k, const char *what, int *opened, int *refused) {
    mam_t *m = NULL;
    char *settings = settings_for(o, APP, QUIET), *json = NULL;
    mam_status status = mam_open(settings, &m);
    free(settings);
    if (status != MAM_OK) {
        const char *why = "";
        if (!is_error_clear(status, &why)) failed_at(__FILE__, __LINE__, "%s", why);
        if (status != MAM_ERR_STORAGE && status != MAM_ERR_TAMPERED && status != MAM_ERR_KEY_UNAVAILABLE)
            failed_at(__FILE__, __LINE__, "a corrupt database is status %d (%s)", status, mam_status_name(status));
        ++*refused;
        return;
    }
    ++*opened;
    mam_status statuses[4];
    mam_policy_t *ann = NULL;
    statuses[0] = opens_as(m, &k->ann, TEXT);
    statuses[1] = mam_enrolled_accounts(m, &json);
    mam_free(json);
    statuses[2] = opens_as(m, &k->personal, TEXT);
    statuses[3] = mam_policy_for_account(m, ANN, &ann);
    if (statuses[3] == MAM_OK && mam_policy_is_print_allowed(ann) != 0) /* must be closed, or as the policy says */
        failed_at(__FILE__, __LINE__, "%s: Ann may print: her policy is forgotten, and nobody is told (her container is status %d)", what, statuses[0]);
    mam_policy_release(ann);
    for (int i = 0; i < 4; i++)
        if (statuses[i] != MAM_OK && statuses[i] != MAM_ERR_STORAGE && statuses[i] != MAM_ERR_TAMPERED && statuses[i] != MAM_ERR_KEY_UNAVAILABLE)
            failed_at(__FILE__, __LINE__, "use %d of a corrupt state is status %d (%s)", i, statuses[i], mam_status_name(statuses[i]));
    status = mam_close(m);
    CHECK_NUMBER(MAM_OK, status);
}

/* Each page in turn is overwritten: with ones, with zeros, from its middle on. */
static void corrupted_pages(void **state) {
    const office *o = *state;
    kept k = make_state(o);
    static const char *const ways[] = {"ones", "zeros", "zeros in its second half"};
    char path[LONG_PATH], what[96];
    size_t length, page;
    int opened = 0, refused = 0;
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    uint8_t *good = read_whole(path, &length);
    page = (size_t)good[16] << 8 | good[17];
    CHECK(page >= 512 && length % page == 0 && length / page > 5);
    uint8_t *bent = malloc(length);
    if (bent == NULL) abort();
    for (size_t at = 0; at < length; at += page) {
        for (int way = 0; way < 3; way++) {
            memcpy(bent, good, length);
            memset(bent + at + (way == 2 ? page / 2 : 0), way == 0 ? 0xFF : 0, way == 2 ? page / 2 : page);
            write_whole(path, bent, length);
            unlink(in_group(o, "state.db-wal"));
            unlink(in_group(o, "state.db-shm"));
            snprintf(what, sizeof what, "page %zu of %zu with %s", at / page + 1, length / page, ways[way]);
            use_it(o, &k, what, &opened, &refused);
        }
    }
    for (size_t cut = page / 2; cut < length; cut += page) { /* and cut within each page */
        write_whole(path, good, cut);
        unlink(in_group(o, "state.db-wal"));
        unlink(in_group(o, "state.db-shm"));
        snprintf(what, sizeof what, "cut to %zu of %zu bytes", cut, length);
        use_it(o, &k, what, &opened, &refused);
    }
    CHECK(refused > 0);
    write_whole(path, good, length);
    unlink(in_group(o, "state.db-wal"));
    unlink(in_group(o, "state.db-shm"));
    all_is_there(o, &k);
    free(good);
    free(bent);
    forget(&k);
}

/* Byte 60 of a sealed column, changed whatever it was. */
#define BENT(column) \
    "substr(" column ", 1, 59) || iif(substr(" column ", 60, 1) = x'00', x'01', x'00') || substr(" column ", 61)"

/* A sealed value that was edited: the account's data is closed, nothing is deleted, others go on. */
static void edited_rows(void **state) {
    const office *o = *state;
    static const struct {
        const char *edit;
        bool heals; /* by a check-in */
    } rows[] = {
        {"UPDATE policies SET record = " BENT("record") " WHERE rowid = (SELECT min(rowid) FROM policies)", true},
        {"UPDATE accounts SET record = " BENT("record") " WHERE number = 1", false},
        {"UPDATE account_keys SET wrapped = " BENT("wrapped") " WHERE account = (SELECT id FROM accounts WHERE number = 1)", false},
        {"UPDATE account_keys SET key_id = zeroblob(16) WHERE account = (SELECT id FROM accounts WHERE number = 1)", false},
        /* Rows moved from one account to the other. */
        {"UPDATE accounts SET record = (SELECT record FROM accounts WHERE number = 2) WHERE number = 1", false},
        {"UPDATE policies SET record = (SELECT record FROM policies WHERE account = (SELECT id FROM accounts WHERE number = 2)) "
         "WHERE account = (SELECT id FROM accounts WHERE number = 1)", true},
    };
    kept k = make_state(o);
    char path[LONG_PATH];
    size_t length;
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    uint8_t *good = read_whole(path, &length);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sql(path, rows[i].edit);
        mam_t *m = open_quiet(o);
        mam_status of_ann = opens_as(m, &k.ann, TEXT), of_bob = opens_as(m, &k.bob, TEXT);
        bool is_ann = of_ann != MAM_OK;
        if (is_ann == (of_bob != MAM_OK)) failed_at(__FILE__, __LINE__, "edit %zu: Ann's is %d, Bob's %d", i, of_ann, of_bob);
        if ((is_ann ? of_ann : of_bob) != MAM_ERR_TAMPERED)
            failed_at(__FILE__, __LINE__, "edit %zu: status %d instead of tampered", i, is_ann ? of_ann : of_bob);
        const char *hurt = is_ann ? ANN : BOB;
        mam_buffer *container = is_ann ? &k.ann : &k.bob, out = {NULL, 0};
        mam_policy_t *policy = NULL;
        FAILS(MAM_ERR_TAMPERED, mam_protect(m, hurt, (const uint8_t *)"x", 1, &out));
        OK(mam_policy_for_account(m, hurt, &policy));
        CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, hurt));
        CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(policy));
        CHECK_NUMBER(1, mam_policy_is_pin_required(policy));
        mam_policy_release(policy);
        OK(opens_as(m, &k.personal, TEXT));
        if (rows[i].heals) {
            int code = check_in(m, hurt);
            if (code != 100) failed_at(__FILE__, __LINE__, "edit %zu: the check-in ends with %d", i, code);
            OK(opens_as(m, container, TEXT));
            OK(mam_policy_for_account(m, hurt, &policy));
            CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, hurt));
            mam_policy_release(policy);
        }
        OK(mam_close(m));
        write_whole(path, good, length);
        unlink(in_group(o, "state.db-wal"));
        unlink(in_group(o, "state.db-shm"));
        all_is_there(o, &k);
    }
    free(good);
    forget(&k);
}

/* A mapped file that is cut short kills whoever reads it: none is mapped that this could happen to. */
static void asks_while_files_are_cut(void *argument) {
    const office *o = argument;
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, TEXT);
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
    for (int i = 0; i < 3; i++) { /* the index of SQLite's log: built anew */
        CHECK(truncate(in_group(o, "state.db-shm"), i * 4096) == 0);
        OK(mam_set_override(m, "SupportsDarkMode", i % 2 ? "true" : "false"));
        CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
        OK(opens_as(m, &container, TEXT));
    }
    CHECK(truncate(in_group(o, "generation"), 0) == 0);
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
    sleep_ms(300);
    FAILS(MAM_ERR_TAMPERED, opens_as(m, &container, TEXT));
    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
    CHECK(truncate(in_group(o, "state.db-shm"), 0) == 0);
    OK(mam_close(m));
    m = open_quiet(o);
    OK(opens_as(m, &container, TEXT));
    CHECK(truncate(in_group(o, "state.db-shm"), 0) == 0);
    pid_t child = fork();
    if (child == 0) _exit(0);
    end_well(child);
    OK(opens_as(m, &container, TEXT));
    OK(mam_close(m));
    mam_buffer_free(&container);
}

static void files_cut_short_under_a_session(void **state) { in_child(asks_while_files_are_cut, *state); }

/* The whole directory put aside and brought back. */
static void a_moved_directory(void **state) {
    office *o = *state;
    kept k = make_state(o);
    CHECK(rename(o->state, in_office(o, "moved")) == 0);
    mam_t *m = open_quiet(o);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &k.ann, TEXT));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &k.personal, TEXT));
    OK(mam_close(m));
    snprintf(o->state, sizeof o->state, "%s/moved", o->root);
    all_is_there(o, &k);
    forget(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(missing_parents_are_made),
        WITH_OFFICE(nothing_is_for_others),
        WITH_OFFICE(not_a_directory),
        WITH_OFFICE(others_may_use_it),
        WITH_OFFICE(owned_by_another_user),
        WITH_OFFICE(symbolic_links),
        WITH_OFFICE(a_read_only_parent),
        WITH_OFFICE(a_read_only_state),
        WITH_OFFICE(a_network_file_system),
        WITH_OFFICE(a_root_key_that_is_gone),
        WITH_OFFICE(a_deleted_share),
        WITH_OFFICE(a_truncated_share),
        WITH_OFFICE(an_empty_share),
        WITH_OFFICE(a_newer_schema),
        WITH_OFFICE(a_foreign_database),
        WITH_OFFICE(corrupted_pages),
        WITH_OFFICE(edited_rows),
        WITH_OFFICE(files_cut_short_under_a_session),
        WITH_OFFICE(a_moved_directory),
        WITH_OFFICE(a_read_only_file_system),
        WITH_OFFICE(a_full_disk),
    };
    return cmocka_run_group_tests_name("state", tests, begin, NULL);
}
