/* Shared by the suites of names: names of every kind, and files with a text in them that nobody else may read. */
#ifndef NAMES_H
#define NAMES_H

#include "support.h"

#define SECRET "the minutes of the board's meeting"
#define MISSPELT "anm@contoso.example" /* one edit from Ann's */
#define SHARED "shared.mailbox@contoso.example"
#define NEW "ann.b@contoso.example"

/* The file has these bytes somewhere. */
bool file_has(const char *path, const char *text);
/* The administrator gives Ann another UPN, and a check-in brings it. */
void rename_ann(const office *o, mam_t *m, const char *upn);
/* A place for one more file, in one of eight static buffers: the index remembers whose the former one at a path was. */
const char *new_path(const office *o);
/* A file with SECRET in it, of nobody's or sealed for Ann. */
const char *secret_file(const office *o, mam_t *m, bool is_hers);

#endif
