/* Sealing and opening over libcrypto, without allocation and in one pass. docs/formats.md describes the formats.
 *
 * Hashing uses SHA512_* and SHA256_*, which OpenSSL 3 deprecates but keeps: EVP can neither start from a precomputed hash
 * state without allocating, nor keep its state in locked memory. */
#ifndef CSEALING_H
#define CSEALING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEALING_OK = 0,
    SEALING_NOT_AUTHENTIC = 1, /* the commitment or a tag does not match */
    SEALING_OVERLAP = 2,       /* input and output overlap in an unsupported way */
    SEALING_NO_RANDOM = 3,     /* the system provides no random numbers */
    SEALING_LIBRARY = 4,       /* libcrypto failed: no memory, or no such cipher */
    SEALING_KEY_GONE = 5,      /* the key was zeroed: its session was closed, or this is a forked child */
};

enum { SEALING_KEY = 32, SEALING_SALT = 24, SEALING_COMMITMENT = 32, SEALING_CHUNK = 16384, SEALING_TAG = 16, SEALING_NONCE = 12 };

/* Initialise libcrypto without its exit handler and load the cipher, once; false if it has no AES-256-GCM. */
bool sealing_start(void);
const char *_Nonnull sealing_library_version(void);

/* The inner and outer states of HMAC-SHA-512 under a key: 128 bytes, which fit one cell of secret memory. They must lie
 * there: a key that is no longer alive (process_secret_is_alive) seals, opens and derives nothing. */
typedef struct sealing_key {
    uint64_t inner[8], outer[8];
} sealing_key_t;

void sealing_key_prepare(sealing_key_t *_Nonnull key, const void *_Nonnull bytes);

/* Cobblestone-256: 24 bytes of salt, 32 of commitment, the chunks. `out` holds the sealed length. With a salt of NULL, as
 * always outside tests, the salt is random. Input and output may overlap if the input begins at or before the first chunk
 * of the output. On failure `out` is zeroed. */
int32_t sealing_seal(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nullable salt,
    const void *_Nullable plain, size_t length, void *_Nonnull out);
/* `length` is the number of plain bytes. Input and output may overlap if the output begins at or before the first chunk of
 * the input. On failure `out` is zeroed. */
int32_t sealing_open(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull sealed,
    void *_Nullable out, size_t length);
/* Check the commitment alone: whether `sealed` (at least 56 bytes) was sealed with this key and context. */
bool sealing_commitment_matches(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull sealed);

/* The keys of one object whose chunks are processed in several calls: the first 76 bytes of HKDF-Expand, in a buffer of two
 * whole hashes. Kept in one cell of secret memory like a sealing_key_t, and zeroed with it. No cipher context keeps the key
 * between two calls. */
typedef union sealing_object {
    unsigned char blocks[128];
    struct {
        unsigned char key[SEALING_KEY], nonce[SEALING_NONCE], commitment[SEALING_COMMITMENT];
    };
} sealing_object_t;

/* Derive the keys of a new object; `prefix` receives the 56 bytes that precede its chunks. With a salt of NULL the salt is
 * random. */
int32_t sealing_object_create(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nullable salt,
    sealing_object_t *_Nonnull object, void *_Nonnull prefix);
/* Derive the keys of an existing object from those bytes; SEALING_NOT_AUTHENTIC if they commit to another key or context. */
int32_t sealing_object_derive(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull prefix,
    sealing_object_t *_Nonnull object);
/* Seal the full chunks of `length` plain bytes, from chunk number `first` on, and if the bytes end the object, its last,
 * shorter chunk too. Input and output must not overlap. On failure `out` is zeroed. */
int32_t sealing_seal_chunks(
    const sealing_object_t *_Nonnull object, uint64_t first, const void *_Nullable plain, size_t length, bool ends,
    void *_Nonnull out);
/* Open such chunks; `length` is the number of plain bytes. On failure `out` is zeroed. */
int32_t sealing_open_chunks(
    const sealing_object_t *_Nonnull object, uint64_t first, const void *_Nonnull sealed, size_t length, bool ends,
    void *_Nullable out);

/* One AES-256-GCM call with additional data, for tests against published vectors. A key of NULL is the current key of the
 * thread's context: zeros between two calls. */
int32_t sealing_gcm_seal(
    const void *_Nullable key, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable plain, size_t length, void *_Nonnull out);
int32_t sealing_gcm_open(
    const void *_Nullable key, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nonnull sealed, void *_Nullable out, size_t length);

/* Derive the key and commitment of an object, 32 bytes each, without sealing anything. False if the key is gone. */
bool sealing_derive(
    const sealing_key_t *_Nonnull key, const void *_Nullable context, size_t context_length, const void *_Nonnull salt,
    void *_Nonnull object_key, void *_Nonnull commitment);

/* Slots: cipher contexts that keep their key between calls, in memory that core dumps leave out, for files with short
 * records. An owner number stands for one key. A slot is acquired, given the key if it does not have it, used, released. */
typedef struct sealing_slot sealing_slot_t;

/* Reserve `count` consecutive owner numbers, which are never reused; returns the first. */
uint64_t sealing_slot_new_owners(uint64_t count);
/* Acquire a slot for this thread alone: `hint` if it still has the owner's key. NULL if libcrypto fails. */
sealing_slot_t *_Nullable sealing_slot_acquire(uint64_t owner, const sealing_slot_t *_Nullable hint, bool *_Nonnull is_keyed);
bool sealing_slot_set_key(sealing_slot_t *_Nonnull slot, uint64_t owner, const void *_Nonnull key);
void sealing_slot_release(sealing_slot_t *_Nonnull slot);
/* Scratch memory that belongs to the slot; all callers use one size. */
void *_Nullable sealing_slot_memory(sealing_slot_t *_Nonnull slot, size_t size);
/* Clear the keys of these owners from all slots. */
void sealing_slot_clear_keys(uint64_t first, uint64_t count);
/* AES-256-GCM; the tag follows the sealed bytes in `out`. */
bool sealing_slot_seal(
    sealing_slot_t *_Nonnull slot, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable plain, size_t length, void *_Nonnull out);
/* `out` is valid only if the result is SEALING_OK. */
int32_t sealing_slot_open(
    sealing_slot_t *_Nonnull slot, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nonnull sealed, size_t length, const void *_Nonnull tag, void *_Nullable out);
/* HKDF-Expand-SHA-512 from a prepared key: the first 32 bytes; zeros and false if the key is gone. */
bool sealing_expand(const sealing_key_t *_Nonnull key, const void *_Nullable info, size_t length, void *_Nonnull out);

/* AES-256-GCM under one key, which stays in memory that core dumps leave out; for one thread at a time. */
typedef struct sealing_cipher sealing_cipher_t;

sealing_cipher_t *_Nullable sealing_cipher_new(const void *_Nonnull key);
/* Clears the key. */
void sealing_cipher_free(sealing_cipher_t *_Nullable cipher);

/* AES-256-GCM; `out` may be the input. */
bool sealing_cipher_seal(
    sealing_cipher_t *_Nonnull cipher, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable plain, size_t length, void *_Nullable out, void *_Nonnull tag);
/* On failure `out` is zeroed. */
int32_t sealing_cipher_open(
    sealing_cipher_t *_Nonnull cipher, const void *_Nonnull nonce, const void *_Nullable extra, size_t extra_length,
    const void *_Nullable sealed, size_t length, const void *_Nonnull tag, void *_Nullable out);

/* HKDF-SHA-512, extract and expand, of at most 255 * 64 bytes. */
void sealing_hkdf_sha512(
    const void *_Nonnull key, size_t key_length, const void *_Nullable salt, size_t salt_length, const void *_Nullable info,
    size_t info_length, void *_Nonnull out, size_t count);

/* Clear what libcrypto left on the stack below the caller: words of the last blocks that it hashed, from which a key among them
 * can be computed. The functions that are given a key to prepare or derive from do so themselves. */
void sealing_clear_frames(void);

/* The inner and outer states of HMAC-SHA-256 under a key of any length. */
typedef struct sealing_mac_key {
    uint32_t inner[8], outer[8];
} sealing_mac_key_t;

enum { SEALING_MAC = 32 };

void sealing_mac_prepare(sealing_mac_key_t *_Nonnull key, const void *_Nullable bytes, size_t length);
void sealing_mac(const sealing_mac_key_t *_Nonnull key, const void *_Nullable bytes, size_t length, void *_Nonnull out);
/* Compares in constant time. */
bool sealing_mac_matches(
    const sealing_mac_key_t *_Nonnull key, const void *_Nullable bytes, size_t length, const void *_Nonnull mac);

/* The same, incrementally. The state is as secret as the key. */
typedef struct sealing_mac_state {
    uint64_t words[14];
} sealing_mac_state_t;

void sealing_mac_begin(const sealing_mac_key_t *_Nonnull key, sealing_mac_state_t *_Nonnull state);
void sealing_mac_add(sealing_mac_state_t *_Nonnull state, const void *_Nullable bytes, size_t length);
void sealing_mac_end(const sealing_mac_key_t *_Nonnull key, sealing_mac_state_t *_Nonnull state, void *_Nonnull out);

/* scrypt (RFC 7914), which uses 128 * n * r bytes of memory while it runs. On failure `out` is zeroed. */
int32_t sealing_scrypt(
    const void *_Nonnull secret, size_t length, const void *_Nonnull salt, size_t salt_length, uint64_t n, uint64_t r, uint64_t p,
    void *_Nonnull out, size_t count);

/* Ed25519 (RFC 8032). The caller keeps the secret key of 32 bytes; signing is deterministic. */
enum { SEALING_PUBLIC = 32, SEALING_SIGNATURE = 64, SEALING_SHA256 = 32 };

bool sealing_sign_public(const void *_Nonnull secret, void *_Nonnull out);
/* `public` must be the secret's own public key: a signature under another one reveals the secret. Deriving it again would
 * double the time of a signature. */
bool sealing_sign(
    const void *_Nonnull secret, const void *_Nonnull public, const void *_Nullable message, size_t length, void *_Nonnull out);
/* SEALING_NOT_AUTHENTIC if the signature does not verify. */
int32_t sealing_sign_verify(
    const void *_Nonnull public, const void *_Nullable message, size_t length, const void *_Nonnull signature);

/* Ed25519 from one library; the lengths are as above. */
typedef struct sealing_signer {
    bool (*_Nonnull public_of)(const void *_Nonnull secret, void *_Nonnull out);
    bool (*_Nonnull sign)(
        const void *_Nonnull secret, const void *_Nonnull public, const void *_Nullable message, size_t length, void *_Nonnull out);
    int32_t (*_Nonnull verify)(
        const void *_Nonnull public, const void *_Nullable message, size_t length, const void *_Nonnull signature);
} sealing_signer_t;

/* NULL if the library is not installed, or lacks Ed25519. */
const sealing_signer_t *_Nullable sealing_signer_libsodium(void);
const sealing_signer_t *_Nullable sealing_signer_libcrypto(void);

void sealing_sha256(const void *_Nullable bytes, size_t length, void *_Nonnull out);

/* ECDSA on P-256 with SHA-256: a secret of 32 bytes, its public key as in SEC 1 (65 bytes, uncompressed), and signatures of 64
 * bytes, r and s. False or SEALING_LIBRARY if libcrypto fails. */
enum { SEALING_P256_SECRET = 32, SEALING_P256_PUBLIC = 65 };

bool sealing_p256_create(void *_Nonnull secret, void *_Nonnull public);
bool sealing_p256_sign(
    const void *_Nonnull secret, const void *_Nonnull public, const void *_Nullable message, size_t length, void *_Nonnull out);
/* SEALING_NOT_AUTHENTIC if the signature does not verify, or the key is none. */
int32_t sealing_p256_verify(
    const void *_Nonnull public, const void *_Nullable message, size_t length, const void *_Nonnull signature);

/* X25519 (RFC 7748); secrets, public keys and shared secrets have 32 bytes. */
enum { SEALING_X25519 = 32 };

bool sealing_x25519_public(const void *_Nonnull secret, void *_Nonnull out);
/* False for a public key of small order, too. */
bool sealing_x25519_share(const void *_Nonnull secret, const void *_Nonnull other, void *_Nonnull out);

#endif
