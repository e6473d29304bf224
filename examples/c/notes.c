/* notes: work and personal notes side by side in one directory.
 *
 *     notes enroll UPN               sign in a work account
 *     notes add work|personal TEXT   keep a note
 *     notes list
 *     notes show N
 *     notes export N PATH            write a note's text to PATH, if its owner's policy allows that
 *     notes wipe                     give the work account up; its notes become unreadable
 *
 * Exit status: 0 done, 1 failed, 2 usage, 3 refused by policy.
 * Environment: MAM_AUTHORITY (required), MAM_STATE, MAM_APP, NOTES_DIR.
 * Build:       cc -o notes notes.c $(pkg-config --cflags --libs mam)
 *
 * What libmam asks of a host is in five places: open_session, launch, keep, read_note and may_export.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <mam.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DONE = 0, FAILED = 1, USAGE = 2, REFUSED = 3, NOTE_MAX = 1 << 20 };

static int complain(const char *what, const char *why) {
    fprintf(stderr, "notes: %s: %s\n", what, why);
    return FAILED;
}

/* Just enough JSON for this program; a larger one has a library for it. */

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

/* Copies the text of `"key":"…"` of one of libmam's compact replies; "" where it is absent. */
static const char *text_of(const char *json, const char *key, char *out, size_t size) {
    char pattern[64];
    size_t n = 0;
    snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    const char *p = strstr(json, pattern);
    for (p = p ? p + strlen(pattern) : ""; *p != '\0' && *p != '"' && n + 1 < size; p++) {
        if (*p == '\\' && p[1] != '\0') p++;
        out[n++] = *p;
    }
    out[n] = '\0';
    return out;
}

/* Files. Note N is the file N.note. */

static void note_path(char *out, size_t size, long number) {
    const char *directory = getenv("NOTES_DIR");
    snprintf(out, size, "%s/%ld.note", directory ? directory : "notes", number);
}

static int read_file(const char *path, uint8_t *bytes, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    *length = fread(bytes, 1, NOTE_MAX, file);
    int good = !ferror(file) && feof(file);
    if (!good && !ferror(file)) errno = EFBIG;
    fclose(file);
    return good;
}

static int write_file(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return complain(path, strerror(errno));
    int good = fwrite(bytes, 1, length, file) == length;
    if (fclose(file) != 0 || !good) return complain(path, strerror(errno));
    return DONE;
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
    if (!quote(app_json, sizeof app_json, app ? app : "com.example.notes") ||
        !quote(authority_json, sizeof authority_json, authority) ||
        !quote(state_json, sizeof state_json, state ? state : "")) {
        complain("environment", "a value is too long");
        return NULL;
    }
    /* A program that runs for a moment needs no worker: mam_run_due does what is due. */
    snprintf(settings, sizeof settings,
             "{\"app\":{\"id\":%s},\"authority\":{\"type\":\"embedded\",\"path\":%s}%s%s,\"worker\":false}",
             app_json, authority_json, state ? ",\"stateDirectory\":" : "", state ? state_json : "");
    if (mam_open(settings, &m) != MAM_OK) {
        complain("open", mam_last_message());
        return NULL;
    }
    if (mam_run_due(m) != MAM_OK) complain("check-in", mam_last_message());
    return m;
}

/* Before anything is shown: what the policies check. An account that it closes stays closed in this session, so that opening
 * its notes is refused; what stands against the app itself ends the program. This program cannot ask for a PIN: it tells
 * that one is wanted, and `mamctl pin verify` asks. */
static int launch(mam_t *m) {
    char *report, word[512];
    int64_t op;
    int result = DONE;
    if (mam_launch(m, &op) != MAM_OK || mam_wait(m, op, -1, &report) != MAM_OK)
        return complain("launch", mam_last_message());
    for (const char *finding = report; (finding = strstr(finding, "{\"check\":")) != NULL; finding++) {
        const char *account = strstr(finding, "\"accountId\":");
        int warns = strcmp(text_of(finding, "action", word, sizeof word), "warn") == 0;
        complain("launch", text_of(finding, "message", word, sizeof word));
        if (!warns && account && strncmp(account, "\"accountId\":null", 16) == 0) result = REFUSED;
    }
    mam_free(report);
    return result;
}

/* Whether there is a work account, and which. */
static int work_account(mam_t *m, char *account, size_t size) {
    char *json;
    if (mam_primary_account(m, &json) != MAM_OK) return complain("work account", mam_last_message());
    text_of(json, "accountId", account, size);
    mam_free(json);
    if (*account == '\0') return complain("work account", "there is none; use: notes enroll UPN");
    return DONE;
}

/* Every note goes through mam_protect: work notes are sealed, personal ones labelled as nobody's. */
static int keep(mam_t *m, const char *kind, const char *text) {
    char account[MAM_ACCOUNT_MAX + 1] = "", path[4096];
    mam_buffer sealed = {0};
    long number = 1;
    int result;
    if (strcmp(kind, "work") == 0) {
        if (work_account(m, account, sizeof account) != DONE) return FAILED;
    } else if (strcmp(kind, "personal") != 0) {
        return USAGE;
    }
    for (struct stat s;; number++) {
        note_path(path, sizeof path, number);
        if (stat(path, &s) != 0) break;
    }
    mam_status status = mam_protect(m, account, (const uint8_t *)text, strlen(text), &sealed);
    if (status == MAM_OK)
        result = write_file(path, sealed.data, sealed.length);
    else if (status == MAM_ERR_NOT_MANAGED && *account == '\0')
        result = write_file(path, text, strlen(text)); /* no work account at all: nothing to keep apart */
    else
        return complain("add", mam_last_message());
    mam_buffer_free(&sealed);
    if (result == DONE) printf("note %ld: %s\n", number, kind);
    return result;
}

/* The text of a note and its owner; DONE even when the text cannot be read, and REFUSED where its account is closed: then *why
 * says so. */
static int read_note(mam_t *m, long number, char *owner, size_t size, mam_buffer *text, char *why, size_t why_size) {
    static uint8_t bytes[NOTE_MAX];
    char path[4096], *info;
    size_t length;
    *why = *owner = '\0';
    note_path(path, sizeof path, number);
    if (!read_file(path, bytes, &length)) return complain(path, strerror(errno));
    mam_status status = mam_protection_info(m, bytes, length, &info);
    if (status == MAM_OK) {
        text_of(info, "accountId", owner, size);
        mam_free(info);
    } else if (status != MAM_ERR_NOT_PROTECTED) {
        return complain(path, mam_last_message());
    }
    status = mam_unprotect(m, bytes, length, 0, text, NULL);
    if (status != MAM_OK) snprintf(why, why_size, "%s", mam_last_message());
    return status == MAM_ERR_LOCKED ? REFUSED : DONE;
}

static int show(mam_t *m, long number, int with_heading) {
    char owner[MAM_ACCOUNT_MAX + 1], why[512];
    mam_buffer text = {0};
    int result = read_note(m, number, owner, sizeof owner, &text, why, sizeof why);
    if (result == FAILED) return FAILED;
    if (with_heading) printf("%ld %s: ", number, *owner ? "work" : "personal");
    if (*why) {
        fprintf(with_heading ? stdout : stderr, "(unreadable: %s)\n", why);
        return with_heading ? DONE : result == DONE ? FAILED : result;
    }
    fwrite(text.data, 1, text.length, stdout);
    putchar('\n');
    mam_buffer_free(&text);
    return DONE;
}

static int list(mam_t *m) {
    char path[4096];
    int result = DONE;
    struct stat s;
    for (long number = 1; note_path(path, sizeof path, number), stat(path, &s) == 0; number++)
        if (show(m, number, 1) != DONE) result = FAILED;
    return result;
}

/* The owner's policy decides; a refusal comes with its reason. */
static int may_export(mam_t *m, const char *owner) {
    char owner_json[2048], request[2304], message[512], *reply;
    if (!quote(owner_json, sizeof owner_json, owner)) return complain("export", "the owner's name is too long");
    snprintf(request, sizeof request, "{\"action\":\"saveTo\",\"account\":%s,\"location\":\"localDrive\"}", owner_json);
    if (mam_policy_check(m, request, &reply) != MAM_OK) return complain("export", mam_last_message());
    int allowed = strstr(reply, "\"allowed\":true") != NULL;
    if (!allowed) complain("refused", text_of(reply, "message", message, sizeof message));
    mam_free(reply);
    return allowed ? DONE : REFUSED;
}

static int export_note(mam_t *m, long number, const char *path) {
    char owner[MAM_ACCOUNT_MAX + 1], why[512];
    mam_buffer text = {0};
    int result = read_note(m, number, owner, sizeof owner, &text, why, sizeof why);
    if (result == FAILED) return FAILED;
    if (*why) return complain("unreadable", why), result == DONE ? FAILED : result;
    result = may_export(m, owner);
    if (result == DONE) result = write_file(path, text.data, text.length);
    mam_buffer_free(&text);
    return result;
}

/* Enrollment and wipe are operations: start, then wait for the status. */
static int finish(mam_t *m, mam_status started, int64_t op, const char *what) {
    char message[512], *status;
    if (started != MAM_OK || mam_wait(m, op, -1, &status) != MAM_OK) return complain(what, mam_last_message());
    int good = strstr(status, "\"didSucceed\":true") != NULL;
    text_of(status, "message", message, sizeof message);
    mam_free(status);
    if (!good) return complain(what, message);
    printf("%s: %s\n", what, message);
    return DONE;
}

static int enroll(mam_t *m, const char *upn) {
    char upn_json[2048], account[2304];
    int64_t op = 0;
    if (!quote(upn_json, sizeof upn_json, upn)) return complain("enroll", "the name is too long");
    snprintf(account, sizeof account, "{\"upn\":%s}", upn_json);
    mam_status started = mam_register_and_enroll(m, account, &op);
    return finish(m, started, op, "enroll");
}

static int wipe(mam_t *m) {
    char account[MAM_ACCOUNT_MAX + 1];
    int64_t op = 0;
    if (work_account(m, account, sizeof account) != DONE) return FAILED;
    mam_status started = mam_wipe_account(m, account, &op);
    return finish(m, started, op, "wipe");
}

static int run(mam_t *m, int count, char **word) {
    long number = count > 2 ? strtol(word[2], NULL, 10) : 0;
    const char *directory = getenv("NOTES_DIR");
    if (mkdir(directory ? directory : "notes", 0700) != 0 && errno != EEXIST)
        return complain(directory ? directory : "notes", strerror(errno));
    if (count == 3 && strcmp(word[1], "enroll") == 0) return enroll(m, word[2]);
    if (count == 4 && strcmp(word[1], "add") == 0) return keep(m, word[2], word[3]);
    if (count == 2 && strcmp(word[1], "list") == 0) return list(m);
    if (count == 3 && number > 0 && strcmp(word[1], "show") == 0) return show(m, number, 0);
    if (count == 4 && number > 0 && strcmp(word[1], "export") == 0) return export_note(m, number, word[3]);
    if (count == 2 && strcmp(word[1], "wipe") == 0) return wipe(m);
    return USAGE;
}

int main(int count, char **word) {
    mam_t *m = count < 2 ? NULL : open_session();
    if (count >= 2 && m == NULL) return FAILED;
    /* Who enrolls, or gives the account up, is not asked for a PIN first. */
    int shows = count >= 2 && strcmp(word[1], "enroll") != 0 && strcmp(word[1], "wipe") != 0;
    int result = count < 2 ? USAGE : shows ? launch(m) : DONE;
    if (result == DONE) result = run(m, count, word);
    if (result == USAGE)
        fputs("usage: notes enroll UPN | add work|personal TEXT | list | show N | export N PATH | wipe\n", stderr);
    if (mam_close(m) != MAM_OK) result = complain("close", mam_last_message());
    return result;
}
