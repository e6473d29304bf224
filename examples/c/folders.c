/* Plain files in a folder for each address, work and personal ones. Usage: folders ROOT add|show ADDRESS TITLE,
 * folders ROOT save ADDRESS TITLE TARGET, folders ROOT sign-in ADDRESS, folders ROOT list. `add` reads standard input.
 * It has nothing to show where libmam does not open, and no handler for the question of a PIN (../integrate/loops/ask.c).
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
#include <sys/stat.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <unistd.h>

typedef char pathname[PATH_MAX], identifier[1024];

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"
enum { DOMAINS = 4096 };

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

/* The text at `pointer` of the reply that a call has written, or "". */
static void text_of(mam_status status, char *reply, const char *pointer, identifier text) {
    mam_json_t *parsed = NULL;
    if (status != MAM_OK || mam_json_parse(reply, &parsed) != MAM_OK) parsed = NULL;
    snprintf(text, sizeof(identifier), "%s", mam_json_text(parsed, pointer));
    mam_json_release(parsed);
    mam_free(reply);
}

/* The id of the account whose label a folder has; "" without one. */
static void label_of(const char *path, identifier id) {
    char *reply = NULL;
    mam_status status = mam_file_info(m, path, &reply);
    text_of(status, reply, "/accountId", id);
}

/* The id of the account to which a folder belongs, whatever its name says: names change, and become another person's. A folder
 * from before the sign-in belongs to the account that has its name, or had it. "" for a person's own. */
static void owner_of(const char *address, identifier id) {
    char *reply = NULL;
    pathname path;
    *id = '\0';
    if (join(path, address, "")) label_of(path, id);
    if (*id != '\0') return;
    mam_status status = mam_registered_account(m, address, &reply);
    text_of(status, reply, "/accountId", id);
}

/* The wipe removed the account's files. Those that were not its own yet are removed here, after each start. */
static void forget_wiped(const char *address, void *context) {
    char *reply = NULL;
    identifier id, end;
    pathname path;
    (void)context;
    if (!join(path, address, "")) return;
    label_of(path, id);
    mam_status status = mam_former_account(m, *id != '\0' ? id : address, &reply);
    text_of(status, reply, "/end", end);
    if (strcmp(end, "wiped") == 0) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Moves a folder, or what is in it where there is one already. A file whose name is taken gets a longer one. */
static void move(const char *from, const char *into) {
    pathname old, moved;
    DIR *notes = rename(from, into) != 0 ? opendir(from) : NULL;
    for (struct dirent *entry; notes != NULL && (entry = readdir(notes)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (snprintf(old, PATH_MAX, "%s/%s", from, entry->d_name) >= PATH_MAX) continue;
        if (snprintf(moved, PATH_MAX, "%s/%s", into, entry->d_name) >= PATH_MAX) continue;
        for (size_t end = strlen(moved); access(moved, F_OK) == 0 && end < PATH_MAX - 1;) moved[end++] = '+', moved[end] = '\0';
        if (rename(old, moved) != 0) perror(old);
    }
    if (notes != NULL) closedir(notes), rmdir(from);
}

typedef struct {
    identifier id, upn;
} account;

/* A hidden folder of an account, while folders change their names, and for one that has left while another has its name. */
static int aside(pathname path, const char *id) {
    return strchr(id, '/') == NULL && snprintf(path, PATH_MAX, "%s/.%s", root, id) < PATH_MAX;
}

static void set_aside(const char *address, void *context) {
    account *one = context;
    identifier id;
    pathname path, hidden;
    owner_of(address, id);
    int has_name = strcmp(address, one->upn) == 0, is_its = strcmp(id, one->id) == 0;
    if (*id != '\0' && has_name != is_its && join(path, address, "") && aside(hidden, id)) move(path, hidden);
}

/* Makes the folder the account's with all in it, also from before: policy says what is encrypted, and may begin to require it.
 * A file under a lost key fails, and stays where it is. */
static int adopt(account *one) {
    pathname path, hidden;
    if (!join(path, one->upn, "") || !aside(hidden, one->id)) return 0;
    if (access(hidden, F_OK) == 0) move(hidden, path);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return perror(path), 0;
    return mam_file_protect(m, path, one->id) == MAM_OK || failed(path);
}

/* All folders are set aside before any gets a new name: accounts may have exchanged their names. One account that fails stops no
 * other; the next start tries again. */
static void adopt_all(void) {
    char *reply = NULL, key[64];
    mam_json_t *accounts = NULL;
    account one;
    if (mam_enrolled_accounts(m, &reply) != MAM_OK || mam_json_parse(reply, &accounts) != MAM_OK) failed("accounts");
    for (int is_naming = 0; is_naming < 2; is_naming++)
        for (size_t i = 0; i < mam_json_count(accounts, ""); i++) {
            snprintf(key, sizeof key, "/%zu/managed", i);
            if (!mam_json_bool(accounts, key, 0)) continue;
            snprintf(key, sizeof key, "/%zu/accountId", i);
            snprintf(one.id, sizeof one.id, "%s", mam_json_text(accounts, key));
            snprintf(key, sizeof key, "/%zu/upn", i);
            snprintf(one.upn, sizeof one.upn, "%s", mam_json_has(accounts, key) ? mam_json_text(accounts, key) : one.id);
            is_naming ? (void)adopt(&one) : each_folder(set_aside, &one);
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

/* The domain of a folder that has a label is the organisation's, even if the state is lost: its names are no person's own. */
static void add_domain(const char *address, void *context) {
    char *domains = context;
    const char *domain = strchr(address, '@');
    pathname path;
    size_t length = strlen(domains), count = domain ? strspn(domain + 1, LETTERS) : 0;
    if (count == 0 || domain[1 + count] != '\0' || length + count + 4 > DOMAINS || !join(path, address, "")) return;
    if (getxattr(path, "user.mam.owner", NULL, 0) < 0) return;
    snprintf(domains + length, DOMAINS - length, "%s\"%s\"", length == 0 ? "" : ",", domain + 1);
}

static int start(void) {
    const char *authority = getenv("MAM_AUTHORITY");
    char domains[DOMAINS] = "", settings[PATH_MAX + DOMAINS + 256];
    each_folder(add_domain, domains);
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"com.example.folders\",\"version\":\"1.0\"},\"worker\":false,\"additionalOrganizationDomains\":[%s],"
        "\"settings\":{\"MultiManagedIdentities\":true},\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}",
        domains, authority ? authority : "/var/lib/mam/authority.db");
    if (mam_open(settings, &m) != MAM_OK) return failed("open");
    if (!launch()) return 0;
    each_folder(forget_wiped, NULL);
    adopt_all();
    if (mam_run_due(m) != MAM_OK) failed("check-in"); /* where it is due: brings a wipe, and finishes it */
    return take_events(), 1;
}

static int sign_in(const char *address) {
    int64_t op;
    char *reply = NULL;
    mam_json_t *status = NULL;
    pathname path;
    if (!join(path, address, "") || (mkdir(path, 0700) != 0 && errno != EEXIST)) return 0;
    if (mam_login_and_enroll(m, address, &op) != MAM_OK || mam_wait(m, op, -1, &reply) != MAM_OK)
        return rmdir(path), failed(address); /* the folder goes if nothing is in it */
    int is_managed = mam_is_account_managed(m, address);
    if (!is_managed && mam_json_parse(reply, &status) == MAM_OK) fprintf(stderr, "%s\n", mam_json_text(status, "/userMessage"));
    mam_json_release(status);
    mam_free(reply);
    if (!is_managed) rmdir(path);
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

/* Work whose account is not managed here is hidden: the account has left, or the state is lost. */
static void list_one(const char *address, void *context) {
    identifier id;
    pathname path;
    (void)context;
    owner_of(address, id);
    if (*id != '\0' && !mam_is_account_managed(m, id)) return;
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
