/* turns ROUNDS OURS… -- PEER…: run two programs in turn, their output discarded, and print how long each took from its start
 * to its end. */
#include "common.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static double taken(char **command) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    if (posix_spawn_file_actions_init(&actions) != 0
        || posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) != 0)
        exit(1);
    double begin = now_ns();
    if (posix_spawnp(&child, command[0], &actions, NULL, command, environ) != 0 || waitpid(child, &status, 0) != child) {
        perror(command[0]);
        exit(1);
    }
    double end = now_ns();
    posix_spawn_file_actions_destroy(&actions);
    if (status == 0) return end - begin;
    fprintf(stderr, "%s: status %d\n", command[0], status);
    exit(1);
}

int main(int count, char **word) {
    char **ours = word + 2, **peer = ours;
    while (peer < word + count && strcmp(*peer, "--") != 0) peer++;
    if (count < 5 || peer + 1 >= word + count) return 2;
    *peer++ = NULL;
    for (int round = -2, rounds = atoi(word[1]); round < rounds; round++) { /* the first two warm up */
        double first = taken(ours), second = taken(peer);
        if (round >= 0) row("turn", first, second);
    }
    return 0;
}
