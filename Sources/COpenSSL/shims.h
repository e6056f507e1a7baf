#ifndef SPEECHGATE_COPENSSL_SHIMS_H
#define SPEECHGATE_COPENSSL_SHIMS_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

// The algorithms, fetched once by their users: EVP_sha256() would make every initialisation look its implementation up
// again, under a lock of libcrypto.

static inline EVP_MD *sg_fetch_sha256(void) {
    return EVP_MD_fetch(NULL, "SHA256", NULL);
}

static inline EVP_MD *sg_fetch_sha1(void) {
    return EVP_MD_fetch(NULL, "SHA1", NULL);
}

static inline EVP_MAC *sg_fetch_gmac(void) {
    return EVP_MAC_fetch(NULL, "GMAC", NULL);
}

// Parameter lists hold the addresses of their names, and Swift lends the address of a literal for one call only.

static inline int sg_gmac_set_key(EVP_MAC_CTX *context, const unsigned char *key, size_t key_size) {
    char cipher[] = "AES-128-GCM";
    unsigned char iv[12] = {0};
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, key_size, parameters);
}

// The same key for another message: the cipher is not looked up again, and the key schedule stays.
static inline int sg_gmac_restart(EVP_MAC_CTX *context) {
    unsigned char iv[12] = {0};
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, NULL, 0, parameters);
}

#endif
