#include "CCrypto.h"
#include "CLibraryLoader.h"
#include <limits.h>
#include <pthread.h>
#include <string.h>

// As OpenSSL 1.1 and 3 declare them, whose headers need not be installed to build this.
// https://docs.openssl.org/3.0/man3/EVP_DigestSignInit/
static struct {
    void *(*BIO_new_mem_buf)(const void *bytes, int length);
    int (*BIO_free)(void *bio);
    void *(*PEM_read_bio_PrivateKey)(void *bio, void **key, int (*password)(char *, int, int, void *), void *context);
    void (*EVP_PKEY_free)(void *key);
    void *(*EVP_PKEY_get1_RSA)(void *key);
    void (*RSA_free)(void *rsa);
    void *(*EVP_PKEY_get1_EC_KEY)(void *key);
    const void *(*EC_KEY_get0_group)(const void *key);
    int (*EC_GROUP_get_curve_name)(const void *group);
    void (*EC_KEY_free)(void *key);
    void *(*EVP_MD_CTX_new)(void);
    void (*EVP_MD_CTX_free)(void *context);
    const void *(*EVP_sha256)(void);
    int (*EVP_DigestSignInit)(void *context, void **settings, const void *digest, void *engine, void *key);
    int (*EVP_DigestSign)(void *context, unsigned char *out, size_t *length, const unsigned char *text, size_t count);
    void *(*d2i_ECDSA_SIG)(void **signature, const unsigned char **bytes, long length);
    void (*ECDSA_SIG_get0)(const void *signature, const void **r, const void **s);
    void (*ECDSA_SIG_free)(void *signature);
    int (*BN_bn2binpad)(const void *number, unsigned char *out, int length);
    void (*ERR_clear_error)(void);
} crypto;

static int is_loaded;

static void load(void) {
#define ENTRY(name) {#name, (void **)&crypto.name, 0}
    static const struct library_function functions[] = {
        ENTRY(BIO_new_mem_buf), ENTRY(BIO_free), ENTRY(PEM_read_bio_PrivateKey), ENTRY(EVP_PKEY_free),
        ENTRY(EVP_PKEY_get1_RSA), ENTRY(RSA_free), ENTRY(EVP_PKEY_get1_EC_KEY), ENTRY(EC_KEY_get0_group),
        ENTRY(EC_GROUP_get_curve_name), ENTRY(EC_KEY_free), ENTRY(EVP_MD_CTX_new), ENTRY(EVP_MD_CTX_free),
        ENTRY(EVP_sha256), ENTRY(EVP_DigestSignInit), ENTRY(EVP_DigestSign), ENTRY(d2i_ECDSA_SIG),
        ENTRY(ECDSA_SIG_get0), ENTRY(ECDSA_SIG_free), ENTRY(BN_bn2binpad), ENTRY(ERR_clear_error),
    };
    // Debian 11 has the older one.
    const char *files[] = {LIBRARY_FILE("crypto", "3"), LIBRARY_FILE("crypto", "1.1")};
    for (size_t i = 0; i < sizeof files / sizeof *files && !is_loaded; i++) {
        is_loaded = library_load(files[i], functions, sizeof functions / sizeof *functions) == NULL;
    }
}

// Or a key with a password would ask at the terminal for it.
static int no_password(char *buffer, int size, int is_for_writing, void *context) {
    (void)buffer, (void)size, (void)is_for_writing, (void)context;
    return 0;
}

static int is_rsa(void *key) {
    void *rsa = crypto.EVP_PKEY_get1_RSA(key);
    if (rsa != NULL) crypto.RSA_free(rsa);
    return rsa != NULL;
}

static int is_p256(void *key) {
    enum { prime256v1 = 415 };
    void *own = crypto.EVP_PKEY_get1_EC_KEY(key);
    if (own == NULL) return 0;
    int curve = crypto.EC_GROUP_get_curve_name(crypto.EC_KEY_get0_group(own));
    crypto.EC_KEY_free(own);
    return curve == prime256v1;
}

// JWS has the numbers at their full width: https://www.rfc-editor.org/rfc/rfc7518#section-3.4
static enum crypto_result split(const unsigned char *der, size_t der_length, unsigned char *out, size_t *length) {
    if (*length < 64) return CRYPTO_FAILED;
    void *signature = crypto.d2i_ECDSA_SIG(NULL, &der, (long)der_length);
    if (signature == NULL) return CRYPTO_FAILED;
    const void *r, *s;
    crypto.ECDSA_SIG_get0(signature, &r, &s);
    int is_written = crypto.BN_bn2binpad(r, out, 32) == 32 && crypto.BN_bn2binpad(s, out + 32, 32) == 32;
    crypto.ECDSA_SIG_free(signature);
    *length = 64;
    return is_written ? CRYPTO_OK : CRYPTO_FAILED;
}

static enum crypto_result sign(
    void *key, enum crypto_algorithm algorithm, const unsigned char *text, size_t text_length, unsigned char *signature,
    size_t *length) {
    if (algorithm == CRYPTO_RSA ? !is_rsa(key) : !is_p256(key)) return CRYPTO_WRONG_KEY;
    void *context = crypto.EVP_MD_CTX_new();
    if (context == NULL) return CRYPTO_FAILED;
    // As long as that of an RSA key of 16,384 bits, OpenSSL's longest.
    unsigned char made[2048];
    size_t made_length = sizeof made;
    int is_made = crypto.EVP_DigestSignInit(context, NULL, crypto.EVP_sha256(), NULL, key) == 1
        && crypto.EVP_DigestSign(context, made, &made_length, text, text_length) == 1;
    crypto.EVP_MD_CTX_free(context);
    if (!is_made) return CRYPTO_FAILED;
    if (algorithm == CRYPTO_P256) return split(made, made_length, signature, length);
    if (*length < made_length) return CRYPTO_FAILED;
    memcpy(signature, made, made_length);
    *length = made_length;
    return CRYPTO_OK;
}

enum crypto_result crypto_sign(
    const char *pem, size_t pem_length, enum crypto_algorithm algorithm, const unsigned char *text, size_t text_length,
    unsigned char *signature, size_t *length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!is_loaded) return CRYPTO_NO_LIBRARY;
    if (pem_length > INT_MAX) return CRYPTO_NO_KEY;
    void *bio = crypto.BIO_new_mem_buf(pem, (int)pem_length);
    if (bio == NULL) return CRYPTO_FAILED;
    void *key = crypto.PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
    crypto.BIO_free(bio);
    enum crypto_result result =
        key == NULL ? CRYPTO_NO_KEY : sign(key, algorithm, text, text_length, signature, length);
    if (key != NULL) crypto.EVP_PKEY_free(key);
    // Or libcurl, on the same thread, would take it for an error of its own.
    crypto.ERR_clear_error();
    return result;
}
