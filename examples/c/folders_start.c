/* The steps of a start, as in docs/integrate.md. */
#include "folders.h"
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"
enum { DOMAINS = 4096 };

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *at) {
    (void)facts, (void)type, (void)at;
    return remove(path);
}

/* The wipe removed the account's files. Those that were not its own yet are removed here, after each start. */
static void forget_wiped(const char *address, void *context) {
    char *reply = NULL;
    identifier id, end;
    pathname path;
    (void)context;
    if (!join(path, address, "")) return;
    label_of(path, id);
    if (*id == '\0' && !is_listed(".addresses", address)) return; /* a person's own, whatever account has its name by now */
    mam_status status = mam_former_account(m, *id != '\0' ? id : address, &reply);
    text_of(status, reply, "/end", end);
    if (strcmp(end, "wiped") == 0) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Moves a file into a folder. Where its name is taken it gets a longer one. */
static void move_file(const char *path, const char *into) {
    pathname moved;
    if (snprintf(moved, PATH_MAX, "%s%s", into, strrchr(path, '/')) >= PATH_MAX) return;
    for (size_t end = strlen(moved); access(moved, F_OK) == 0 && end < PATH_MAX - 1;) moved[end++] = '+', moved[end] = '\0';
    if (rename(path, moved) != 0) perror(path);
}

/* Calls `visit` for each file in a folder. */
static void each_file(const char *folder, void (*visit)(const char *path, const char *into), const char *into) {
    pathname path;
    DIR *files = opendir(folder);
    for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0
            && snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name) < PATH_MAX)
            visit(path, into);
    if (files != NULL) closedir(files);
}

/* Moves a folder, or what is in it where there is one already. */
static void move(const char *from, const char *into) {
    if (rename(from, into) == 0) return;
    each_file(from, move_file, into);
    rmdir(from);
}

/* A folder from before may have capitals in its name. */
static void fold_folder(const char *address, void *context) {
    pathname from, into;
    (void)context;
    if (!join(from, address, "") || !join(into, address, "")) return;
    fold(strrchr(into, '/'));
    if (strcmp(from, into) != 0) move(from, into);
}

/* Whether the key of a sealed file is here; `otherwise` for other files. */
static int has_key(const char *path, int otherwise) {
    char *reply = NULL;
    mam_json_t *info = NULL;
    if (mam_file_info(m, path, &reply) != MAM_OK || mam_json_parse(reply, &info) != MAM_OK) info = NULL;
    int is_here = info != NULL ? mam_json_bool(info, "/keyAvailable", otherwise) : otherwise;
    mam_json_release(info);
    mam_free(reply);
    return is_here;
}

/* Moves a file that a lost key sealed: only a backup of the state opens it. */
static void move_lost(const char *path, const char *into) {
    if (!has_key(path, 1) && (mkdir(into, 0700) == 0 || errno == EEXIST)) move_file(path, into);
}

/* Moves it back once that is here. */
static void move_found(const char *path, const char *into) {
    if (has_key(path, 0)) move_file(path, into);
}

typedef struct {
    identifier id, upn;
} account;

/* A hidden folder of an account: "" while folders change their names, and for one that has left while another has its name; "lost-"
 * for files under lost keys. */
static int aside(pathname path, const char *kind, const char *id) {
    return strchr(id, '/') == NULL && snprintf(path, PATH_MAX, "%s/.%s%s", root, kind, id) < PATH_MAX;
}

static void set_aside(const char *address, void *context) {
    account *one = context;
    identifier id;
    pathname path, hidden;
    owner_of(address, id);
    int has_name = strcmp(address, one->upn) == 0, is_its = strcmp(id, one->id) == 0;
    if (*id != '\0' && has_name != is_its && join(path, address, "") && aside(hidden, "", id)) move(path, hidden);
}

static FILE *open_list(const char *list, const char *mode) {
    pathname path;
    return snprintf(path, PATH_MAX, "%s/%s", root, list) < PATH_MAX ? fopen(path, mode) : NULL;
}

int is_listed(const char *list, const char *word) {
    identifier one;
    int is_found = 0;
    FILE *words = open_list(list, "r");
    while (words != NULL && !is_found && fscanf(words, "%1023s", one) == 1) is_found = strcmp(one, word) == 0;
    if (words != NULL) fclose(words);
    return is_found;
}

int keep(const char *list, const char *word) {
    if (is_listed(list, word)) return 1;
    FILE *words = open_list(list, "a");
    int is_kept = words != NULL && fprintf(words, "%s\n", word) > 0;
    if (words != NULL && fclose(words) != 0) is_kept = 0;
    return is_kept || (perror(list), 0);
}

/* The organisation's domains, as members of a JSON array: names in them stay no person's own after the state is lost. 0 where the
 * list is there and cannot be read. */
static int read_domains(char *domains) {
    identifier domain;
    size_t length = 0;
    FILE *words = open_list(".domains", "r");
    if (words == NULL) return errno == ENOENT || (perror(".domains"), 0);
    while (fscanf(words, "%1023s", domain) == 1)
        if (domain[strspn(domain, LETTERS)] == '\0' && length + strlen(domain) + 4 < DOMAINS)
            length += (size_t)snprintf(domains + length, DOMAINS - length, "%s\"%s\"", length == 0 ? "" : ",", domain);
    return fclose(words), 1;
}

/* An account that gets another name may meet a person's own folder of that name, which keeps its files under a longer one. Returns
 * 0 where the folder may not be the account's. */
static int make_room(const char *path, const char *upn, const char *id) {
    identifier label;
    pathname kept;
    label_of(path, label);
    if (strcmp(label, id) == 0 || access(path, F_OK) != 0) return 1;
    if (*label != '\0') return fprintf(stderr, "%s: is another account's, and could not be set aside\n", path), 0;
    if (is_listed(".addresses", upn)) return 1;
    if (snprintf(kept, PATH_MAX, "%s+", path) < PATH_MAX && access(kept, F_OK) != 0 && rename(path, kept) == 0) return 1;
    return perror(path), 0;
}

/* Whether a name that no account has is the organisation's in a domain; at a public provider it is a person's own. */
static int is_of_organisation(const char *domain) {
    identifier name;
    snprintf(name, sizeof name, "nobody-has-this-name@%.900s", domain);
    return mam_check_name(m, name) != MAM_OK;
}

/* Makes the folder the account's with all in it, also from before: policy says what is encrypted, and may begin to require it. */
static int adopt(account *one) {
    pathname path, hidden, lost;
    const char *at = strchr(one->upn, '@');
    if (at != NULL && is_of_organisation(at + 1) && !keep(".domains", at + 1)) return 0;
    if (!join(path, one->upn, "") || !aside(hidden, "", one->id) || !aside(lost, "lost-", one->id)) return 0;
    if (!make_room(path, one->upn, one->id)) return 0;
    if (access(hidden, F_OK) == 0) move(hidden, path);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return perror(path), 0;
    each_file(path, move_lost, lost);
    each_file(lost, move_found, path);
    mam_status status = mam_file_protect(m, path, one->id);
    return status == MAM_OK || status == MAM_ERR_BUSY || failed(path); /* busy: another start does it */
}

/* All folders are set aside before any gets a new name: accounts may have exchanged their names. One account that fails stops no
 * other; the next start tries again. */
int adopt_all(void) {
    char *reply = NULL, key[64];
    int is_done = 1;
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
            fold(one.upn);
            /* Seen for the first time: its name is the one that signed in. */
            if (!is_listed(".addresses", one.id)) is_done = keep(".addresses", one.upn) && keep(".addresses", one.id) && is_done;
            if (!is_naming) each_folder(set_aside, &one);
            else is_done = adopt(&one) && is_done;
        }
    mam_json_release(accounts);
    mam_free(reply);
    return is_done;
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

int start(void) {
    const char *authority = getenv("MAM_AUTHORITY"), *state = getenv("MAM_STATE");
    char domains[DOMAINS] = "", settings[2 * PATH_MAX + DOMAINS + 256];
    if (!read_domains(domains)) return 0;
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"com.example.folders\",\"version\":\"1.0\"},\"worker\":false,\"additionalOrganizationDomains\":[%s],"
        "\"settings\":{\"MultiManagedIdentities\":true},\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}%s%s%s}",
        domains, authority ? authority : "/var/lib/mam/authority.db", state ? ",\"stateDirectory\":\"" : "", state ? state : "",
        state ? "\"" : "");
    if (mam_open(settings, &m) != MAM_OK) return failed("open");
    if (!launch()) return 0;
    each_folder(fold_folder, NULL);
    each_folder(forget_wiped, NULL);
    adopt_all();
    if (mam_run_due(m) != MAM_OK) failed("check-in"); /* where it is due: brings a wipe, and finishes it */
    each_folder(forget_wiped, NULL);
    return take_events(), 1;
}
