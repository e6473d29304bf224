/* Runs the same memory image twice, as a virtual machine that is resumed twice from one snapshot: a tracer saves all
 * writable memory, the registers and the files of a stopped process, lets it run, restores everything and lets it run again.
 *  */
#ifndef TWICE_H
#define TWICE_H

#include "attack.h"
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

typedef struct twice_piece {
    struct twice_piece *next;
    unsigned long at;
    size_t length;
    unsigned char *bytes;
    char path[PATH_SIZE]; /* "" for memory */
} twice_piece;

typedef struct twice_image {
    twice_piece *memory, *files;
    unsigned char registers[2][4096];
    struct iovec sets[2];
} twice_image;

static const int twice_sets[] = {NT_PRSTATUS, NT_FPREGSET};

/* In the traced process: stops until the tracer continues it. */
static void twice_stop(void) { raise(SIGTRAP); }

static void twice_await(pid_t process) {
    int status;
    HOLDS(waitpid(process, &status, 0) == process);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip("the process that is traced cannot run here");
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) BREAKS("the traced process ends or stops with status %x", status);
}

static unsigned char *twice_read(const char *path, size_t *length) {
    struct stat s;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    HOLDS(file >= 0 && fstat(file, &s) == 0);
    unsigned char *bytes = malloc((size_t)s.st_size + 1);
    HOLDS(bytes != NULL && pread(file, bytes, (size_t)s.st_size, 0) == s.st_size);
    close(file);
    *length = (size_t)s.st_size;
    return bytes;
}

static void twice_write(const char *path, const unsigned char *bytes, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    HOLDS(file >= 0 && pwrite(file, bytes, length, 0) == (ssize_t)length && ftruncate(file, (off_t)length) == 0);
    close(file);
}

static void twice_free(twice_piece **list) {
    while (*list != NULL) {
        twice_piece *piece = *list;
        *list = piece->next;
        free(piece->bytes);
        free(piece);
    }
}

static void twice_keep_memory(twice_image *image, pid_t process) {
    char path[64], line[1024], rights[8];
    unsigned long begin, end;
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "re");
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    HOLDS(maps != NULL && memory >= 0);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || rights[1] != 'w') continue;
        twice_piece *piece = calloc(1, sizeof *piece);
        HOLDS(piece != NULL && (piece->bytes = malloc(end - begin)) != NULL);
        *piece = (twice_piece){.next = image->memory, .at = begin, .length = end - begin, .bytes = piece->bytes};
        /* The range after the end of a mapped file cannot be read. */
        ssize_t got = pread(memory, piece->bytes, piece->length, (off_t)begin);
        piece->length = got < 0 ? 0 : (size_t)got;
        image->memory = piece;
    }
    fclose(maps);
    close(memory);
}

/* Every file of a folder and below, and the open files of the process without a name. */
static void twice_each_file(const char *folder, void (*turn)(const char *path, void *user), void *user) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    if (directory == NULL) return;
    while ((entry = readdir(directory)) != NULL) {
        char path[PATH_SIZE], link[PATH_SIZE] = "";
        struct stat s;
        if (entry->d_name[0] == '.' && (!entry->d_name[1] || entry->d_name[1] == '.')) continue;
        HOLDS(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_SIZE);
        if (lstat(path, &s) != 0) continue;
        if (S_ISDIR(s.st_mode)) twice_each_file(path, turn, user);
        else if (S_ISREG(s.st_mode)) turn(path, user);
        else if (
            S_ISLNK(s.st_mode) && readlink(path, link, sizeof link - 1) > 0 && strstr(link, " (deleted)") != NULL
            && stat(path, &s) == 0 && S_ISREG(s.st_mode))
            turn(path, user);
    }
    closedir(directory);
}

static void twice_keep_file(const char *path, void *user) {
    twice_piece **list = user, *piece = calloc(1, sizeof *piece);
    HOLDS(piece != NULL);
    snprintf(piece->path, sizeof piece->path, "%s", path);
    piece->bytes = twice_read(path, &piece->length);
    piece->next = *list;
    *list = piece;
}

static const twice_piece *twice_find(const twice_piece *list, const char *path) {
    while (list != NULL && strcmp(list->path, path) != 0) list = list->next;
    return list;
}

static void twice_remove_new(const char *path, void *user) {
    if (twice_find(*(twice_piece **)user, path) == NULL) unlink(path);
}

/* The current files of a folder and those without a name. */
static twice_piece *twice_files(pid_t process, const char *folder) {
    twice_piece *files = NULL;
    char descriptors[64];
    snprintf(descriptors, sizeof descriptors, "/proc/%d/fd", process);
    twice_each_file(folder, twice_keep_file, &files);
    twice_each_file(descriptors, twice_keep_file, &files);
    return files;
}

static void twice_keep(twice_image *image, pid_t process, const char *folder) {
    twice_keep_memory(image, process);
    for (int i = 0; i < 2; i++) {
        image->sets[i] = (struct iovec){image->registers[i], sizeof image->registers[i]};
        HOLDS(ptrace(PTRACE_GETREGSET, process, twice_sets[i], &image->sets[i]) == 0);
    }
    image->files = twice_files(process, folder);
}

static void twice_restore(twice_image *image, pid_t process, const char *folder) {
    char path[64];
    twice_each_file(folder, twice_remove_new, &image->files);
    for (const twice_piece *p = image->files; p != NULL; p = p->next) twice_write(p->path, p->bytes, p->length);
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    int memory = open(path, O_WRONLY | O_CLOEXEC);
    HOLDS(memory >= 0);
    for (const twice_piece *p = image->memory; p != NULL; p = p->next)
        if (pwrite(memory, p->bytes, p->length, (off_t)p->at) != (ssize_t)p->length)
            fprintf(stderr, "memory at %lx is gone\n", p->at);
    close(memory);
    for (int i = 0; i < 2; i++) HOLDS(ptrace(PTRACE_SETREGSET, process, twice_sets[i], &image->sets[i]) == 0);
}

/* Starts `run` in a process that stops twice, before and after it writes; `first` and `second` get the files after each of
 * its two runs, `before` those at the time of the snapshot. */
static void twice_run(
    void (*run)(void *), void *user, const char *folder, twice_piece **before, twice_piece **first, twice_piece **second) {
    static twice_image image;
    pid_t process = fork();
    HOLDS(process >= 0);
    if (process == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) skip("this process may not be traced");
        run(user);
        _exit(0);
    }
    twice_await(process);
    twice_keep(&image, process, folder);
    *before = image.files;
    for (int turn = 0; turn < 2; turn++) {
        HOLDS(ptrace(PTRACE_CONT, process, 0, 0) == 0);
        twice_await(process);
        *(turn == 0 ? first : second) = twice_files(process, folder);
        if (turn == 0) twice_restore(&image, process, folder);
    }
    twice_free(&image.memory);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

#endif
