/* Shared by the suites of names: names of every kind, and files with a text that no other account may read. */
#ifndef NAMES_H
#define NAMES_H

#include "support.h"

#define SECRET "the minutes of the board's meeting"
#define MISSPELT "anm@contoso.example"      /* one edit from Ann's */
#define CYRILLIC "ann@contoso.ex\u0430mple" /* the "a" of the domain is another letter */
#define SHARED "shared.mailbox@contoso.example"
#define NEW "ann.b@contoso.example"

/* The file contains these bytes. */
bool file_has(const char *path, const char *text);
/* The administrator changes Ann's UPN, and a check-in delivers it. */
void rename_ann(const office *o, mam_t *m, const char *upn);
/* A path for one more file, in one of eight static buffers: the index remembers the owner of the former file at a path.
 *  */
const char *new_path(const office *o);
/* A file with SECRET in it, without an owner or sealed for Ann. */
const char *secret_file(const office *o, mam_t *m, bool is_hers);

#endif
