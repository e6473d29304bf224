/* For attacks in C: an organisation, and the report of an attack. An attack knows mam.h, docs/formats.md and the files, and
 * nothing of the library's code. */
#ifndef ATTACK_H
#define ATTACK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mam.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANN "ann@contoso.example"
#define ANN_ID "ann-id"
#define BOB "bob@contoso.example"
#define BOB_ID "bob-id"
#define APP "com.example.notes"

enum { HELD = 0, BROKEN = 1, SKIPPED = 77, PATH_SIZE = 512, SETTINGS_SIZE = 4096 };

/* Report a broken promise and end the process. */
__attribute__((format(printf, 3, 4), noreturn)) void broken_at(const char *file, int line, const char *format, ...);
#define BREAKS(...) broken_at(__FILE__, __LINE__, __VA_ARGS__)
#define HOLDS(condition) ((condition) ? (void)0 : broken_at(__FILE__, __LINE__, "%s", #condition))
/* The call succeeds. */
#define OK(call) ok_at(__FILE__, __LINE__, #call, (call))
void ok_at(const char *file, int line, const char *call, mam_status status);

/* Report why it cannot run here and end the process. */
__attribute__((noreturn)) void skip(const char *why);

/* The number of rounds: small in `make test`, whole in `make soak` (ATTACK_SCALE=whole). */
long scale(long small, long whole);

/* An organisation in a temporary folder: ann and bob, a strict policy for everybody, in every app. */
typedef struct office {
    char folder[PATH_SIZE], authority[PATH_SIZE], state[PATH_SIZE];
} office;

void office_make(office *o);
void office_remove(const office *o);
/* One request of the administrator. */
void admin(const office *o, const char *request_json);
/* Settings for mam_open; `more` is further members, "" for none. */
void settings_of(const office *o, const char *more, char settings[SETTINGS_SIZE]);
/* A session without a worker, or with `more`. */
mam_t *session_of(const office *o, const char *more);
/* Enroll an account by its UPN. */
void enroll(mam_t *m, const char *upn);
/* Complete an operation; returns its status code. */
int finish(mam_t *m, int64_t op);

#endif
