/* A wipe of many files, which several threads remove: the account's and no others, whatever other programs do
 * meanwhile. */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

enum { FOLDERS = 24, FILES = 150 };

static const char *in_folder(const office *o, int folder, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "files/%d%s%s", folder, *name ? "/" : "", name);
    return in_office(o, path);
}

static const char *numbered(const office *o, const char *folder, int file) {
    char path[64];
    snprintf(path, sizeof path, "%s/%d", folder, file);
    return in_office(o, path);
}

static const char *file_of(const office *o, int folder, int file) {
    char name[16];
    snprintf(name, sizeof name, "%d", file);
    return in_folder(o, folder, name);
}

static mam_t *open_with_folders(const office *o) {
    mam_t *m = open_app(o, APP, WORKER);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    CHECK(mkdir(in_office(o, "files"), 0700) == 0);
    for (int i = 0; i < FOLDERS; i++) {
        CHECK(mkdir(in_folder(o, i, ""), 0700) == 0);
        for (int j = 0; j < FILES; j++) write_whole(file_of(o, i, j), "x", 1);
    }
    return m;
}

static void all_are_removed_and_others_stay(void **state) {
    const office *o = *state;
    mam_t *m = open_with_folders(o);
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    CHECK(link(file_of(o, 0, 0), in_folder(o, 1, "second")) == 0);
    for (int i = 0; i < FOLDERS; i++) {
        write_whole(in_folder(o, i, "bob"), "x", 1);
        write_whole(in_folder(o, i, "late"), "x", 1);
        OK(mam_file_protect(m, in_folder(o, i, "bob"), BOB));
    }
    char *event = wipe_ann(m);
    CHECK_NUMBER(FOLDERS * FILES + 1 + FOLDERS, number_of(event, "/files/removed"));
    CHECK_NUMBER(FOLDERS + 1, number_of(event, "/files/left"));
    CHECK_NUMBER(0, number_of(event, "/files/gone"));
    for (int i = 0; i <= FOLDERS; i++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/files/named/%d/reason", i);
        CHECK_TEXT("notEmpty", text_of(event, pointer));
    }
    mam_free(event);
    /* Other accounts' entries of a long index are kept. */
    CHECK_NUMBER(FOLDERS, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM files"));
    CHECK_NUMBER(FOLDERS, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM directories"));
    CHECK(sql_number(in_group(o, "state.db"), "PRAGMA page_count") < 100);
    for (int i = 0; i < FOLDERS; i++) {
        char *json;
        OK(mam_file_info(m, in_folder(o, i, "bob"), &json));
        CHECK_TEXT("both", text_of(json, "/known"));
        mam_free(json);
        CHECK(unlink(in_folder(o, i, "bob")) == 0);
        CHECK(rmdir(in_folder(o, i, "")) == 0);
    }
    OK(mam_close(m));
}

static const char *make_file(const office *o) {
    const char *path = in_office(o, "file");
    write_whole(path, "x", 1);
    return path;
}

/* The remains of a long index leave the file. */
static void the_state_shrinks_again(void **state) {
    const office *o = *state;
    mam_t *m = open_with_folders(o);
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    CHECK(sql_number(in_group(o, "state.db"), "PRAGMA page_count") > 200);
    char *event = wipe_ann(m);
    mam_free(event);
    CHECK(!is_there(in_office(o, "files")));
    CHECK(sql_number(in_group(o, "state.db"), "PRAGMA freelist_count") <= 16);
    CHECK(sql_number(in_group(o, "state.db"), "PRAGMA page_count") < 100);
    CHECK_NUMBER(0, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM directories"));
    OK(mam_close(m));
    m = open_app(o, APP, QUIET);
    enroll_well(m, ANN);
    OK(mam_file_protect(m, make_file(o), ANN));
    OK(mam_close(m));
}

typedef struct disturber {
    char folder[PATH_SIZE], aside[PATH_SIZE], precious[PATH_SIZE];
    atomic_bool is_over;
} disturber;

/* Replace a folder by a link to precious files, and put it back, repeatedly. */
static void *disturb(void *argument) {
    disturber *d = argument;
    while (!atomic_load(&d->is_over)) {
        if (rename(d->folder, d->aside) == 0) {
            /* The wipe may remove the link and its folder, which are hers. */
            if (symlink(d->precious, d->folder) == 0) unlink(d->folder);
            if (rename(d->aside, d->folder)) break;
        }
    }
    return NULL;
}

static void an_intermittent_link_is_not_followed(void **state) {
    const office *o = *state;
    mam_t *m = open_with_folders(o);
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    /* Hers as well, but outside the index's folders. */
    CHECK(mkdir(in_office(o, "precious"), 0700) == 0);
    for (int i = 0; i < FILES; i++) CHECK(link(file_of(o, FOLDERS / 2, i), numbered(o, "precious", i)) == 0);
    disturber d = {.is_over = false};
    snprintf(d.folder, sizeof d.folder, "%s", in_folder(o, FOLDERS / 2, ""));
    snprintf(d.aside, sizeof d.aside, "%s", in_office(o, "aside"));
    snprintf(d.precious, sizeof d.precious, "%s", in_office(o, "precious"));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, disturb, &d) == 0);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    int code = code_of(m, op);
    atomic_store(&d.is_over, true);
    pthread_join(thread, NULL);
    /* It may say that a folder was moved while it looked; then it removes the files once it keeps still. */
    if (code != 104) CHECK_NUMBER(215, code);
    finish_wipes(m);
    for (int i = 0; i < FILES; i++) CHECK(is_there(numbered(o, "precious", i)));
    for (int i = 0; i < FOLDERS; i++)
        for (int j = 0; j < FILES && i != FOLDERS / 2; j++) CHECK(!is_there(file_of(o, i, j)));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(all_are_removed_and_others_stay),
        WITH_OFFICE(the_state_shrinks_again),
        WITH_OFFICE(an_intermittent_link_is_not_followed),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
