#ifndef FOLDED_NAMES_H
#define FOLDED_NAMES_H
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Names of accounts, eight bytes a word, the last word padded with zeros. */

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define TOP_BITS (EACH_BYTE * 0x80)

/* The top bit of each byte between `first` and `last`. No byte of the word has its top bit set. */
static inline uint64_t bytes_between(uint64_t word, uint64_t first, uint64_t last) {
    return (word + EACH_BYTE * (0x80 - first)) & ~(word + EACH_BYTE * (0x7F - last)) & TOP_BITS;
}

/* ASCII upper case to lower. */
static inline uint64_t fold(uint64_t word) { return word | (bytes_between(word & ~TOP_BITS, 'A', 'Z') & ~word) >> 2; }

/* Fold a name of `length` bytes, more than none, and return the number of words. Not by memcpy: words that are read from
 * two stores stall the processor. */
static inline size_t fold_name(uint64_t *name, const char *text, size_t length) {
    size_t whole = length / 8, rest = length % 8;
    uint64_t word;
    for (size_t i = 0; i < whole; i++) {
        memcpy(&word, text + 8 * i, 8);
        name[i] = fold(word);
    }
    if (rest == 0) return whole;
    word = 0;
    if (whole > 0) {
        memcpy(&word, text + length - 8, 8);
        word = le64toh(word) >> 8 * (8 - rest);
    } else {
        for (size_t i = 0; i < rest; i++) word |= (uint64_t)(unsigned char)text[i] << 8 * i;
    }
    name[whole] = fold(htole64(word));
    return whole + 1;
}

/* Whether a folded name certainly is one that an account can have: ASCII letters, digits, "-" and "_", with dots and one
 * "@" between. Sets `at` to where that stands, or to `length`. */
static inline bool is_ordinary_name(const uint64_t *name, size_t length, size_t *at) {
    uint64_t wrong = 0, joint = TOP_BITS; /* as if a dot came before */
    *at = length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = le64toh(name[i / 8]), ascii = word & ~TOP_BITS, before = joint >> 56;
        uint64_t used = length - i >= 8 ? TOP_BITS : TOP_BITS >> 8 * (8 - (length - i));
        uint64_t ats = bytes_between(ascii, '@', '@');
        joint = ats | bytes_between(ascii, '.', '.');
        uint64_t plain = bytes_between(ascii, 'a', 'z') | bytes_between(ascii, '0', '9') | bytes_between(ascii, '-', '-')
            | bytes_between(ascii, '_', '_');
        wrong |= ((word | ~(plain | joint)) & used) | (joint & (joint << 8 | before));
        if (ats == 0) continue;
        wrong |= (ats & (ats - 1)) | (*at < length); /* a second one */
        *at = i + (size_t)__builtin_ctzll(ats) / 8;
    }
    return wrong == 0 && joint >> 8 * ((length - 1) % 8) == 0;
}

/* A bit for each byte of a text; bytes may share one. */
static inline uint64_t byte_bits(const char *text, size_t length) {
    uint64_t bits = 0;
    for (size_t i = 0; i < length; i++) bits |= UINT64_C(1) << (text[i] & 63);
    return bits;
}

/* Whether two edits may make one text, in ASCII, of another that is as long or two bytes longer or shorter, by their byte_bits; false
 * where they certainly do not. */
static inline bool may_be_near(uint64_t a, uint64_t b) {
    return __builtin_popcountll(a & ~b) <= 2 && __builtin_popcountll(b & ~a) <= 2;
}

#endif
