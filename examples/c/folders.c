/* Plain files in a folder for each address, work and personal ones. Usage: folders ROOT add|show ADDRESS TITLE,
 * folders ROOT save ADDRESS TITLE TARGET, folders ROOT sign-in ADDRESS, folders ROOT list. `add` reads standard input. A start is in folders_start.c.
 * It has nothing to show where libmam does not open, and no handler for the question of a PIN (../integrate/loops/ask.c).
 * cc -std=c99 -o folders folders.c folders_start.c $(pkg-config --cflags --libs mam) */
#include "folders.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

mam_t *m;
const char *root;

int failed(const char *what) {
    syslog(LOG_WARNING, "%s: %s", what, mam_last_message());
    return fprintf(stderr, "%s: %s\n", what, mam_last_user_message()), 0;
}

void fold(char *name) {
    for (; *name != '\0'; name++)
        if (*name >= 'A' && *name <= 'Z') *name = (char)(*name | 0x20);
}

int join(pathname path, const char *address, const char *name) {
    struct stat facts;
    int is_name = *address != '\0' && *address != '.' && strchr(address, '/') == NULL && strchr(name, '/') == NULL;
    int length = snprintf(path, PATH_MAX, "%s/%s", root, address);
    /* The protection of a folder does not reach where a link leads. */
    if (is_name && lstat(path, &facts) == 0 && !S_ISDIR(facts.st_mode)) is_name = 0;
    if (*name != '\0') length = snprintf(path, PATH_MAX, "%s/%s/%s", root, address, name);
    if (is_name && length < PATH_MAX) return 1;
    return fprintf(stderr, "%s, %s: not a name for a folder and a file\n", address, name), 0;
}

void each_folder(void (*visit)(const char *address, void *context), void *context) {
    pathname path;
    struct stat facts;
    DIR *folders = opendir(root);
    for (struct dirent *entry; folders != NULL && (entry = readdir(folders)) != NULL;)
        if (entry->d_name[0] != '.' && snprintf(path, PATH_MAX, "%s/%s", root, entry->d_name) < PATH_MAX && lstat(path, &facts) == 0
            && S_ISDIR(facts.st_mode))
            visit(entry->d_name, context);
    if (folders != NULL) closedir(folders);
}

void text_of(mam_status status, char *reply, const char *pointer, identifier text) {
    mam_json_t *parsed = NULL;
    if (status != MAM_OK || mam_json_parse(reply, &parsed) != MAM_OK) parsed = NULL;
    snprintf(text, sizeof(identifier), "%s", mam_json_text(parsed, pointer));
    mam_json_release(parsed);
    mam_free(reply);
}

void label_of(const char *path, identifier id) {
    char *reply = NULL;
    mam_status status = mam_file_info(m, path, &reply);
    text_of(status, reply, "/accountId", id);
}

void owner_of(const char *address, identifier id) {
    char *reply = NULL;
    pathname path;
    *id = '\0';
    if (join(path, address, "")) label_of(path, id);
    if (*id != '\0' || !is_listed(".addresses", address)) return;
    mam_status status = mam_registered_account(m, address, &reply);
    text_of(status, reply, "/accountId", id);
}

/* Work whose account has left, has no policy any more, or is closed by a launch; or the state is lost. A note that was moved by
 * hand belongs to its own account; a personal one has a label without an account. */
static int is_hidden(const char *address, const char *title) {
    identifier id = "";
    pathname path;
    int32_t reason = MAM_BLOCK_NONE;
    if (join(path, address, title)) label_of(path, id);
    if (strcmp(id, address) == 0 || !is_listed(".addresses", id)) owner_of(address, id);
    if (*id == '\0') return 0;
    return !mam_is_account_managed(m, id) || (mam_blocked_reason(m, id, &reason) == MAM_OK && reason != MAM_BLOCK_NONE);
}

static int refused(const char *address) {
    return fprintf(stderr, "%s: its notes are not available now; sign in, or ask your administrator\n", address), 0;
}

static int sign_in(const char *address) {
    int64_t op;
    char *reply = NULL;
    mam_json_t *status = NULL;
    pathname path;
    /* The list comes first: a kill must not leave an account without it. */
    if (!join(path, address, "") || !keep(".addresses", address)) return 0;
    if (mam_login_and_enroll(m, address, &op) != MAM_OK || mam_wait(m, op, -1, &reply) != MAM_OK) return failed(address);
    int is_managed = mam_is_account_managed(m, address);
    if (!is_managed && mam_json_parse(reply, &status) == MAM_OK) fprintf(stderr, "%s\n", mam_json_text(status, "/userMessage"));
    mam_json_release(status);
    mam_free(reply);
    return adopt_all() && is_managed;
}

/* Writes beside the note and renames: a kill leaves the old one or the new one. */
static int add(const char *address, const char *title) {
    char bytes[4096];
    size_t length, done = 1;
    pathname folder, path, fresh;
    mam_file_t *file;
    int lock;
    if (!join(folder, address, "") || !join(path, address, title) || !join(fresh, address, ".new")) return 0;
    if (is_hidden(address, title)) return refused(address);           /* nor is a note replaced whose key is lost */
    if (mam_check_name(m, address) != MAM_OK) return failed(address); /* before anything is made for it */
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return perror(folder), 0;
    /* Until the program ends: another one writes beside the note as well. */
    if ((lock = open(folder, O_RDONLY)) < 0 || flock(lock, LOCK_EX) != 0) return perror(folder), 0;
    if (mam_file_create(m, fresh, O_WRONLY, 0600, address, &file) != MAM_OK) return failed(path);
    while (done > 0 && (length = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        for (size_t at = 0; at < length && done > 0; at += done)
            if (mam_file_write(file, (const uint8_t *)bytes + at, length - at, &done) != MAM_OK) done = 0, failed(path);
    if (done > 0 && mam_file_sync(file) != MAM_OK) done = 0, failed(path);
    if (mam_file_close(file) != MAM_OK) return failed(path);
    return done > 0 && (rename(fresh, path) == 0 || (perror(path), 0));
}

static int show(const char *address, const char *title) {
    uint8_t bytes[4096];
    size_t length = 0;
    pathname path;
    mam_file_t *file;
    mam_status status;
    if (!join(path, address, title)) return 0;
    if (is_hidden(address, title)) return refused(address);
    if (mam_file_open(m, path, O_RDONLY, &file) != MAM_OK) return failed(path);
    while ((status = mam_file_read(file, bytes, sizeof bytes, &length)) == MAM_OK && length > 0) fwrite(bytes, 1, length, stdout);
    if (status != MAM_OK) failed(path);
    return mam_file_close(file) == MAM_OK && status == MAM_OK;
}

/* Asks the owner's policy, and writes the form that may be there. */
static int save(const char *address, const char *title, const char *target) {
    pathname path;
    if (!join(path, address, title)) return 0;
    if (is_hidden(address, title)) return refused(address);
    return mam_file_export(m, path, MAM_SAVE_LOCAL_DRIVE, NULL, target) == MAM_OK || failed(path);
}

static void list_one(const char *address, void *context) {
    pathname path;
    (void)context;
    DIR *notes = join(path, address, "") ? opendir(path) : NULL;
    for (struct dirent *entry; notes != NULL && (entry = readdir(notes)) != NULL;)
        if (entry->d_name[0] != '.' && !is_hidden(address, entry->d_name)) printf("%s: %s\n", address, entry->d_name);
    if (notes != NULL) closedir(notes);
}

int main(int count, char **word) {
    int is_done = 0;
    if (count < 3) return fputs("usage: folders ROOT add|show|save|sign-in|list …\n", stderr), 2;
    root = word[1];
    if (count > 3) fold(word[3]);
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
