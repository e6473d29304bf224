/* mail: the messages of all your addresses, in one SQLite database.
 *
 *     mail deliver ADDRESS SUBJECT      keep a message, whose text is standard input
 *     mail list
 *     mail show ADDRESS N
 *     mail save ADDRESS N PATH          write a message's text to a file
 *
 * Exit status: 0 done, 1 failed, 2 usage. Environment: MAIL_DIR, by default ~/.mail.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DONE = 0, FAILED = 1, USAGE = 2 };

static char directory[2048];

static int complain(const char *what, const char *why) {
    fprintf(stderr, "mail: %s: %s\n", what, why);
    return FAILED;
}

static sqlite3 *open_store(void) {
    char path[4096];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/mail.db", directory);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK
        && sqlite3_exec(
               db,
               "CREATE TABLE IF NOT EXISTS messages (address TEXT NOT NULL, number INTEGER NOT NULL,"
               " subject TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (address, number))",
               NULL, NULL, NULL)
            == SQLITE_OK)
        return db;
    complain(path, sqlite3_errmsg(db));
    sqlite3_close(db);
    return NULL;
}

/* A statement with the address and perhaps a number as its first parameters. */
static sqlite3_stmt *prepare(sqlite3 *db, const char *sql, const char *address, long number) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        complain("store", sqlite3_errmsg(db));
        return NULL;
    }
    if (address != NULL) sqlite3_bind_text(statement, 1, address, -1, SQLITE_STATIC);
    if (number > 0) sqlite3_bind_int64(statement, 2, number);
    return statement;
}

static int deliver(sqlite3 *db, const char *address, const char *subject) {
    char text[65536];
    size_t length = fread(text, 1, sizeof text, stdin);
    sqlite3_stmt *row = prepare(
        db,
        "INSERT INTO messages SELECT ?1, 1 + coalesce(max(number), 0), ?2, ?3 FROM messages"
        " WHERE address = ?1",
        address, 0);
    if (row == NULL) return FAILED;
    sqlite3_bind_text(row, 2, subject, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 3, text, (int)length, SQLITE_STATIC);
    int result = sqlite3_step(row) == SQLITE_DONE ? DONE : complain("deliver", sqlite3_errmsg(db));
    sqlite3_finalize(row);
    return result;
}

static int list(sqlite3 *db) {
    sqlite3_stmt *row = prepare(db, "SELECT address, number, subject FROM messages ORDER BY address, number", NULL, 0);
    int step = SQLITE_DONE;
    while (row != NULL && (step = sqlite3_step(row)) == SQLITE_ROW)
        printf(
            "%s %d: %s\n", (const char *)sqlite3_column_text(row, 0), sqlite3_column_int(row, 1),
            (const char *)sqlite3_column_text(row, 2));
    sqlite3_finalize(row);
    return row != NULL && step == SQLITE_DONE ? DONE : complain("list", sqlite3_errmsg(db));
}

static int save_text(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return complain(path, strerror(errno));
    size_t written = fwrite(text, 1, length, file);
    return fclose(file) == 0 && written == length ? DONE : complain(path, "not written");
}

/* Show a message, or save it to a path. */
static int show(sqlite3 *db, const char *address, long number, const char *path) {
    sqlite3_stmt *row = prepare(db, "SELECT text FROM messages WHERE address = ? AND number = ?", address, number);
    int result = FAILED;
    if (row == NULL) return FAILED;
    if (sqlite3_step(row) != SQLITE_ROW) {
        complain(address, "no such message");
    } else {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        size_t length = (size_t)sqlite3_column_bytes(row, 0);
        if (path != NULL) result = save_text(path, text, length);
        else result = fwrite(text, 1, length, stdout) == length ? DONE : FAILED;
    }
    sqlite3_finalize(row);
    return result;
}

static int act(sqlite3 *db, int count, char **word) {
    long number = count > 3 ? strtol(word[3], NULL, 10) : 0;
    if (count == 2 && strcmp(word[1], "list") == 0) return list(db);
    if (count == 4 && strcmp(word[1], "deliver") == 0) return deliver(db, word[2], word[3]);
    if (count == 4 && number > 0 && strcmp(word[1], "show") == 0) return show(db, word[2], number, NULL);
    if (count == 5 && number > 0 && strcmp(word[1], "save") == 0) return show(db, word[2], number, word[4]);
    return USAGE;
}

int main(int count, char **word) {
    const char *given = getenv("MAIL_DIR"), *home = getenv("HOME");
    snprintf(directory, sizeof directory, "%s%s", given ? given : home ? home : "", given ? "" : "/.mail");
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) return complain(directory, strerror(errno));
    sqlite3 *db = open_store();
    int result = db != NULL ? act(db, count, word) : FAILED;
    sqlite3_close(db);
    if (result == USAGE) fputs("usage: mail deliver ADDRESS SUBJECT | list | show ADDRESS N | save ADDRESS N PATH\n", stderr);
    return result;
}
