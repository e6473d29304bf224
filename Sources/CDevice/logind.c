#define _GNU_SOURCE
#include "CDevice.h"
#include <dlfcn.h>
#include <errno.h>
#include <process_clock.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The used part of sd-bus, declared here so that building needs no header of it. */
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_error {
    const char *name, *message;
    int need_free;
} sd_bus_error;

static struct {
    int (*new)(sd_bus **);
    int (*set_address)(sd_bus *, const char *);
    int (*set_bus_client)(sd_bus *, int);
    int (*start)(sd_bus *);
    int (*is_ready)(sd_bus *);
    int (*process)(sd_bus *, sd_bus_message **);
    int (*wait)(sd_bus *, uint64_t);
    int (*message_new)(sd_bus *, sd_bus_message **, const char *, const char *, const char *, const char *);
    int (*append)(sd_bus_message *, const char *, ...);
    int (*read)(sd_bus_message *, const char *, ...);
    int (*enter)(sd_bus_message *, char, const char *);
    sd_bus_message *(*message_unref)(sd_bus_message *);
    int (*call)(sd_bus *, sd_bus_message *, uint64_t, sd_bus_error *, sd_bus_message **);
    void (*error_free)(sd_bus_error *);
    sd_bus *(*close_unref)(sd_bus *);
} bus;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const struct {
        void *pointer;
        const char *name;
    } functions[] = {
        {&bus.new, "sd_bus_new"},
        {&bus.set_address, "sd_bus_set_address"},
        {&bus.set_bus_client, "sd_bus_set_bus_client"},
        {&bus.start, "sd_bus_start"},
        {&bus.is_ready, "sd_bus_is_ready"},
        {&bus.process, "sd_bus_process"},
        {&bus.wait, "sd_bus_wait"},
        {&bus.message_new, "sd_bus_message_new_method_call"},
        {&bus.append, "sd_bus_message_append"},
        {&bus.read, "sd_bus_message_read"},
        {&bus.enter, "sd_bus_message_enter_container"},
        {&bus.message_unref, "sd_bus_message_unref"},
        {&bus.call, "sd_bus_call"},
        {&bus.error_free, "sd_bus_error_free"},
        {&bus.close_unref, "sd_bus_close_unref"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found) return;
        memcpy(functions[i].pointer, &found, sizeof found);
    }
    is_loaded = true;
}

static const char service[] = "org.freedesktop.login1", manager_path[] = "/org/freedesktop/login1",
                  manager[] = "org.freedesktop.login1.Manager", user[] = "org.freedesktop.login1.User",
                  session_of[] = "org.freedesktop.login1.Session", properties[] = "org.freedesktop.DBus.Properties";

enum { PATH_CAPACITY = 256 };

typedef struct conversation {
    sd_bus *bus;
    int64_t deadline;
    bool has_no_service; /* the latest call failed because logind is not on the bus */
    bool has_none;       /* in the latest call, logind replied that there is no such session or user */
} conversation_t;

/* The remaining microseconds, at least 1: 0 would mean sd-bus's default timeout. */
static uint64_t remaining_microseconds(const conversation_t *c) {
    int64_t milliseconds = c->deadline - process_clock_monotonic_ms();
    return milliseconds > 0 ? (uint64_t)milliseconds * 1000 : 1;
}

/* Connect to the system bus, step by step: sd_bus_open_system has no timeout. */
static int connect_bus(conversation_t *c) {
    const char *address = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");
    if (bus.new(&c->bus) < 0) return DEVICE_LOGIND_NO_BUS;
    if (bus.set_address(c->bus, address && *address ? address : "unix:path=/run/dbus/system_bus_socket") < 0
        || bus.set_bus_client(c->bus, 1) < 0 || bus.start(c->bus) < 0)
        return DEVICE_LOGIND_NO_BUS;
    for (;;) {
        int result = bus.is_ready(c->bus);
        if (result > 0) return DEVICE_LOGIND_OK;
        if (result < 0) return DEVICE_LOGIND_NO_BUS;
        if (process_clock_monotonic_ms() >= c->deadline) return DEVICE_LOGIND_NO_ANSWER;
        result = bus.process(c->bus, NULL);
        if (result < 0) return DEVICE_LOGIND_NO_BUS;
        if (result == 0 && bus.wait(c->bus, remaining_microseconds(c)) < 0) return DEVICE_LOGIND_NO_BUS;
    }
}

/* Send a call and wait for its reply; NULL for an error or without a reply. */
static sd_bus_message *send(conversation_t *c, sd_bus_message *call) {
    sd_bus_error error = {NULL, NULL, 0};
    sd_bus_message *reply = NULL;
    int result = bus.call(c->bus, call, remaining_microseconds(c), &error, &reply);
    const char *name = result < 0 && error.name ? error.name : "";
    c->has_none = strncmp(name, "org.freedesktop.login1.No", 25) == 0;
    c->has_no_service = strcmp(name, "org.freedesktop.DBus.Error.ServiceUnknown") == 0
        || strcmp(name, "org.freedesktop.DBus.Error.NameHasNoOwner") == 0
        || strncmp(name, "org.freedesktop.DBus.Error.Spawn.", 33) == 0;
    bus.error_free(&error);
    bus.message_unref(call);
    return result < 0 ? NULL : reply;
}

static sd_bus_message *call_with_number(conversation_t *c, const char *method, uint32_t number) {
    sd_bus_message *call = NULL;
    if (bus.message_new(c->bus, &call, service, manager_path, manager, method) < 0) return NULL;
    if (bus.append(call, "u", number) < 0) {
        bus.message_unref(call);
        return NULL;
    }
    return send(c, call);
}

static sd_bus_message *property(conversation_t *c, const char *path, const char *interface, const char *name) {
    sd_bus_message *call = NULL;
    if (bus.message_new(c->bus, &call, service, path, properties, "Get") < 0) return NULL;
    if (bus.append(call, "ss", interface, name) < 0) {
        bus.message_unref(call);
        return NULL;
    }
    return send(c, call);
}

static bool copy_path(const char *found, char *path) {
    if (!found || strlen(found) >= PATH_CAPACITY) return false;
    memcpy(path, found, strlen(found) + 1);
    return true;
}

/* Read the object path of a reply, and release the reply. */
static bool take_path(sd_bus_message *reply, char *path) {
    const char *found = NULL;
    bool is_good = reply && bus.read(reply, "o", &found) > 0 && copy_path(found, path);
    if (reply) bus.message_unref(reply);
    return is_good;
}

/* The display session of a user; its id is "" if there is none. */
static int display_of(conversation_t *c, const char *of_user, char *path) {
    const char *id = NULL, *found = NULL;
    sd_bus_message *reply = property(c, of_user, user, "Display");
    if (!reply) return DEVICE_LOGIND_NO_ANSWER;
    int result = DEVICE_LOGIND_NO_ANSWER;
    if (bus.enter(reply, 'v', "(so)") > 0 && bus.read(reply, "(so)", &id, &found) > 0 && id)
        result = !*id ? DEVICE_LOGIND_NO_SESSION : copy_path(found, path) ? DEVICE_LOGIND_OK : DEVICE_LOGIND_NO_ANSWER;
    bus.message_unref(reply);
    return result;
}

/* The session of the process, or else its user's display session (for a program started by `systemd --user`). */
static int find_session(conversation_t *c, char *path) {
    char of_user[PATH_CAPACITY];
    if (take_path(call_with_number(c, "GetSessionByPID", (uint32_t)getpid()), path)) return DEVICE_LOGIND_OK;
    if (c->has_no_service) return DEVICE_LOGIND_NO_BUS;
    if (!c->has_none) return DEVICE_LOGIND_NO_ANSWER;
    if (take_path(call_with_number(c, "GetUser", getuid()), of_user)) return display_of(c, of_user, path);
    return c->has_none ? DEVICE_LOGIND_NO_SESSION : DEVICE_LOGIND_NO_ANSWER;
}

static bool read_bool(conversation_t *c, const char *path, const char *name, int *value) {
    sd_bus_message *reply = property(c, path, session_of, name);
    if (!reply) return false;
    bool is_good = bus.read(reply, "v", "b", value) > 0;
    bus.message_unref(reply);
    return is_good;
}

static void read_string(conversation_t *c, const char *path, const char *name, char *word, size_t capacity) {
    const char *found = NULL;
    sd_bus_message *reply = property(c, path, session_of, name);
    if (!reply) return;
    if (bus.read(reply, "v", "s", &found) > 0 && found) {
        strncpy(word, found, capacity - 1);
        word[capacity - 1] = 0;
    }
    bus.message_unref(reply);
}

static int query(conversation_t *c, device_logind_t *session) {
    char path[PATH_CAPACITY];
    int result = connect_bus(c), value = 0;
    if (!result) result = find_session(c, path);
    if (result) return result;
    read_string(c, path, "Id", session->id, sizeof session->id);
    read_string(c, path, "Class", session->kind, sizeof session->kind);
    read_string(c, path, "Type", session->type, sizeof session->type);
    if (read_bool(c, path, "Remote", &value)) session->is_remote = value != 0;
    if (read_bool(c, path, "CanLock", &value)) session->can_lock = value != 0; /* systemd 256 and newer */
    if (!read_bool(c, path, "LockedHint", &value)) return DEVICE_LOGIND_NO_ANSWER;
    session->is_locked = value != 0;
    return DEVICE_LOGIND_OK;
}

int device_logind_query(int64_t milliseconds, device_logind_t *session) {
    *session = (device_logind_t){.can_lock = -1};
    pthread_once(&once, open_library);
    if (!is_loaded) return DEVICE_LOGIND_NO_LIBRARY;
    conversation_t c = {.deadline = process_clock_monotonic_ms() + milliseconds};
    int result = query(&c, session);
    if (c.bus) bus.close_unref(c.bus);
    return result;
}

/* Whether logind may run: where it does not, libsystemd is not loaded in vain. It makes this directory. */
static bool may_have_logind(void) {
    const char *address = secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");
    return (address && *address) || access("/run/systemd/seats", F_OK) == 0;
}

int device_logind_is_locked(int64_t milliseconds, bool *is_locked) {
    *is_locked = false;
    if (!may_have_logind()) return DEVICE_LOGIND_NO_BUS;
    pthread_once(&once, open_library);
    if (!is_loaded) return DEVICE_LOGIND_NO_LIBRARY;
    conversation_t c = {.deadline = process_clock_monotonic_ms() + milliseconds};
    char path[PATH_CAPACITY];
    int result = connect_bus(&c), value = 0;
    if (!result) result = find_session(&c, path);
    if (!result && !read_bool(&c, path, "LockedHint", &value)) result = DEVICE_LOGIND_NO_ANSWER;
    *is_locked = value != 0;
    if (c.bus) bus.close_unref(c.bus);
    return result;
}
