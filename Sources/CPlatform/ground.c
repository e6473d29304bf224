#define _GNU_SOURCE
#include "platform_ground.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/* What is left of the way: the first component is taken off it, and a link's target is put before it. */
typedef struct way {
    char text[2 * PATH_MAX];
} way_t;

static bool put_before(way_t *way, const char *head, size_t length) {
    size_t rest = strlen(way->text);
    if (length + 1 + rest >= sizeof way->text) return false;
    memmove(way->text + length + 1, way->text, rest + 1);
    memcpy(way->text, head, length);
    way->text[length] = '/';
    return true;
}

/* The next component; false at the end. */
static bool take(way_t *way, char *name, bool *is_last) {
    const char *begin = way->text + strspn(way->text, "/");
    size_t length = strcspn(begin, "/");
    if (length == 0) return false;
    if (length > NAME_MAX) length = NAME_MAX + 1;
    memcpy(name, begin, length);
    name[length] = 0;
    const char *rest = begin + strcspn(begin, "/");
    *is_last = rest[strspn(rest, "/")] == 0;
    memmove(way->text, rest, strlen(rest) + 1);
    return true;
}

static bool is_trusted(uint32_t user, uint32_t owner) { return user == 0 || user == owner; }

static bool is_kept(const struct stat *directory, const struct stat *entry, uint32_t owner) {
    if (!is_trusted(directory->st_uid, owner)) return false;
    if (!(directory->st_mode & 022)) return true;
    return (directory->st_mode & S_ISVTX) && is_trusted(entry->st_uid, owner);
}

static int refuse(int directory, char *place, size_t capacity) {
    char link[64] = "/proc/self/fd/", digits[12];
    size_t count = 0;
    for (int rest = directory; count == 0 || rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    size_t end = strlen(link);
    while (count) link[end++] = digits[--count];
    link[end] = 0;
    ssize_t length = readlink(link, place, capacity - 1);
    place[length < 0 ? 0 : length] = 0;
    return EPERM;
}

static int walk(int *directory, way_t *way, uint32_t owner, struct stat *end, char *place, size_t capacity) {
    char name[NAME_MAX + 2], target[PATH_MAX];
    bool is_last;
    for (int links = 0; take(way, name, &is_last);) {
        struct stat here, entry;
        if (!strcmp(name, ".") && !is_last) continue;
        if (fstat(*directory, &here) || fstatat(*directory, name, &entry, AT_SYMLINK_NOFOLLOW)) return errno;
        /* Up is where the way has come down. */
        if (strcmp(name, "..") && !is_kept(&here, &entry, owner)) return refuse(*directory, place, capacity);
        if (S_ISLNK(entry.st_mode)) {
            if (++links > MOST_LINKS) return ELOOP;
            ssize_t length = readlinkat(*directory, name, target, sizeof target);
            if (length < 0) return errno;
            if ((size_t)length == sizeof target || !put_before(way, target, (size_t)length)) return ENAMETOOLONG;
            if (target[0] != '/') continue;
            memcpy(name, "/", 2);
        } else if (is_last) {
            *end = entry;
            return 0;
        }
        int next = openat(*directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0) return errno;
        close(*directory);
        *directory = next;
    }
    return EISDIR;
}

int platform_ground_of(const char *path, uint32_t owner, platform_file_facts_t *facts, char *place, size_t capacity) {
    way_t way;
    struct stat end;
    place[0] = 0;
    size_t length = strnlen(path, PATH_MAX);
    if (length == 0 || length >= PATH_MAX) return ENAMETOOLONG;
    memcpy(way.text, path, length + 1);
    if (path[0] != '/') {
        char current[PATH_MAX];
        if (!getcwd(current, sizeof current)) return errno;
        if (!put_before(&way, current, strlen(current))) return ENAMETOOLONG;
    }
    int directory = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return errno;
    int result = walk(&directory, &way, owner, &end, place, capacity);
    close(directory);
    if (!result) *facts = (platform_file_facts_t){end.st_uid, end.st_mode, end.st_size, end.st_dev, end.st_ino};
    return result;
}
