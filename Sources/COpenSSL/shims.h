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

// AES-256-GCM of one message with 12 bytes of nonce and 16 of tag; 1 on success. A failed opening leaves no plaintext.

static inline int sg_aes_gcm_seal(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *aad, int aad_size,
    const unsigned char *plaintext, int size, unsigned char *ciphertext, unsigned char *tag
) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0;
    int is_done = context != NULL && EVP_EncryptInit_ex2(context, EVP_aes_256_gcm(), key, nonce, NULL) == 1
        && EVP_EncryptUpdate(context, NULL, &count, aad, aad_size) == 1
        && EVP_EncryptUpdate(context, ciphertext, &count, plaintext, size) == 1
        && EVP_EncryptFinal_ex(context, ciphertext + count, &count) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return is_done;
}

static inline int sg_aes_gcm_open(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *aad, int aad_size,
    const unsigned char *ciphertext, int size, unsigned char *plaintext, unsigned char *tag
) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0;
    int is_done = context != NULL && EVP_DecryptInit_ex2(context, EVP_aes_256_gcm(), key, nonce, NULL) == 1
        && EVP_DecryptUpdate(context, NULL, &count, aad, aad_size) == 1
        && EVP_DecryptUpdate(context, plaintext, &count, ciphertext, size) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
        && EVP_DecryptFinal_ex(context, plaintext + count, &count) == 1;
    EVP_CIPHER_CTX_free(context);
    if (!is_done) OPENSSL_cleanse(plaintext, (size_t)size);
    return is_done;
}

#endif
