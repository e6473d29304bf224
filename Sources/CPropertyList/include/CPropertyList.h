#ifndef CPROPERTYLIST_H
#define CPROPERTYLIST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libplist, opened on first use and never closed. Input must be scanned first: libplist recurses without a limit,
 * and copies a shared object of a binary list once for each reference. */

typedef void *propertylist_node_t;

/* Values of libplist's plist_type, the same in every release. */
enum {
    PROPERTYLIST_BOOLEAN = 0,
    PROPERTYLIST_INTEGER = 1,
    PROPERTYLIST_REAL = 2,
    PROPERTYLIST_STRING = 3,
    PROPERTYLIST_ARRAY = 4,
    PROPERTYLIST_DICTIONARY = 5,
    PROPERTYLIST_DATE = 6,
    PROPERTYLIST_DATA = 7,
    PROPERTYLIST_UID = 9
};

/* NULL on success, else the dynamic linker's message, valid until this thread's next call. */
const char *_Nullable propertylist_open(void);
/* NULL if libplist rejects the bytes. This and the calls below require that propertylist_open has returned NULL. */
propertylist_node_t _Nullable propertylist_parse(const char *_Nonnull bytes, uint32_t length, bool is_binary);
void propertylist_free(propertylist_node_t _Nonnull node);
int propertylist_kind(propertylist_node_t _Nonnull node);
bool propertylist_bool(propertylist_node_t _Nonnull node);
int64_t propertylist_integer(propertylist_node_t _Nonnull node);
double propertylist_real(propertylist_node_t _Nonnull node);
/* Valid as long as the node. */
const char *_Nullable propertylist_string(propertylist_node_t _Nonnull node, uint64_t *_Nonnull length);
uint32_t propertylist_count(propertylist_node_t _Nonnull array);
propertylist_node_t _Nullable propertylist_element(propertylist_node_t _Nonnull array, uint32_t index);
/* Call `each` with every key and value of a dictionary; false without memory. */
bool propertylist_members(
    propertylist_node_t _Nonnull dictionary, void *_Nullable context,
    void (*_Nonnull each)(void *_Nullable context, const char *_Nonnull key, size_t length, propertylist_node_t _Nonnull value));

#endif
