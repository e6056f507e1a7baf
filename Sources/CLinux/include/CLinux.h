#ifndef CLINUX_H
#define CLINUX_H

// Linux calls that Swift's Glibc module lacks or cannot import: variadic functions, function-like macros and what
// hides behind _GNU_SOURCE. No logic. All descriptors come back close-on-exec.

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

// MARK: - epoll

/// An epoll descriptor, or -1 with errno.
int clinux_epoll_create(void);
/// Adds, changes or removes a descriptor. Returns 0, or -1 with errno.
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data);
int clinux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t data);
int clinux_epoll_remove(int epoll, int descriptor);
/// epoll_wait without waiting, repeated after EINTR.
int clinux_epoll_poll(int epoll, struct epoll_event *events, int capacity);

// MARK: - Sockets

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC. Returns the descriptor, or -1 with errno.
int clinux_accept(int listener, struct sockaddr_storage *peer, socklen_t *length);
/// A new socket with SOCK_NONBLOCK and SOCK_CLOEXEC (SOCK_STREAM), or -1 with errno.
int clinux_stream_socket(int family);
/// Sends two pieces in one sendmsg with MSG_NOSIGNAL; either may be empty. Returns the bytes taken, or -1 with errno.
ssize_t clinux_send2(int socket, const void *first, size_t first_count, const void *second, size_t second_count);
/// recv, repeated after EINTR.
ssize_t clinux_receive(int socket, void *buffer, size_t count);
/// Sets an integer option. Returns 0, or -1 with errno.
int clinux_set_option(int socket, int level, int option, int value);
/// Sets O_NONBLOCK and FD_CLOEXEC. Returns 0, or -1 with errno.
int clinux_set_nonblocking(int descriptor);
/// The numeric text of an IPv4 or IPv6 address, without port, into at least 64 bytes; "unix" for any other family.
void clinux_address_text(const struct sockaddr_storage *address, char *text, size_t capacity);
/// The port of an IPv4 or IPv6 address, else 0.
uint16_t clinux_address_port(const struct sockaddr_storage *address);
/// Fills in a Unix-domain address. Returns its length, or 0 when the path is too long or empty.
socklen_t clinux_unix_address(struct sockaddr_un *address, const char *path);
/// A new Unix-domain datagram socket with SOCK_CLOEXEC, or -1 with errno.
int clinux_datagram_socket(void);
/// Sends one datagram to a Unix-domain socket without waiting; "@" begins an abstract name. Returns 0, or -1 with errno.
int clinux_send_datagram_from(int socket, const char *path, const void *bytes, size_t count);
/// The same from a socket that is made for it.
int clinux_send_datagram(const char *path, const void *bytes, size_t count);

// MARK: - The loop that the current thread runs

extern _Thread_local void *clinux_current_loop_storage;

static inline void *clinux_current_loop(void) { return clinux_current_loop_storage; }
static inline void clinux_set_current_loop(void *loop) { clinux_current_loop_storage = loop; }

// MARK: - Terminals

/// The columns of a terminal, or 0 when the descriptor is none; 80 for one that does not know.
int clinux_terminal_columns(int descriptor);

// MARK: - Time

/// CLOCK_REALTIME in whole seconds since 1970.
int64_t clinux_unix_seconds(void);
/// CLOCK_MONOTONIC in microseconds.
uint64_t clinux_monotonic_microseconds(void);

#endif
