/* notes: work and personal notes side by side.
 *
 *     notes enroll UPN                          sign in a work account
 *     notes add work|personal TEXT              keep a note
 *     notes list
 *     notes show work|personal N
 *     notes export work|personal N PATH         copy a note to PATH, if its owner's policy allows that
 *     notes wipe                                remove the work account and its notes
 *
 * Exit status: 0 done, 1 failed, 2 usage, 3 refused by policy.
 * Environment: MAM_AUTHORITY (required), MAM_STATE, MAM_APP, NOTES_DIR.
 * Build:       cc -o notes notes.c $(pkg-config --cflags --libs mam sqlite3)
 *
 * A host's duties to libmam are in open_session, launch, hear, open_notes, write_text, show and export_note. Each account
 * has a separate folder, so that accounts do not interfere: a database of the notes, and a file for each text. The contents
 * are encrypted on the disk if the account's policy requires it; to the program they are a database and files.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <mam.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, USAGE = 2, REFUSED = 3 };

static int complain(const char *what, const char *why) {
    fprintf(stderr, "notes: %s: %s\n", what, why);
    return FAILED;
}

/* A call of libmam failed: the person gets a sentence, and the log the administrator's line. */
static int failed(const char *what) {
    syslog(LOG_WARNING, "%s: %s", what, mam_last_message());
    return complain(what, mam_last_user_message());
}

/* JSON: a text quoted for settings, and replies parsed by libmam. */

static int quote(char *out, size_t size, const char *text) {
    size_t n = 0;
    if (size < 3) return 0;
    out[n++] = '"';
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (n + 8 > size) return 0;
        if (c == '"' || c == '\\') out[n++] = '\\';
        if (c < 0x20) n += (size_t)snprintf(out + n, size - n, "\\u%04x", c);
        else out[n++] = (char)c;
    }
    out[n++] = '"';
    out[n] = '\0';
    return 1;
}

/* Frees a reply of libmam and returns it parsed. */
static mam_json_t *parse(char *reply) {
    mam_json_t *parsed;
    if (mam_json_parse(reply, &parsed) != MAM_OK) failed("reply");
    mam_free(reply);
    return parsed;
}

/* The pointer to a member of one finding. */
static const char *in_finding(size_t number, const char *key) {
    static char pointer[64];
    snprintf(pointer, sizeof pointer, "/findings/%zu/%s", number, key);
    return pointer;
}

/* libmam. */

static mam_t *open_session(void) {
    const char *app = getenv("MAM_APP"), *state = getenv("MAM_STATE"), *authority = getenv("MAM_AUTHORITY");
    char app_json[1024], authority_json[4096], state_json[4096], settings[12288];
    mam_t *m = NULL;
    if (authority == NULL) {
        complain("MAM_AUTHORITY", "not set; name the authority's file");
        return NULL;
    }
    if (!quote(app_json, sizeof app_json, app ? app : "com.example.notes")
        || !quote(authority_json, sizeof authority_json, authority) || !quote(state_json, sizeof state_json, state ? state : "")) {
        complain("environment", "a value is too long");
        return NULL;
    }
    /* A program that runs for a moment needs no worker: mam_run_due does what is due. */
    snprintf(
        settings, sizeof settings, "{\"app\":{\"id\":%s},\"authority\":{\"type\":\"embedded\",\"path\":%s}%s%s,\"worker\":false}",
        app_json, authority_json, state ? ",\"stateDirectory\":" : "", state ? state_json : "");
    if (mam_open(settings, &m) != MAM_OK) {
        failed("open");
        return NULL;
    }
    /* Offline the last policy stays in force; launch checks for how long. */
    if (mam_run_due(m) != MAM_OK) failed("check-in");
    return m;
}

/* The checks of the policies, before anything is shown. An account that it closes stays closed in this session: its files
 * and databases do not open. A finding about the app itself ends the program. This program cannot ask for a PIN: it reports
 * that one is required, and `mamctl pin verify` asks. */
static int launch(mam_t *m) {
    char *report;
    int64_t op;
    int result = DONE;
    if (mam_launch(m, &op) != MAM_OK || mam_wait(m, op, -1, &report) != MAM_OK) return failed("launch");
    mam_json_t *parsed = parse(report);
    if (parsed == NULL) return FAILED;
    for (size_t i = 0; i < mam_json_count(parsed, "/findings"); i++) {
        int warns = strcmp(mam_json_text(parsed, in_finding(i, "action")), "warn") == 0;
        complain("launch", mam_json_text(parsed, in_finding(i, "userMessage")));
        if (!warns && !mam_json_has(parsed, in_finding(i, "accountId"))) result = REFUSED;
    }
    mam_json_release(parsed);
    return result;
}

/* Events since the last run. A wipe, whoever requested it, has removed the account's folder: report it, and continue
 * without. A program with windows would close those of the account here. */
static void hear(mam_t *m) {
    char *event;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        mam_json_t *parsed = parse(event);
        if (strcmp(mam_json_text(parsed, "/event"), "wipeDidComplete") == 0)
            complain(mam_json_text(parsed, "/accountId"), "wiped; its notes are gone");
        mam_json_release(parsed);
    }
}

/* The notes of one owner. */
struct notes {
    mam_t *m;
    const char *kind;
    char account[MAM_ACCOUNT_MAX + 1]; /* "" is no account: personal */
    char folder[2048], path[4096];
    sqlite3 *index;
};

static int damaged(struct notes *n) { return complain(n->path, sqlite3_errmsg(n->index)); }

static const char *path_of(struct notes *n, long number) {
    snprintf(n->path, sizeof n->path, "%s/%ld.txt", n->folder, number);
    return n->path;
}

/* The work account, or none for personal notes. */
static int find_owner(struct notes *n) {
    char *json;
    if (strcmp(n->kind, "personal") == 0) return DONE;
    if (strcmp(n->kind, "work") != 0) return USAGE;
    if (mam_primary_account(n->m, &json) != MAM_OK) return failed("work account");
    mam_json_t *parsed = parse(json);
    snprintf(n->account, sizeof n->account, "%s", mam_json_text(parsed, "/accountId"));
    mam_json_release(parsed);
    if (*n->account == '\0') return complain("work account", "there is none; use: notes enroll UPN");
    if (strchr(n->account, '/')) return complain(n->account, "not a name for a folder");
    /* Closed by launch, whose finding has said why. */
    if (mam_blocked_accounts(n->m, &json) != MAM_OK) return failed("work account");
    if ((parsed = parse(json)) == NULL) return FAILED;
    int closed = mam_json_count(parsed, "") > 0;
    mam_json_release(parsed);
    if (closed) complain("work notes", "closed");
    return closed ? REFUSED : DONE;
}

static int make_folder(const char *path) {
    return mkdir(path, 0700) == 0 || errno == EEXIST ? DONE : complain(path, strerror(errno));
}

/* A policy may begin to require encryption: SQLite has to write a plain index anew. */
static mam_status encrypt_where_required(struct notes *n) {
    mam_policy_t *policy;
    if (access(n->path, F_OK) != 0) return MAM_OK;
    mam_status status = mam_policy_for_account(n->m, n->account, &policy);
    if (status == MAM_OK && mam_policy_is_file_encryption_required(policy)) status = mam_sqlite_encrypt(n->m, n->path, n->account);
    mam_policy_release(policy);
    return status;
}

/* The folder belongs to the account, and so does everything created in it: a wipe removes all of it. SQLite gets a VFS of
 * the account. */
static int open_notes(struct notes *n) {
    const char *given = getenv("NOTES_DIR"), *directory = given ? given : "notes";
    int result = find_owner(n), is_work = *n->account != '\0';
    if (result != DONE) return result;
    snprintf(n->folder, sizeof n->folder, "%s/%s%s", directory, is_work ? "work-" : "personal", n->account);
    if (make_folder(directory) != DONE || make_folder(n->folder) != DONE) return FAILED;
    snprintf(n->path, sizeof n->path, "%s/index.db", n->folder);
    if (is_work && encrypt_where_required(n) != MAM_OK) return failed("index");
    if (is_work && mam_file_verify_and_protect(n->m, n->folder, n->account) != MAM_OK) return failed("folder");
    if (mam_sqlite_vfs_register(n->m, n->kind, n->account) != MAM_OK) return failed("SQLite");
    if (sqlite3_open_v2(n->path, &n->index, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, n->kind) != SQLITE_OK
        || sqlite3_busy_timeout(n->index, 5000) != SQLITE_OK
        || sqlite3_exec(
               n->index, "CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY, title TEXT NOT NULL)", NULL, NULL, NULL)
            != SQLITE_OK)
        return damaged(n);
    return DONE;
}

/* A wipe removes a text written before it; a write after it fails. */
static int write_text(struct notes *n, long number, const char *text) {
    size_t length = strlen(text), done;
    mam_file_t *file;
    if (mam_file_create(n->m, path_of(n, number), O_WRONLY, 0600, n->account, &file) != MAM_OK) return failed("add");
    mam_status status = MAM_OK;
    while (length > 0 && (status = mam_file_write(file, (const uint8_t *)text, length, &done)) == MAM_OK) {
        text += done;
        length -= done;
    }
    if (status == MAM_OK) status = mam_file_sync(file);
    if (status != MAM_OK) failed("add");
    mam_file_close(file);
    return status == MAM_OK ? DONE : FAILED;
}

/* The row is committed when the text is on the disk. A text without a row, as after a kill, is replaced by the next note's.
 *  */
static int add(struct notes *n, const char *text) {
    sqlite3_stmt *row = NULL;
    int result = FAILED;
    if (sqlite3_exec(n->index, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) return damaged(n);
    if (sqlite3_prepare_v2(n->index, "INSERT INTO notes (title) VALUES (substr(replace(?, char(10), ' '), 1, 40))", -1, &row, NULL)
            != SQLITE_OK
        || sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC) != SQLITE_OK || sqlite3_step(row) != SQLITE_DONE)
        damaged(n);
    else result = write_text(n, (long)sqlite3_last_insert_rowid(n->index), text);
    sqlite3_finalize(row);
    if (result == DONE && sqlite3_exec(n->index, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) result = damaged(n);
    if (result == DONE) printf("%s note %ld\n", n->kind, (long)sqlite3_last_insert_rowid(n->index));
    return result; /* closing the database rolls back uncommitted changes */
}

static int list(struct notes *n) {
    sqlite3_stmt *row;
    int step;
    if (sqlite3_prepare_v2(n->index, "SELECT number, title FROM notes ORDER BY number", -1, &row, NULL) != SQLITE_OK)
        return damaged(n);
    while ((step = sqlite3_step(row)) == SQLITE_ROW)
        printf("%s %d: %s\n", n->kind, sqlite3_column_int(row, 0), (const char *)sqlite3_column_text(row, 1));
    int result = step == SQLITE_DONE ? DONE : damaged(n);
    sqlite3_finalize(row);
    return result;
}

static int show(struct notes *n, long number) {
    uint8_t piece[4096];
    size_t count = 0;
    mam_file_t *file;
    mam_status status = mam_file_open(n->m, path_of(n, number), O_RDONLY, &file);
    if (status != MAM_OK) return failed("show");
    while ((status = mam_file_read(file, piece, sizeof piece, &count)) == MAM_OK && count > 0) fwrite(piece, 1, count, stdout);
    if (status == MAM_OK) putchar('\n');
    else failed("show");
    mam_file_close(file);
    return status == MAM_OK ? DONE : FAILED;
}

/* The owner's policy decides, and a refusal comes with its reason. If it lets data go to managed apps only, only they can
 * read the copy. */
static int export_note(struct notes *n, long number, const char *target) {
    mam_status status = mam_file_export(n->m, path_of(n, number), MAM_SAVE_LOCAL_DRIVE, NULL, target);
    if (status != MAM_OK) failed(status == MAM_ERR_DENIED ? "refused" : "export");
    return status == MAM_OK ? DONE : status == MAM_ERR_DENIED ? REFUSED : FAILED;
}

/* Enrollment and wipe are operations: start, then wait for the status. */
static int finish(mam_t *m, mam_status started, int64_t op, const char *what) {
    char *status;
    if (started != MAM_OK || mam_wait(m, op, -1, &status) != MAM_OK) return failed(what);
    mam_json_t *parsed = parse(status);
    int good = mam_json_bool(parsed, "/didSucceed", 0);
    if (good) printf("%s: %s\n", what, mam_json_text(parsed, "/userMessage"));
    else complain(what, mam_json_text(parsed, "/userMessage"));
    mam_json_release(parsed);
    return good ? DONE : FAILED;
}

static int enroll(mam_t *m, const char *upn) {
    char upn_json[2048], account[2304];
    int64_t op = 0;
    if (!quote(upn_json, sizeof upn_json, upn)) return complain("enroll", "the name is too long");
    snprintf(account, sizeof account, "{\"upn\":%s}", upn_json);
    mam_status started = mam_register_and_enroll(m, account, &op);
    return finish(m, started, op, "enroll");
}

/* A closed account can be removed too. */
static int wipe(mam_t *m) {
    struct notes n = {.m = m, .kind = "work"};
    int64_t op = 0;
    if (find_owner(&n) == FAILED) return FAILED;
    mam_status started = mam_wipe_account(m, n.account, &op);
    return finish(m, started, op, "wipe");
}

static int act(struct notes *n, int count, char **word) {
    long number = count > 3 ? strtol(word[3], NULL, 10) : 0;
    if (count == 2 && strcmp(word[1], "list") == 0) return list(n);
    if (count == 4 && strcmp(word[1], "add") == 0) return add(n, word[3]);
    if (count == 4 && number > 0 && strcmp(word[1], "show") == 0) return show(n, number);
    if (count == 5 && number > 0 && strcmp(word[1], "export") == 0) return export_note(n, number, word[4]);
    return USAGE;
}

/* Do something with one owner's notes. */
static int with_notes(mam_t *m, const char *kind, int count, char **word) {
    struct notes n = {.m = m, .kind = kind};
    int result = open_notes(&n);
    if (result == DONE) result = act(&n, count, word);
    sqlite3_close(n.index);
    return result;
}

static int run(mam_t *m, int count, char **word) {
    if (count == 3 && strcmp(word[1], "enroll") == 0) return enroll(m, word[2]);
    if (count == 2 && strcmp(word[1], "wipe") == 0) return wipe(m);
    if (count > 2) return with_notes(m, word[2], count, word);
    if (count != 2 || strcmp(word[1], "list") != 0) return USAGE;
    with_notes(m, "work", count, word); /* without work notes the personal ones are still listed */
    return with_notes(m, "personal", count, word);
}

int main(int count, char **word) {
    mam_t *m = count < 2 ? NULL : open_session();
    if (count >= 2 && m == NULL) return FAILED;
    /* Enrolling, or removing the account, requires no PIN. */
    int shows = count >= 2 && strcmp(word[1], "enroll") != 0 && strcmp(word[1], "wipe") != 0;
    int result = count < 2 ? USAGE : shows ? launch(m) : DONE;
    if (m != NULL) hear(m);
    if (result == DONE) result = run(m, count, word);
    if (m != NULL) hear(m);
    if (result == USAGE)
        fputs(
            "usage: notes enroll UPN | add work|personal TEXT | list | show work|personal N | export work|personal N PATH | "
            "wipe\n",
            stderr);
    if (mam_close(m) != MAM_OK) result = failed("close");
    return result;
}
