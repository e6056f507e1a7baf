// libcurl for Swift. The setters and getters of libcurl are variadic, which Swift cannot call, so each type of argument
// gets one typed wrapper; sockets are opened and looked at here because their flags and addresses are Linux's. OpenSSL's
// libssl is what this libcurl speaks TLS with: it is asked and told what libcurl does not offer.

#ifndef SPEECHGATE_CCURL_SHIMS_H
#define SPEECHGATE_CCURL_SHIMS_H

#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

// Options of an easy handle.

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the text.
static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl keeps the pointer only.
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_open_socket_callback(CURL *handle, curl_opensocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_close_socket_callback(CURL *handle, curl_closesocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_tls_context_callback(CURL *handle, curl_ssl_ctx_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
}

// What an easy handle knows about its connection.

static inline curl_socket_t ccurl_active_socket(CURL *handle) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

// Options of a multi handle.

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *_Nullable value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode ccurl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback callback) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

// Puts a kind of data into a share.
static inline CURLSHcode ccurl_share(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

// The result of a finished transfer: the member is one of a union.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// The bundle of certificate authorities that this libcurl was built for, or NULL.
static inline const char *_Nullable ccurl_default_authority_file(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

// libcurl's own call of socket() does not set the close-on-exec flag.
static inline curl_socket_t ccurl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static inline bool ccurl_is_loopback(const struct curl_sockaddr *address) {
    if (address->family == AF_INET) {
        struct sockaddr_in ipv4;
        memcpy(&ipv4, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof ipv4);
        return (ntohl(ipv4.sin_addr.s_addr) >> 24) == 127;
    }
    if (address->family == AF_INET6) {
        // The address is the head of a larger buffer of libcurl's, which `addrlen` measures.
        struct sockaddr_in6 ipv6;
        if (address->addrlen < sizeof ipv6) return false;
        memcpy(&ipv6, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof ipv6);
        return IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr);
    }
    return false;
}

// Whether an IPv4 address, in the machine's byte order, belongs to the public Internet: outside of the blocks that
// the IANA registry of special-purpose addresses (RFC 6890) does not call globally reachable, and no multicast.
static inline bool ccurl_is_public_ipv4(uint32_t address) {
    static const struct { uint32_t network; int bits; } special[] = {
        {0x00000000, 8},   // this network
        {0x0A000000, 8},   // private
        {0x64400000, 10},  // shared by carriers
        {0x7F000000, 8},   // loopback
        {0xA9FE0000, 16},  // link-local, with the metadata services of clouds
        {0xAC100000, 12},  // private
        {0xC0000000, 24},  // protocol assignments
        {0xC0000200, 24},  // documentation
        {0xC0586300, 24},  // 6to4 relays
        {0xC0A80000, 16},  // private
        {0xC6120000, 15},  // benchmarks
        {0xC6336400, 24},  // documentation
        {0xCB007100, 24},  // documentation
        {0xE0000000, 3},   // multicast, reserved, broadcast
    };
    for (size_t index = 0; index < sizeof special / sizeof special[0]; index++) {
        if ((address ^ special[index].network) >> (32 - special[index].bits) == 0) return false;
    }
    return true;
}

// Whether an address belongs to the public Internet. Of IPv6 that is 2000::/3 without documentation and without
// what leads to IPv4 addresses by a way of its own (Teredo, 6to4); NAT64 and mapped addresses lie outside of it.
static inline bool ccurl_is_public(const struct curl_sockaddr *address) {
    if (address->family == AF_INET) {
        struct sockaddr_in ipv4;
        memcpy(&ipv4, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof ipv4);
        return ccurl_is_public_ipv4(ntohl(ipv4.sin_addr.s_addr));
    }
    if (address->family == AF_INET6) {
        struct sockaddr_in6 ipv6;
        if (address->addrlen < sizeof ipv6) return false;
        memcpy(&ipv6, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof ipv6);
        const uint8_t *bytes = ipv6.sin6_addr.s6_addr;
        if (bytes[0] >> 5 != 1) return false;
        if (bytes[0] == 0x20 && bytes[1] == 0x02) return false;
        // 2001::/23 are protocol assignments, 2001:db8::/32 is documentation.
        if (bytes[0] == 0x20 && bytes[1] == 0x01 && (bytes[2] < 2 || (bytes[2] == 0x0D && bytes[3] == 0xB8))) return false;
        return true;
    }
    return false;
}

// Lets a connection end with a reset when it is closed, and so without what TLS would say.
static inline void ccurl_reset_at_close(curl_socket_t socket) {
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

// Whether a connection is open and has nothing to read.
static inline bool ccurl_is_quiet(curl_socket_t socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// MARK: TLS

// Whether libcurl speaks TLS with OpenSSL, so that its pointers are what the functions below take them for.
static inline bool ccurl_uses_openssl(void) {
    const char *name = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return name && strncmp(name, "OpenSSL/", 8) == 0;
}

// Of <openssl/ssl.h>, which this header does not include: it would draw a quarter of libc's declarations into this module.
typedef struct ssl_st SSL;
int SSL_has_pending(const SSL *session);
int SSL_get_shutdown(const SSL *session);
typedef struct ssl_ctx_st SSL_CTX;
long SSL_CTX_ctrl(SSL_CTX *context, int command, long number, void *_Nullable pointer);
uint64_t SSL_CTX_set_options(SSL_CTX *context, uint64_t options);
uint64_t SSL_CTX_clear_options(SSL_CTX *context, uint64_t options);
static const uint64_t ccurl_tls_no_renegotiation = 1ULL << 30, ccurl_tls_ignore_unexpected_end = 1ULL << 7;
enum { ccurl_tls_received_shutdown = 2, ccurl_tls_mode = 33, ccurl_tls_partial_write = 1, ccurl_tls_moving_buffer = 2 };

static inline SSL *_Nullable ccurl_tls_session(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return NULL;
    if (!session || session->backend != CURLSSLBACKEND_OPENSSL) return NULL;
    return (SSL *)session->internals;
}

// Whether a handle's connection holds bytes that were decrypted, or taken from the socket, and not read.
static inline bool ccurl_tls_has_unread(CURL *handle) {
    SSL *session = ccurl_tls_session(handle);
    return session && SSL_has_pending(session) == 1;
}

// Whether the other side of a handle's connection has said that it ends (close_notify). libcurl does not care.
static inline bool ccurl_tls_has_ended(CURL *handle) {
    SSL *session = ccurl_tls_session(handle);
    return session && (SSL_get_shutdown(session) & ccurl_tls_received_shutdown) != 0;
}

// Lets a write be tried again with other memory and go out in part: without it OpenSSL wants the very same memory again.
// Refuses to renegotiate, because a write would then wait for something to read. And takes no cut connection for an end,
// whatever the machine's configuration of OpenSSL says.
static inline void ccurl_tls_prepare(void *context) {
    SSL_CTX_ctrl((SSL_CTX *)context, ccurl_tls_mode, ccurl_tls_partial_write | ccurl_tls_moving_buffer, NULL);
    SSL_CTX_set_options((SSL_CTX *)context, ccurl_tls_no_renegotiation);
    SSL_CTX_clear_options((SSL_CTX *)context, ccurl_tls_ignore_unexpected_end);
}

#endif
