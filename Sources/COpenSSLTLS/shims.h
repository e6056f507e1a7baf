#ifndef SPEECHGATE_COPENSSLTLS_SHIMS_H
#define SPEECHGATE_COPENSSLTLS_SHIMS_H

// libssl, for the platform simulator only: the gateway speaks TLS through libcurl.
#include <openssl/ssl.h>

// A macro, which Swift does not import.
static inline int sg_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

#endif
