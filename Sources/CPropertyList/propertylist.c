#define _GNU_SOURCE
#include "CPropertyList.h"
#include <dlfcn.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The prototypes are declared here so that building needs no development package. plist_from_xml and plist_from_bin
 * return void in one release and an int in the next, which a caller may ignore. */
typedef struct functions {
    void (*from_xml)(const char *, uint32_t, propertylist_node_t *);
    void (*from_bin)(const char *, uint32_t, propertylist_node_t *);
    void (*free)(propertylist_node_t);
    int (*get_node_type)(propertylist_node_t);
    void (*get_bool_val)(propertylist_node_t, uint8_t *);
    void (*get_uint_val)(propertylist_node_t, uint64_t *);
    void (*get_real_val)(propertylist_node_t, double *);
    const char *(*get_string_ptr)(propertylist_node_t, uint64_t *);
    uint32_t (*array_get_size)(propertylist_node_t);
    propertylist_node_t (*array_get_item)(propertylist_node_t, uint32_t);
    void (*dict_new_iter)(propertylist_node_t, void **);
    void (*dict_next_item)(propertylist_node_t, void *, char **, propertylist_node_t *);
} functions;

static const char *const names[] = {
    "plist_from_xml",       "plist_from_bin",       "plist_free",          "plist_get_node_type",
    "plist_get_bool_val",   "plist_get_uint_val",   "plist_get_real_val",  "plist_get_string_ptr",
    "plist_array_get_size", "plist_array_get_item", "plist_dict_new_iter", "plist_dict_next_item",
};
_Static_assert(sizeof names / sizeof *names == sizeof(functions) / sizeof(void *), "a name for each function");

static _Atomic(functions *) opened;

const char *propertylist_open(void) {
    static const char *const sonames[] = {"libplist-2.0.so.4", "libplist-2.0.so.3"};
    if (atomic_load(&opened)) return NULL;
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof sonames / sizeof *sonames; i++)
        library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return dlerror();
    void **table = calloc(sizeof names / sizeof *names, sizeof *table);
    if (!table) return "no memory";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        table[i] = dlsym(library, names[i]);
        if (table[i]) continue;
        free(table);
        return dlerror();
    }
    /* Two concurrent calls find the same functions: the second one keeps the first one's table. */
    functions *none = NULL;
    if (!atomic_compare_exchange_strong(&opened, &none, (functions *)table)) free(table);
    return NULL;
}

static functions *libplist(void) { return atomic_load(&opened); }

propertylist_node_t propertylist_parse(const char *bytes, uint32_t length, bool is_binary) {
    propertylist_node_t node = NULL;
    /* libplist parses reals in the thread's locale. */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return NULL;
    locale_t before = uselocale(c);
    (is_binary ? libplist()->from_bin : libplist()->from_xml)(bytes, length, &node);
    uselocale(before);
    freelocale(c);
    return node;
}

void propertylist_free(propertylist_node_t node) { libplist()->free(node); }
int propertylist_kind(propertylist_node_t node) { return libplist()->get_node_type(node); }

bool propertylist_bool(propertylist_node_t node) {
    uint8_t value = 0;
    libplist()->get_bool_val(node, &value);
    return value != 0;
}

int64_t propertylist_integer(propertylist_node_t node) {
    uint64_t value = 0;
    libplist()->get_uint_val(node, &value);
    return (int64_t)value;
}

double propertylist_real(propertylist_node_t node) {
    double value = 0;
    libplist()->get_real_val(node, &value);
    return value;
}

const char *propertylist_string(propertylist_node_t node, uint64_t *length) {
    *length = 0;
    return libplist()->get_string_ptr(node, length);
}

uint32_t propertylist_count(propertylist_node_t array) { return libplist()->array_get_size(array); }

propertylist_node_t propertylist_element(propertylist_node_t array, uint32_t index) {
    return libplist()->array_get_item(array, index);
}

bool propertylist_members(
    propertylist_node_t dictionary, void *context,
    void (*each)(void *context, const char *key, size_t length, propertylist_node_t value)) {
    void *iterator = NULL;
    libplist()->dict_new_iter(dictionary, &iterator);
    if (!iterator) return false;
    for (;;) {
        char *key = NULL;
        propertylist_node_t value = NULL;
        libplist()->dict_next_item(dictionary, iterator, &key, &value);
        if (key && value) each(context, key, strlen(key), value);
        bool more = key && value;
        free(key);
        if (!more) break;
    }
    free(iterator);
    return true;
}
