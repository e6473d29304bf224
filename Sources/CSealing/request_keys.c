#include "internal.h"
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/err.h>
#include <string.h>

/* ECDSA on P-256 and X25519, through EVP in libmam's own library context: only hosts that use a network come here, and EVP's
 * memory is small beside that of TLS. The errors that a call leaves in libcrypto's queue are removed: the queue is the host's. */
enum { COORDINATE = 32 };

static EVP_PKEY *import_p256(const void *public, const void *secret) {
    OSSL_LIB_CTX *context = sealing_library_context();
    EVP_PKEY_CTX *maker = context ? EVP_PKEY_CTX_new_from_name(context, "EC", NULL) : NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *number = secret ? BN_secure_new() : NULL;
    if (number && !BN_bin2bn(secret, COORDINATE, number)) {
        BN_clear_free(number);
        number = NULL;
    }
    bool built = maker && builder && (number != NULL) == (secret != NULL)
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, public, SEALING_P256_PUBLIC) == 1
        && (!secret || OSSL_PARAM_BLD_push_BN_pad(builder, OSSL_PKEY_PARAM_PRIV_KEY, number, COORDINATE) == 1);
    OSSL_PARAM *parameters = built ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    EVP_PKEY *key = NULL;
    if (parameters && EVP_PKEY_fromdata_init(maker) == 1)
        (void)EVP_PKEY_fromdata(maker, &key, secret ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_clear_free(number);
    EVP_PKEY_CTX_free(maker);
    return key;
}

/* Return a result of a call, with the errors that it left removed. */
static bool without_errors(bool result) {
    ERR_pop_to_mark();
    return result;
}

/* Copy the secret of a key. libcrypto writes a number in the order of this processor's bytes; EVP_PKEY_get_bn_param would leave a copy of
 * it on the stack. */
static bool export_p256(const EVP_PKEY *key, unsigned char *secret) {
    OSSL_PARAM parameters[] = {OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, secret, COORDINATE), OSSL_PARAM_END};
    if (EVP_PKEY_get_params(key, parameters) != 1 || parameters[0].return_size != COORDINATE) return false;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (size_t i = 0, j = COORDINATE - 1; i < j; i++, j--) {
        unsigned char byte = secret[i];
        secret[i] = secret[j];
        secret[j] = byte;
    }
#endif
    return true;
}

bool sealing_p256_create(void *secret, void *public) {
    OSSL_LIB_CTX *context = sealing_library_context();
    ERR_set_mark();
    EVP_PKEY *key = context ? EVP_PKEY_Q_keygen(context, NULL, "EC", "P-256") : NULL;
    size_t length = 0;
    bool done = key && export_p256(key, secret)
        && EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, public, SEALING_P256_PUBLIC, &length) == 1
        && length == SEALING_P256_PUBLIC;
    EVP_PKEY_free(key);
    return without_errors(done);
}

/* DER has r and s as integers; the protocol has them as 32 bytes each. */
static bool split_signature(const unsigned char *der, size_t length, unsigned char *out) {
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)length);
    bool done = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, COORDINATE) == COORDINATE
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + COORDINATE, COORDINATE) == COORDINATE;
    ECDSA_SIG_free(signature);
    return done;
}

bool sealing_p256_sign(const void *secret, const void *public, const void *message, size_t length, void *out) {
    ERR_set_mark();
    EVP_PKEY *key = import_p256(public, secret);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    unsigned char der[80];
    size_t count = sizeof der;
    bool done = key && hash && EVP_DigestSignInit_ex(hash, NULL, "SHA256", sealing_library_context(), NULL, key, NULL) == 1
        && EVP_DigestSign(hash, der, &count, message, length) == 1 && split_signature(der, count, out);
    EVP_MD_CTX_free(hash);
    EVP_PKEY_free(key);
    return without_errors(done);
}

int32_t sealing_p256_verify(const void *public, const void *message, size_t length, const void *signature) {
    const unsigned char *bytes = signature;
    ERR_set_mark();
    EVP_PKEY *key = import_p256(public, NULL);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    ECDSA_SIG *both = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(bytes, COORDINATE, NULL), *s = BN_bin2bn(bytes + COORDINATE, COORDINATE, NULL);
    unsigned char *der = NULL;
    int32_t result = SEALING_NOT_AUTHENTIC;
    if (!hash || !both || !r || !s || ECDSA_SIG_set0(both, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        result = SEALING_LIBRARY;
    } else if (key) {
        int count = i2d_ECDSA_SIG(both, &der);
        if (count <= 0 || EVP_DigestVerifyInit_ex(hash, NULL, "SHA256", sealing_library_context(), NULL, key, NULL) != 1)
            result = SEALING_LIBRARY;
        else if (EVP_DigestVerify(hash, der, (size_t)count, message, length) == 1) result = SEALING_OK;
    }
    OPENSSL_free(der);
    ECDSA_SIG_free(both);
    EVP_MD_CTX_free(hash);
    EVP_PKEY_free(key);
    (void)without_errors(true);
    return result;
}

static EVP_PKEY *import_x25519(const void *secret) {
    OSSL_LIB_CTX *context = sealing_library_context();
    return context ? EVP_PKEY_new_raw_private_key_ex(context, "X25519", NULL, secret, SEALING_X25519) : NULL;
}

bool sealing_x25519_public(const void *secret, void *out) {
    ERR_set_mark();
    EVP_PKEY *key = import_x25519(secret);
    size_t length = SEALING_X25519;
    bool done = key && EVP_PKEY_get_raw_public_key(key, out, &length) == 1 && length == SEALING_X25519;
    EVP_PKEY_free(key);
    return without_errors(done);
}

bool sealing_x25519_share(const void *secret, const void *other, void *out) {
    OSSL_LIB_CTX *context = sealing_library_context();
    ERR_set_mark();
    EVP_PKEY *key = import_x25519(secret);
    EVP_PKEY *peer = context ? EVP_PKEY_new_raw_public_key_ex(context, "X25519", NULL, other, SEALING_X25519) : NULL;
    EVP_PKEY_CTX *sharing = key && peer ? EVP_PKEY_CTX_new_from_pkey(context, key, NULL) : NULL;
    size_t length = SEALING_X25519;
    /* libcrypto refuses a shared secret of zeros. */
    bool done = sharing && EVP_PKEY_derive_init(sharing) == 1 && EVP_PKEY_derive_set_peer(sharing, peer) == 1
        && EVP_PKEY_derive(sharing, out, &length) == 1 && length == SEALING_X25519;
    EVP_PKEY_CTX_free(sharing);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(key);
    return without_errors(done);
}
