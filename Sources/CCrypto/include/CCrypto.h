#pragma once
#include <stddef.h>

// OpenSSL's libcrypto, which libcurl stands on. It is opened when something is to be signed with a private key, and
// gets its security fixes with the system's updates.

enum crypto_result {
    CRYPTO_OK,
    /// The library is not there, or lacks a function.
    CRYPTO_NO_LIBRARY,
    /// The text holds no private key in PEM, or one with a password.
    CRYPTO_NO_KEY,
    /// The key is of another kind.
    CRYPTO_WRONG_KEY,
    /// The library refused for another reason, such as a lack of memory.
    CRYPTO_FAILED,
};

enum crypto_algorithm { CRYPTO_RSA, CRYPTO_P256 };

/// Signs a text with a private key by SHA-256: PKCS #1 v1.5 with RSA, or the two numbers of ECDSA one after the other.
///
/// `signature` has room for `*length` bytes, and `*length` becomes what it takes. Any thread.
enum crypto_result crypto_sign(
    const char *pem, size_t pem_length, enum crypto_algorithm algorithm, const unsigned char *text, size_t text_length,
    unsigned char *signature, size_t *length);
