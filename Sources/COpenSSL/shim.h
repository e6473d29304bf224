/* Only tests import this; CSealing includes libcrypto's headers itself. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/err.h>
#include <openssl/sha.h>
