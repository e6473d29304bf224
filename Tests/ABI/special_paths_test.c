/* Every function that takes a path, by vectors/functions.json, with each of its paths naming an object that is not a file. */
#define _GNU_SOURCE
#include "functions.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { DIRECTORIES = 1 << 0, LINKS = 1 << 1 };

/* The kinds that a function takes, as mam.h says: owners are a directory's too, and SQLite follows links. */
static unsigned takes(const char *function) {
    static const struct {
        const char *prefix;
        unsigned kinds;
    } known[] = {
        {"mam_file_protect", DIRECTORIES},
        {"mam_file_verify_and_protect", DIRECTORIES},
        {"mam_file_unmanage", DIRECTORIES},
        {"mam_file_info", DIRECTORIES},
        {"mam_sqlite_", LINKS},
        {"mam_admin", LINKS},
        {"mam_policy_explain", LINKS},
        {"mam_policy_simulate", LINKS},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(function, known[i].prefix, strlen(known[i].prefix)) == 0) return known[i].kinds;
    return 0;
}

static const char *const objects[] = {"pipe", "socket", "directory", "link", "dangling", "device", "directory/pipe"};
enum { OBJECTS = sizeof objects / sizeof *objects };

static bool has_devices; /* this user may make them */

static void make_objects(const office *o) {
    CHECK(mkfifo(in_office(o, "pipe"), 0600) == 0 && mkdir(in_office(o, "directory"), 0700) == 0);
    CHECK(mkfifo(in_office(o, "directory/pipe"), 0600) == 0);
    make_socket(in_office(o, "socket"));
    write_whole(in_office(o, "aim"), "aim", 3);
    CHECK(symlink("aim", in_office(o, "link")) == 0 && symlink("none", in_office(o, "dangling")) == 0);
    has_devices = mknod(in_office(o, "device"), S_IFCHR | 0666, makedev(1, 3)) == 0;
}

/* The objects are what they were, and nothing was written to what a link names. */
static void are_unchanged(const office *o, const char *by) {
    static const mode_t kinds[OBJECTS] = {S_IFIFO, S_IFSOCK, S_IFDIR, S_IFLNK, S_IFLNK, S_IFCHR, S_IFIFO};
    struct stat found;
    for (int i = 0; i < OBJECTS; i++) {
        if (kinds[i] == S_IFCHR && !has_devices) continue;
        if (lstat(in_office(o, objects[i]), &found) != 0 || (found.st_mode & S_IFMT) != kinds[i])
            failed_at(__FILE__, __LINE__, "%s has replaced %s", by, objects[i]);
    }
    char text[8] = {0};
    int aim = open(in_office(o, "aim"), O_RDONLY | O_CLOEXEC);
    CHECK(aim >= 0 && read(aim, text, sizeof text - 1) == 3);
    close(aim);
    CHECK_TEXT("aim", text);
    if (access(in_office(o, "none"), F_OK) == 0) failed_at(__FILE__, __LINE__, "%s has made the file of a dangling link", by);
}

static void try_object(
    const function *f, size_t at, const char *which, const office *o, mam_t *m, mam_policy_t *policy, int object) {
    const char *name = objects[object];
    bool is_directory = strcmp(name, "directory") == 0, is_link = strcmp(name, "link") == 0 || strcmp(name, "dangling") == 0;
    if (strcmp(name, "device") == 0 && !has_devices) return;
    if (is_link && takes(f->name) & LINKS) return;
    call_t c;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", in_office(o, name));
    good_arguments(f, &c, o, m, policy);
    *(const char **)((char *)&c + at) = path;
    alarm(600); /* it must not wait for the other end of a pipe */
    f->run(&c);
    alarm(0);
    if (c.status == MAM_OK && c.file != NULL) mam_file_close(c.file);
    if (f->takes & IS_PREDICATE) {
        CHECK_NUMBER(f->closed, c.answer);
    } else if (is_directory && takes(f->name) & DIRECTORIES) {
        if (c.status != MAM_ERR_DENIED) CHECK_NUMBER(MAM_OK, c.status); /* it has become Ann's meanwhile */
    } else if (c.status == MAM_OK) {
        failed_at(__FILE__, __LINE__, "%s with %s for %s answers %d (%s)", f->name, name, which, c.status, mam_last_message());
    } else if (c.status != MAM_OK && strcmp(culprit("path"), path) != 0 && strstr(mam_last_message(), path) == NULL) {
        failed_at(__FILE__, __LINE__, "%s with %s does not name the path: %s", f->name, name, mam_last_message());
    }
}

static void paths_of_other_objects(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy;
    int tried = 0;
    OK(mam_policy_for_account(m, ANN, &policy));
    make_objects(o);
    for (size_t i = 0; i < function_count; i++) {
        const function *f = &functions[i];
        for (int p = 0; p < 2; p++) {
            if (f->paths[p].name == NULL || *f->paths[p].name == '\0') continue;
            for (int object = 0; object < OBJECTS; object++) try_object(f, f->paths[p].at, f->paths[p].name, o, m, policy, object);
            are_unchanged(o, f->name);
            tried++;
        }
    }
    CHECK(tried > 20);
    mam_policy_release(policy);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITHOUT_PIN(paths_of_other_objects)};
    return cmocka_run_group_tests_name("special_paths", tests, begin, NULL);
}
