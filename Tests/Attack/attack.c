#include "attack.h"

#include <ftw.h>
#include <stdarg.h>

void broken_at(const char *file, int line, const char *format, ...) {
    va_list arguments;
    char text[1024];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: %s (last message: \"%s\")\n", file, line, text, mam_last_message());
    _exit(BROKEN);
}

void ok_at(const char *file, int line, const char *call, mam_status status) {
    if (status != MAM_OK) broken_at(file, line, "%s fails with %s", call, mam_status_name(status));
}

void skip(const char *why) {
    puts(why);
    fflush(stdout);
    _exit(SKIPPED);
}

long scale(long small, long whole) {
    const char *given = getenv("ATTACK_SCALE");
    return given != NULL && strcmp(given, "whole") == 0 ? whole : small;
}

void admin(const office *o, const char *request_json) {
    char *reply = NULL;
    mam_status status = mam_admin(o->authority, request_json, &reply);
    if (status != MAM_OK) BREAKS("mam_admin %s fails with %s", request_json, mam_status_name(status));
    mam_free(reply);
}

void office_make(office *o) {
    const char *parent = getenv("TMPDIR");
    snprintf(o->folder, sizeof o->folder, "%s/attack-XXXXXX", parent != NULL ? parent : "/tmp");
    HOLDS(mkdtemp(o->folder) != NULL);
    HOLDS(snprintf(o->authority, sizeof o->authority, "%s/authority.db", o->folder) < PATH_SIZE);
    HOLDS(snprintf(o->state, sizeof o->state, "%s/state", o->folder) < PATH_SIZE);
    admin(o, "{\"action\":\"authority.create\",\"name\":\"Contoso\",\"tenantId\":\"contoso\"}");
    admin(o, "{\"action\":\"user.add\",\"upn\":\"" ANN "\",\"accountId\":\"" ANN_ID "\"}");
    admin(o, "{\"action\":\"user.add\",\"upn\":\"" BOB "\",\"accountId\":\"" BOB_ID "\"}");
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"strict\",\"displayName\":\"Strict\",\"appDataEncryptionType\":\"whenDeviceLocked\","
        "\"printBlocked\":true}}");
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"strict\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"strict\",\"allApps\":true}");
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    return remove(path);
}

void office_remove(const office *o) { nftw(o->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

void settings_of(const office *o, const char *more, char settings[SETTINGS_SIZE]) {
    int length = snprintf(
        settings, SETTINGS_SIZE,
        "{\"app\":{\"id\":\"" APP "\",\"version\":\"1.0\",\"group\":\"com.example\"},\"stateDirectory\":\"%s\","
        "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"},\"settings\":{\"MultiManagedIdentities\":true}%s%s}",
        o->state, o->authority, *more ? "," : ",\"worker\":false", more);
    HOLDS(length > 0 && length < SETTINGS_SIZE);
}

mam_t *session_of(const office *o, const char *more) {
    char settings[SETTINGS_SIZE];
    mam_t *m = NULL;
    settings_of(o, more, settings);
    OK(mam_open(settings, &m));
    return m;
}

int finish(mam_t *m, int64_t op) {
    char *json = NULL;
    OK(mam_wait(m, op, -1, &json));
    const char *code = strstr(json, "\"code\":");
    int number = code != NULL ? atoi(code + 7) : -1;
    mam_free(json);
    return number;
}

void enroll(mam_t *m, const char *upn) {
    char account[256];
    int64_t op;
    snprintf(account, sizeof account, "{\"upn\":\"%s\"}", upn);
    OK(mam_register_and_enroll(m, account, &op));
    int code = finish(m, op);
    if (code != 100 && code != 208) BREAKS("%s is not enrolled: %d", upn, code);
}
