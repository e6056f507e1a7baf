#ifndef SPEECHGATE_COPENSSL_SHIMS_H
#define SPEECHGATE_COPENSSL_SHIMS_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

// The digests, fetched once by their users: EVP_sha256() would make every initialisation look its implementation up
// again, under a lock of libcrypto.

static inline EVP_MD *sg_fetch_sha256(void) {
    return EVP_MD_fetch(NULL, "SHA256", NULL);
}

static inline EVP_MD *sg_fetch_sha1(void) {
    return EVP_MD_fetch(NULL, "SHA1", NULL);
}

#endif
