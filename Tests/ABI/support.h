/* Shared by the suites: an office to test in, checks that know mam.h's rules, JSON at a pointer, children. */
#ifndef SUPPORT_H
#define SUPPORT_H

#ifndef _GNU_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>
#include <mam.h>

#define ANN "ann@contoso.example"
#define ANN_ID "ann-id"
#define BOB "bob@contoso.example"
#define BOB_ID "bob-id"
#define EVE "eve@personal.example" /* unknown here */
#define STRICT_POLICY "policy-strict"

#define APP "com.example.notes"
#define OTHER_APP "com.example.mail"
#define GROUP "com.example"

/* Members for mam_open beside app, stateDirectory and authority. */
#define SEVERAL "\"settings\":{\"MultiManagedIdentities\":true}"
#define QUIET "\"worker\":false," SEVERAL
#define WORKER "\"worker\":true," SEVERAL

enum { SECONDS = 1000, SOON = 120 * SECONDS, PATH_SIZE = 512, LONG_PATH = 1024 };

/* ---- checks: they end the test in its main thread, and the process in a child or another thread. */

void failed_at(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ok_at(const char *file, int line, const char *call, mam_status status);
void fails_at(const char *file, int line, const char *call, mam_status expected, mam_status status);
void number_at_line(const char *file, int line, const char *what, long long expected, long long got);
void text_at_line(const char *file, int line, const char *what, const char *expected, const char *got);

#define CHECK(condition) ((condition) ? (void)0 : failed_at(__FILE__, __LINE__, "%s", #condition))
#define CHECK_NUMBER(expected, got) number_at_line(__FILE__, __LINE__, #got, (long long)(expected), (long long)(got))
#define CHECK_TEXT(expected, got) text_at_line(__FILE__, __LINE__, #got, expected, got)

/* The call succeeds, and has cleared the thread's last error. */
#define OK(call) ok_at(__FILE__, __LINE__, #call, (call))
/* The call fails with `status`, and its last error is one clear line that agrees with its JSON. */
#define FAILS(status, call) fails_at(__FILE__, __LINE__, #call, status, (call))
/* The last error's detail has `value` under `key`. */
#define CULPRIT(key, value) text_at_line(__FILE__, __LINE__, "detail." key, value, culprit(key))

/* The last error's detail: text, "" if the key is missing. Valid until the next call of this function. */
const char *culprit(const char *key);
/* The last error's messageKey. Valid until the next call of this function. */
const char *message_key(void);
/* The last error's detail.originalCode, 0 if there is none. */
long long original_code(void);
/* Whether the last error is one line of text for a person that equals its JSON. */
bool is_error_clear(mam_status status, const char **why);
/* The object there has a message for people and its key. */
bool has_messages(const char *json, const char *pointer);

/* Built with AddressSanitizer, which needs memory of its own. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

/* Print the reason and skip the test. */
#define SKIP(reason)                                              \
    do {                                                          \
        print_message("[  SKIPPED ] %s: %s\n", __func__, reason); \
        skip();                                                   \
    } while (0)

/* ---- libmam's JSON, by JSON pointer */

bool is_json(const char *json);
bool has(const char *json, const char *pointer);
long long number_of(const char *json, const char *pointer);
bool truth_of(const char *json, const char *pointer);
/* "" if there is none; valid until sixteen more calls. */
const char *text_of(const char *json, const char *pointer);
/* Of an array or object; -1 if there is none. */
int count_of(const char *json, const char *pointer);
/* Two texts are equal as JSON. */
bool is_same_json(const char *a, const char *b);

/* ---- the office: an authority with Ann and Bob, a strict policy for both, and a state directory */

typedef struct office {
    char root[PATH_SIZE - 64];
    char authority[PATH_SIZE];
    char state[PATH_SIZE]; /* parent of the groups' state directories */
} office;

/* Group set-up of every suite: remembers the main thread, and ends a suite that hangs. */
int begin(void **state);
int set_up(void **state);
/* The same, but showing an account requires no PIN. */
int set_up_without_pin(void **state);
int tear_down(void **state);
#define WITH_OFFICE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define WITHOUT_PIN(test) cmocka_unit_test_setup_teardown(test, set_up_without_pin, tear_down)

void office_make(office *o);
/* Replace the strict policy, with or without a PIN that is required to show an account. */
void office_policy(const office *o, bool wants_pin);
/* The same policy, but data may go anywhere, so that mam_file_unmanage can remove owners. */
void office_permissive_policy(const office *o);
/* A second policy, which blocks the accounts of disabled users. */
void office_blocks_disabled(const office *o);
void office_remove(office *o);
/* root/name, in one of eight static buffers. */
const char *in_office(const office *o, const char *name);
/* state/GROUP/name; docs/formats.md names the files. */
const char *in_group(const office *o, const char *name);

/* One administrative action that succeeds. */
void admin(const office *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same; the caller frees the reply. */
char *admin_reply(const office *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A statement on a database outside libmam. */
void sql(const char *path, const char *statement);

/* SQL for a blob's byte at a position (from 1) replaced by another one. */
#define CHANGED_BYTE(column, at)                                                                               \
    "CAST(substr(" column ", 1, " #at " - 1) || iif(substr(" column ", " #at ", 1) = x'00', x'01', x'00') || " \
    "substr(" column ", " #at " + 1) AS BLOB)"
/* The first value of a query. */
long long sql_number(const char *path, const char *query);

/* Settings for mam_open; the caller frees them. */
char *settings_for(const office *o, const char *app, const char *more);
mam_t *open_app(const office *o, const char *app, const char *more);
/* mam_open with more members of "app", each after a comma, and of the whole. */
mam_status open_with_app(const office *o, const char *app, const char *more_of_app, const char *more, mam_t **m);
/* CONTAINING_APP is opened once and lists APP as its extension. */
#define CONTAINING_APP "com.example.app"
void list_as_extension(const office *o);
static inline mam_t *open_quiet(const office *o) { return open_app(o, APP, QUIET); }
/* The status of mam_open; an opened session is closed. */
mam_status try_open(const office *o, const char *more);

/* Wait for an operation; returns its code. */
int code_of(mam_t *m, int64_t op);
/* Enroll; returns the code. */
int enroll(mam_t *m, const char *upn);
/* Enroll, which must succeed. */
void enroll_well(mam_t *m, const char *upn);
int check_in(mam_t *m, const char *account);
/* An open session without a worker in which Ann is enrolled. */
mam_t *open_enrolled(const office *o);

/* The next event of a name within `timeout_ms`, other events dropped; NULL if none came. Free it with mam_free. */
char *next_event(mam_t *m, const char *name, int timeout_ms);
/* Run what is due until no wipe waits. */
void finish_wipes(mam_t *m);

/* Wipe Ann; returns wipeDidComplete, to be freed with mam_free. */
char *wipe_ann(mam_t *m);

/* A container of `text`, to be freed with mam_buffer_free. */
mam_buffer sealed(mam_t *m, const char *account, const char *text);
/* The status of unprotecting it; its text is compared if that is MAM_OK. */
mam_status opens_as(mam_t *m, const mam_buffer *container, const char *text);

/* ---- processes, threads and files */

uint64_t random_number(void); /* from a seed that is printed when a test fails */
void sleep_ms(int milliseconds);
long long now_ms(void);
/* A thread's number for `until_asleep`. */
pid_t this_thread(void);
/* Return when a thread that stored its number here sleeps inside its next call, and still does a moment later. */
void until_asleep(volatile pid_t *thread);
/* Run it in a child process that ends with the function; it must succeed within a minute. */
void in_child(void (*function)(void *), void *argument);
pid_t start_child(void (*function)(void *), void *argument);
void end_well(pid_t child);
/* The path of a program of build/. */
const char *tool(const char *name);
/* Run a program; returns the exit status, or 128 and the signal. `output` (unless NULL) gets its standard output. */
int run_program(char *const words[], const char *preload, char *output, size_t size);

/* Whether anything has the name, even a link. */
bool is_there(const char *path);
/* A whole file; the caller frees it. */
uint8_t *read_whole(const char *path, size_t *length);
void write_whole(const char *path, const void *bytes, size_t length);
/* A socket to which nobody listens. */
void make_socket(const char *path);
void copy_tree(const char *from, const char *to);
void remove_tree(const char *path);
/* The only file in a folder, its path in one of eight static buffers. */
const char *only_file_in(const char *folder);

#endif
