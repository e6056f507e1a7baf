#define _GNU_SOURCE
#include "CSpawn.h"

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <unistd.h>

static int set_actions(posix_spawn_file_actions_t *actions, const int *streams, const char *folder) {
    int error = 0;
    for (int number = 0; number < 3 && !error; number++)
        error = posix_spawn_file_actions_adddup2(actions, streams[number], number);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (!error && folder) error = posix_spawn_file_actions_addchdir_np(actions, folder);
    return error;
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, every;
    sigemptyset(&none);
    sigfillset(&every);
    int error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &every);
    return error;
}

int cspawn(pid_t *pid, const char *program, char *const *arguments, const int *streams, const char *folder) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = set_actions(&actions, streams, folder);
        if (!error) error = set_attributes(&attributes);
        if (!error) error = posix_spawn(pid, program, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
