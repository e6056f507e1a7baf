#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

// What of posix_spawn hides behind _GNU_SOURCE, where Swift's Glibc module does not see it.

/// Starts a program in a process group of its own, with three streams and no other descriptor, and as from a shell: what
/// the caller's thread blocks or ignores is not inherited.
///
/// arguments begins with the program's name and ends with NULL; streams are standard input, output and error; folder is
/// where it runs, NULL for the caller's own. Returns 0 and sets pid, or the number of an error.
int cspawn(pid_t *pid, const char *program, char *const *arguments, const int *streams, const char *folder);

#endif
