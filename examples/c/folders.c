/* Plain files in a folder for each address, work and personal ones. Usage: folders ROOT add|show ADDRESS TITLE,
 * folders ROOT save ADDRESS TITLE TARGET, folders ROOT sign-in ADDRESS, folders ROOT list. `add` reads standard input.
 * cc -std=c99 -o folders folders.c $(pkg-config --cflags --libs mam) */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <mam.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

typedef char pathname[PATH_MAX];

static mam_t *m;
static const char *root;

/* The log gets the administrator's line, the person the reason. Returns 0, for "not done". */
static int failed(const char *what) {
    syslog(LOG_WARNING, "%s: %s", what, mam_last_message());
    return fprintf(stderr, "%s: %s\n", what, mam_last_user_message()), 0;
}

/* ROOT/ADDRESS or ROOT/ADDRESS/NAME; 0 where a name is none for a file. */
static int join(pathname path, const char *address, const char *name) {
    int is_name = *address != '\0' && *address != '.' && strchr(address, '/') == NULL && strchr(name, '/') == NULL;
    int length = snprintf(path, PATH_MAX, *name == '\0' ? "%s/%s" : "%s/%s/%s", root, address, name);
    if (is_name && length < PATH_MAX) return 1;
    return fprintf(stderr, "%s, %s: not a name for a file\n", address, name), 0;
}

/* Calls `visit` for each folder: their names are the list of addresses, as each is made before its address signs in. */
static void each_folder(void (*visit)(const char *address, void *context), void *context) {
    pathname path;
    struct stat facts;
    DIR *folders = opendir(root);
    for (struct dirent *entry; folders != NULL && (entry = readdir(folders)) != NULL;)
        if (entry->d_name[0] != '.' && join(path, entry->d_name, "") && lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
            visit(entry->d_name, context);
    if (folders != NULL) closedir(folders);
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *at) {
    (void)facts, (void)type, (void)at;
    return remove(path);
}

/* The wipe removed the account's files. Those that were not its own yet are removed here, after each start. */
static void forget_wiped(const char *address, void *context) {
    char *reply = NULL;
    mam_json_t *end = NULL;
    pathname path;
    (void)context;
    if (mam_former_account(m, address, &reply) == MAM_OK && mam_json_parse(reply, &end) == MAM_OK
        && strcmp(mam_json_text(end, "/end"), "wiped") == 0 && join(path, address, ""))
        nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    mam_json_release(end);
    mam_free(reply);
}

typedef struct {
    const char *id, *upn;
    pathname owned, named; /* the folders that the account owns, and that have its name */
} account_folders;

static void look(const char *address, void *context) {
    account_folders *folders = context;
    char *reply = NULL;
    mam_json_t *owner = NULL;
    pathname path;
    if (!join(path, address, "")) return;
    if (strcasecmp(address, folders->upn) == 0) snprintf(folders->named, PATH_MAX, "%s", path);
    if (mam_file_info(m, path, &reply) == MAM_OK && mam_json_parse(reply, &owner) == MAM_OK
        && strcmp(mam_json_text(owner, "/accountId"), folders->id) == 0)
        snprintf(folders->owned, PATH_MAX, "%s", path);
    mam_json_release(owner);
    mam_free(reply);
}

/* Makes the folder the account's with all in it, also from before: policy says what is encrypted, and may begin to require it.
 * A name changes and may become another person's: the folder is renamed as its account was. */
static int adopt(const char *id, const char *upn) {
    account_folders folders = {id, upn, "", ""};
    each_folder(look, &folders);
    if (*folders.named == '\0' && !join(folders.named, upn, "")) return 0;
    if (*folders.owned != '\0' && access(folders.named, F_OK) != 0) rename(folders.owned, folders.named);
    if (mkdir(folders.named, 0700) != 0 && errno != EEXIST) return perror(folders.named), 0;
    return mam_file_protect(m, folders.named, id) == MAM_OK || failed(upn);
}

/* One account that fails stops no other; the next start tries again. */
static void adopt_all(void) {
    char *reply = NULL, key[64], id[1024];
    mam_json_t *accounts = NULL;
    if (mam_enrolled_accounts(m, &reply) != MAM_OK || mam_json_parse(reply, &accounts) != MAM_OK) failed("accounts");
    for (size_t i = 0; i < mam_json_count(accounts, ""); i++) {
        snprintf(key, sizeof key, "/%zu/accountId", i);
        snprintf(id, sizeof id, "%s", mam_json_text(accounts, key));
        snprintf(key, sizeof key, "/%zu/managed", i);
        if (!mam_json_bool(accounts, key, 0)) continue;
        snprintf(key, sizeof key, "/%zu/upn", i);
        adopt(id, mam_json_has(accounts, key) ? mam_json_text(accounts, key) : id);
    }
    mam_json_release(accounts);
    mam_free(reply);
}

/* Files of an account that a launch closes are not read in this session. A finding about the program itself ends it. */
static int launch(void) {
    char *reply = NULL, key[64];
    int64_t op;
    mam_json_t *report = NULL;
    if (mam_launch(m, &op) != MAM_OK || mam_wait(m, op, -1, &reply) != MAM_OK || mam_json_parse(reply, &report) != MAM_OK)
        return failed("launch");
    int may_go_on = 1;
    for (size_t i = 0; i < mam_json_count(report, "/findings"); i++) {
        snprintf(key, sizeof key, "/findings/%zu/userMessage", i);
        fprintf(stderr, "launch: %s\n", mam_json_text(report, key));
        snprintf(key, sizeof key, "/findings/%zu/action", i);
        int is_warning = strcmp(mam_json_text(report, key), "warn") == 0;
        snprintf(key, sizeof key, "/findings/%zu/accountId", i);
        if (!is_warning && !mam_json_has(report, key)) may_go_on = 0;
    }
    mam_json_release(report);
    mam_free(reply);
    return may_go_on;
}

static void take_events(void) {
    char *event;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        mam_json_t *parsed = NULL;
        if (mam_json_parse(event, &parsed) == MAM_OK && strcmp(mam_json_text(parsed, "/event"), "wipeDidComplete") == 0)
            fprintf(stderr, "%s: %s\n", mam_json_text(parsed, "/upn"), mam_json_text(parsed, "/userMessage"));
        mam_json_release(parsed);
        mam_free(event);
    }
}

static int start(void) {
    const char *authority = getenv("MAM_AUTHORITY");
    char settings[PATH_MAX + 256];
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"com.example.folders\",\"version\":\"1.0\"},\"worker\":false,"
        "\"settings\":{\"MultiManagedIdentities\":true},\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}",
        authority ? authority : "/var/lib/mam/authority.db");
    if (mam_open(settings, &m) != MAM_OK) return failed("open");
    if (!launch()) return 0;
    each_folder(forget_wiped, NULL);
    adopt_all();
    if (mam_run_due(m) != MAM_OK) failed("check-in"); /* brings a wipe, and finishes it */
    return take_events(), 1;
}

static int sign_in(const char *address) {
    int64_t op;
    char *reply = NULL;
    mam_json_t *status = NULL;
    pathname path;
    if (!join(path, address, "") || (mkdir(path, 0700) != 0 && errno != EEXIST)) return 0;
    if (mam_login_and_enroll(m, address, &op) != MAM_OK || mam_wait(m, op, -1, &reply) != MAM_OK) return failed(address);
    int is_managed = mam_is_account_managed(m, address);
    if (!is_managed && mam_json_parse(reply, &status) == MAM_OK) fprintf(stderr, "%s\n", mam_json_text(status, "/userMessage"));
    mam_json_release(status);
    mam_free(reply);
    return adopt_all(), is_managed;
}

static int add(const char *address, const char *title) {
    char bytes[4096];
    size_t length, done = 1;
    pathname folder, path;
    mam_file_t *file;
    if (!join(folder, address, "") || !join(path, address, title)) return 0;
    if (mam_check_name(m, address) != MAM_OK) return failed(address); /* before anything is made for it */
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return perror(folder), 0;
    if (mam_file_create(m, path, O_WRONLY, 0600, address, &file) != MAM_OK) return failed(path);
    while (done > 0 && (length = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        for (size_t at = 0; at < length && done > 0; at += done)
            if (mam_file_write(file, (const uint8_t *)bytes + at, length - at, &done) != MAM_OK) done = 0, failed(path);
    return (mam_file_close(file) == MAM_OK || failed(path)) && done > 0;
}

static int show(const char *address, const char *title) {
    uint8_t bytes[4096];
    size_t length = 0;
    pathname path;
    mam_file_t *file;
    mam_status status;
    if (!join(path, address, title)) return 0;
    if (mam_file_open(m, path, O_RDONLY, &file) != MAM_OK) return failed(path);
    while ((status = mam_file_read(file, bytes, sizeof bytes, &length)) == MAM_OK && length > 0) fwrite(bytes, 1, length, stdout);
    if (status != MAM_OK) failed(path);
    return mam_file_close(file) == MAM_OK && status == MAM_OK;
}

/* Asks the owner's policy, and writes the form that may be there. */
static int save(const char *address, const char *title, const char *target) {
    pathname path;
    if (!join(path, address, title)) return 0;
    return mam_file_export(m, path, MAM_SAVE_LOCAL_DRIVE, NULL, target) == MAM_OK || failed(path);
}

static void list_one(const char *address, void *context) {
    pathname path;
    (void)context;
    DIR *notes = join(path, address, "") ? opendir(path) : NULL;
    for (struct dirent *entry; notes != NULL && (entry = readdir(notes)) != NULL;)
        if (entry->d_name[0] != '.') printf("%s: %s\n", address, entry->d_name);
    if (notes != NULL) closedir(notes);
}

int main(int count, char **word) {
    int is_done = 0;
    if (count < 3) return fputs("usage: folders ROOT add|show|save|sign-in|list …\n", stderr), 2;
    root = word[1];
    if (mkdir(root, 0700) != 0 && errno != EEXIST) return perror(root), 1;
    if (start()) {
        const char *verb = word[2];
        if (count == 5 && strcmp(verb, "add") == 0) is_done = add(word[3], word[4]);
        if (count == 5 && strcmp(verb, "show") == 0) is_done = show(word[3], word[4]);
        if (count == 6 && strcmp(verb, "save") == 0) is_done = save(word[3], word[4], word[5]);
        if (count == 4 && strcmp(verb, "sign-in") == 0) is_done = sign_in(word[3]);
        if (count == 3 && strcmp(verb, "list") == 0) is_done = (each_folder(list_one, NULL), 1);
    }
    return mam_close(m) != MAM_OK || !is_done;
}
