/* Shared by folders.c and folders_start.c. */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <mam.h>
#include <stdio.h>

typedef char pathname[PATH_MAX], identifier[1024];

extern mam_t *m;
extern const char *root;

/* The log gets the administrator's line, the person the reason. Returns 0, for "not done". */
int failed(const char *what);

/* As libmam compares names: without ASCII case. */
void fold(char *name);

/* ROOT/ADDRESS or ROOT/ADDRESS/NAME; 0 where a name is none for a file. */
int join(pathname path, const char *address, const char *name);

/* Calls `visit` for each folder. */
void each_folder(void (*visit)(const char *address, void *context), void *context);

/* The text at `pointer` of the reply that a call has written, or "". */
void text_of(mam_status status, char *reply, const char *pointer, identifier text);

/* The id of the account whose label a folder has; "" without one. */
void label_of(const char *path, identifier id);

/* The id of the account to which a folder belongs, whatever its name says: names change, and become another person's. A folder
 * from before the sign-in belongs to the account that signed in under its name. "" for a person's own. */
void owner_of(const char *address, identifier id);

/* Lists of words in hidden files of ROOT: ".addresses" that signed in here, with the ids of their accounts, and ".domains" of the
 * organisation. `keep` returns 0 where the word could not be stored. */
int is_listed(const char *list, const char *word);
int keep(const char *list, const char *word);

/* The steps of a start; 0 where the program ends. */
int start(void);

/* Gives each account its folder; 0 where that failed for any. */
int adopt_all(void);
