/* Only CSealing, and tests of it, include this. SHA512_* and SHA256_* are deprecated in OpenSSL 3 and still there; CSealing.h says why
 * they are used. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/err.h>
#include <openssl/sha.h>
