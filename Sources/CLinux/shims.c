#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(void *) == 8, "64-bit only");
_Static_assert(sizeof(struct sockaddr_storage) >= sizeof(struct sockaddr_in6), "room for every address");

// EpollInterest and EpollEvents of the EventLoop target spell these out.
_Static_assert(EPOLLIN == 0x001 && EPOLLOUT == 0x004, "readable and writable");
_Static_assert(EPOLLERR == 0x008 && EPOLLHUP == 0x010 && EPOLLRDHUP == 0x2000, "error, hang-up and peer closed");

_Thread_local void *clinux_current_loop_storage = NULL;

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data = {.u64 = data}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data) {
    return control(epoll, EPOLL_CTL_ADD, descriptor, events, data);
}

int clinux_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t data) {
    return control(epoll, EPOLL_CTL_MOD, descriptor, events, data);
}

int clinux_epoll_remove(int epoll, int descriptor) { return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0); }

int clinux_epoll_poll(int epoll, struct epoll_event *events, int capacity) {
    int count;
    do {
        count = epoll_wait(epoll, events, capacity, 0);
    } while (count < 0 && errno == EINTR);
    return count;
}

int clinux_accept(int listener, struct sockaddr_storage *peer, socklen_t *length) {
    int descriptor;
    do {
        *length = sizeof *peer;
        descriptor = accept4(listener, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

int clinux_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

ssize_t clinux_send2(int socket, const void *first, size_t first_count, const void *second, size_t second_count) {
    struct iovec parts[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = second_count > 0 ? 2 : 1};
    if (first_count == 0 && second_count > 0) {
        message.msg_iov = parts + 1;
        message.msg_iovlen = 1;
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t clinux_receive(int socket, void *buffer, size_t count) {
    ssize_t received;
    do {
        received = recv(socket, buffer, count, 0);
    } while (received < 0 && errno == EINTR);
    return received;
}

int clinux_set_option(int socket, int level, int option, int value) {
    return setsockopt(socket, level, option, &value, sizeof value);
}

void clinux_address_text(const struct sockaddr_storage *address, char *text, size_t capacity) {
    const void *bytes = NULL;
    int family = address->ss_family;
    if (family == AF_INET) {
        bytes = &((const struct sockaddr_in *)address)->sin_addr;
    } else if (family == AF_INET6) {
        const struct in6_addr *wide = &((const struct sockaddr_in6 *)address)->sin6_addr;
        bytes = wide;
        if (IN6_IS_ADDR_V4MAPPED(wide)) {
            family = AF_INET;
            bytes = wide->s6_addr + 12;
        }
    }
    if (bytes == NULL || inet_ntop(family, bytes, text, (socklen_t)capacity) == NULL) {
        strncpy(text, "unix", capacity);
    }
}

uint16_t clinux_address_port(const struct sockaddr_storage *address) {
    if (address->ss_family == AF_INET) return ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (address->ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return 0;
}

socklen_t clinux_unix_address(struct sockaddr_un *address, const char *path) {
    size_t count = strlen(path);
    if (count == 0 || count >= sizeof address->sun_path) return 0;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, count);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + 1);
}

int clinux_datagram_socket(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

int clinux_send_datagram_from(int socket, const char *path, const void *bytes, size_t count) {
    struct sockaddr_un address;
    socklen_t length = clinux_unix_address(&address, path);
    if (length == 0) {
        errno = EINVAL;
        return -1;
    }
    if (path[0] == '@') {
        // Its length ends an abstract name, not a NUL.
        address.sun_path[0] = 0;
        length -= 1;
    }
    ssize_t sent;
    do {
        sent = sendto(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, length);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

int clinux_send_datagram(const char *path, const void *bytes, size_t count) {
    int descriptor = clinux_datagram_socket();
    if (descriptor < 0) return -1;
    int result = clinux_send_datagram_from(descriptor, path, bytes, count);
    int error = errno;
    close(descriptor);
    errno = error;
    return result;
}

int clinux_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ? -1 : 0;
}

int clinux_terminal_columns(int descriptor) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col > 0 ? size.ws_col : 80;
}

int64_t clinux_unix_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec;
}

uint64_t clinux_monotonic_microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}
