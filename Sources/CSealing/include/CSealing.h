/* The sealing loops, over libcrypto: what must allocate nothing and look at every byte once. Only MAMProtection calls
 * these; docs/formats.md describes the formats.
 *
 * Hashing goes through SHA512_* and SHA256_*, which OpenSSL 3 calls deprecated and keeps: EVP can neither start from a
 * hash state that was computed beforehand without allocating, nor leave its state in locked memory. */
#ifndef CSEALING_H
#define CSEALING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEALING_OK = 0,
    SEALING_NOT_AUTHENTIC = 1, /* the commitment or a tag does not match */
    SEALING_OVERLAP = 2,       /* input and output overlap as they must not */
    SEALING_NO_RANDOM = 3,     /* the system gives no random numbers */
    SEALING_LIBRARY = 4,       /* libcrypto refuses: no memory, no such cipher */
    SEALING_DEAD = 5,          /* the key is gone: its session was closed, or this is a forked child */
};

enum { SEALING_KEY = 32, SEALING_SALT = 24, SEALING_COMMITMENT = 32, SEALING_CHUNK = 16384, SEALING_TAG = 16, SEALING_NONCE = 12 };

/* Initialise libcrypto without its exit handler, and take the cipher from it. Once; false when it has no AES-256-GCM. */
bool sealing_start(void);
const char *_Nonnull sealing_library_version(void);

/* Both states of HMAC-SHA-512 under a key: 128 bytes, so that they fit one cell of secret memory, where alone they are: a key
 * that is no longer alive there (platform_secret_is_alive) seals, opens and derives nothing. */
typedef struct sealing_key {
    uint64_t inner[8], outer[8];
} sealing_key_t;

void sealing_key_prepare(sealing_key_t *_Nonnull key, const void *_Nonnull bytes);

/* Cobblestone-256: 24 bytes of salt, 32 of commitment, the chunks. `out` has room for the sealed length. A salt of NULL
 * is drawn from the system, as it must be outside tests. Input and output may overlap where input begins at or before
 * the first chunk of the output. On failure `out` is zeroed. */
int32_t sealing_seal(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nullable salt,
    const void *_Nullable plain, size_t length, void *_Nonnull out);
/* `length` is that of the plain bytes; `sealed` has the sealed length of it. Input and output may overlap where the
 * output begins at or before the first chunk of the input. On failure `out` is zeroed. */
int32_t sealing_open(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull sealed,
    void *_Nullable out, size_t length);
/* The commitment alone: whether key, salt and context are those that `sealed` (56 bytes and more) was made with. */
bool sealing_commits(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull sealed);

/* What is derived for one object, whose chunks may come one after the other: HKDF-Expand's first 76 bytes, in a buffer of two
 * whole hashes. As secret as the key: 128 bytes, so that they fit one cell of secret memory. No cipher context holds the key
 * between two calls. It lies in secret memory as well, and is gone as a key is. */
typedef union sealing_object {
    unsigned char blocks[128];
    struct {
        unsigned char key[SEALING_KEY], nonce[SEALING_NONCE], commitment[SEALING_COMMITMENT];
    };
} sealing_object_t;

/* Begin an object: `prefix` gets the 56 bytes before its chunks. A salt of NULL is drawn. */
int32_t sealing_object_make(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nullable salt,
    sealing_object_t *_Nonnull object, void *_Nonnull prefix);
/* Find it again by those bytes; SEALING_NOT_AUTHENTIC where they commit to another key or context. */
int32_t sealing_object_find(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull prefix,
    sealing_object_t *_Nonnull object);
/* Seal the full chunks of `length` plain bytes, of which the first is chunk `first`; where they end the object, the last and
 * shorter one as well. No overlap. On failure `out` is zeroed. */
int32_t sealing_seal_chunks(
    const sealing_object_t *_Nonnull object, uint64_t first, const void *_Nullable plain, size_t length, bool ends,
    void *_Nonnull out);
/* Open them; `length` is again that of the plain bytes. On failure `out` is zeroed. */
int32_t sealing_open_chunks(
    const sealing_object_t *_Nonnull object, uint64_t first, const void *_Nonnull sealed, size_t length, bool ends,
    void *_Nullable out);

/* One AES-256-GCM call as the chunks make it, with additional data; for tests against published cases. A key of NULL is
 * the one that the thread's context holds, which is zeros between two calls. */
int32_t sealing_gcm_seal(
    const void *_Nullable key, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable plain, size_t length, void *_Nonnull out);
int32_t sealing_gcm_open(
    const void *_Nullable key, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nonnull sealed, void *_Nullable out, size_t length);

/* What Cobblestone derives for one object, without sealing anything: 32 bytes of key, and 32 of commitment. False where the key
 * is gone. */
bool sealing_derive(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull salt,
    void *_Nonnull object_key, void *_Nonnull commitment);

/* Cipher contexts that stay keyed from one call to the next, in memory that is left out of core dumps: for files, whose
 * records are short. An owner is one key; a place is taken, keyed where it is not, used, and given back. */
typedef struct sealing_keyed sealing_keyed_t;

/* The first of so many numbers for keys, never used twice. */
uint64_t sealing_keyed_owner(uint64_t count);
/* A place for this thread alone: `hint`, where that still has the owner's key. NULL when libcrypto refuses. */
sealing_keyed_t *_Nullable sealing_keyed_take(
    uint64_t owner, const sealing_keyed_t *_Nullable hint, bool *_Nonnull is_keyed);
bool sealing_keyed_key(sealing_keyed_t *_Nonnull place, uint64_t owner, const void *_Nonnull key);
void sealing_keyed_give(sealing_keyed_t *_Nonnull place);
/* Memory that belongs to the place, for one size of all its users. */
void *_Nullable sealing_keyed_room(sealing_keyed_t *_Nonnull place, size_t size);
/* No place has the key of any of these owners any more. */
void sealing_keyed_forget(uint64_t first, uint64_t count);
/* AES-256-GCM; the tag follows the sealed bytes in `out`. */
bool sealing_keyed_seal(
    sealing_keyed_t *_Nonnull place, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable plain, size_t length, void *_Nonnull out);
/* Nothing of `out` may be believed unless this is SEALING_OK. */
int32_t sealing_keyed_open(
    sealing_keyed_t *_Nonnull place, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nonnull sealed, size_t length, const void *_Nonnull tag, void *_Nullable out);
/* HKDF-Expand-SHA-512 from a prepared key: the first 32 bytes; zeros and false where the key is gone. */
bool sealing_expand(
    const sealing_key_t *_Nonnull key, const void *_Nullable info, size_t length, void *_Nonnull out);

/* An AES-256-GCM context that stays keyed, in memory that core dumps leave out; one thread at a time. */
typedef struct sealing_held sealing_held_t;

sealing_held_t *_Nullable sealing_held_new(const void *_Nonnull key);
/* It forgets the key. */
void sealing_held_free(sealing_held_t *_Nullable held);

/* AES-256-GCM; `out` may be the input. */
bool sealing_held_seal(
    sealing_held_t *_Nonnull held, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable plain, size_t length, void *_Nullable out, void *_Nonnull tag);
/* On failure `out` is zeroed. */
int32_t sealing_held_open(
    sealing_held_t *_Nonnull held, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable sealed, size_t length, const void *_Nonnull tag, void *_Nullable out);

/* HKDF-SHA-512, extract and expand; at most 255 * 64 bytes. */
void sealing_hkdf_sha512(
    const void *_Nonnull key, size_t key_length, const void *_Nullable salt, size_t salt_length,
    const void *_Nullable info, size_t info_length, void *_Nonnull out, size_t count);

/* Both states of HMAC-SHA-256 under a key of any length. */
typedef struct sealing_mac_key {
    uint32_t inner[8], outer[8];
} sealing_mac_key_t;

enum { SEALING_MAC = 32 };

void sealing_mac_prepare(sealing_mac_key_t *_Nonnull key, const void *_Nullable bytes, size_t length);
void sealing_mac(const sealing_mac_key_t *_Nonnull key, const void *_Nullable bytes, size_t length, void *_Nonnull out);
/* In constant time. */
bool sealing_mac_matches(
    const sealing_mac_key_t *_Nonnull key, const void *_Nullable bytes, size_t length, const void *_Nonnull mac);

/* The same of bytes that come in pieces. What is under way is as secret as the key. */
typedef struct sealing_mac_state {
    uint64_t words[14];
} sealing_mac_state_t;

void sealing_mac_begin(const sealing_mac_key_t *_Nonnull key, sealing_mac_state_t *_Nonnull state);
void sealing_mac_add(sealing_mac_state_t *_Nonnull state, const void *_Nullable bytes, size_t length);
void sealing_mac_end(const sealing_mac_key_t *_Nonnull key, sealing_mac_state_t *_Nonnull state, void *_Nonnull out);

/* scrypt (RFC 7914), which takes 128 * n * r bytes of memory for as long as it runs. On failure `out` is zeroed. */
int32_t sealing_scrypt(
    const void *_Nonnull secret, size_t length, const void *_Nonnull salt, size_t salt_length, uint64_t n, uint64_t r,
    uint64_t p, void *_Nonnull out, size_t count);

/* Ed25519 (RFC 8032). A secret key is 32 bytes, kept by the caller; signing draws no random number. */
enum { SEALING_PUBLIC = 32, SEALING_SIGNATURE = 64, SEALING_SHA256 = 32 };

bool sealing_sign_public(const void *_Nonnull secret, void *_Nonnull out);
bool sealing_sign(const void *_Nonnull secret, const void *_Nullable message, size_t length, void *_Nonnull out);
/* SEALING_NOT_AUTHENTIC where the signature is not that key's of the message. */
int32_t sealing_sign_verify(
    const void *_Nonnull public, const void *_Nullable message, size_t length, const void *_Nonnull signature);

/* The same by one library. Lengths of keys and signatures are as above. */
typedef struct sealing_signer {
    bool (*_Nonnull public_of)(const void *_Nonnull secret, void *_Nonnull out);
    bool (*_Nonnull sign)(const void *_Nonnull secret, const void *_Nullable message, size_t length, void *_Nonnull out);
    int32_t (*_Nonnull verify)(
        const void *_Nonnull public, const void *_Nullable message, size_t length, const void *_Nonnull signature);
} sealing_signer_t;

/* NULL where the library is not installed, or lacks Ed25519. */
const sealing_signer_t *_Nullable sealing_signer_libsodium(void);
const sealing_signer_t *_Nullable sealing_signer_libcrypto(void);

void sealing_sha256(const void *_Nullable bytes, size_t length, void *_Nonnull out);

#endif
