#include "names.h"

bool file_has(const char *path, const char *text) {
    size_t length = 0;
    uint8_t *bytes = read_whole(path, &length);
    bool found = false;
    for (size_t i = 0; !found && i + strlen(text) <= length; i++) found = memcmp(bytes + i, text, strlen(text)) == 0;
    free(bytes);
    return found;
}

void rename_ann(const office *o, mam_t *m, const char *upn) {
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN_ID "\",\"upn\":\"%s\"}", upn);
    int code = check_in(m, ANN_ID);
    CHECK(code == 100 || code == 101);
}

const char *new_path(const office *o) {
    static char paths[8][PATH_SIZE];
    static int next;
    char *path = paths[++next % 8];
    snprintf(path, PATH_SIZE, "%s/file%d", o->root, next);
    return path;
}

const char *secret_file(const office *o, mam_t *m, bool is_hers) {
    const char *path = new_path(o);
    write_whole(path, SECRET, strlen(SECRET));
    if (is_hers) OK(mam_file_encrypt(m, path, ANN_ID));
    return path;
}
