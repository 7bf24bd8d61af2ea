/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names under which entries of an encrypted directory are shown without
 * its key (FORMAT files 9.1): printable, stable, and different for different
 * entries; and the way back, to find the entry that a name stands for.
 */
#ifndef F2FSKIT_BASE_NOKEY_H
#define F2FSKIT_BASE_NOKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base64.h"

#define NOKEY_BYTES_MAX 149 /* ciphertext that a name carries as it is */
#define NOKEY_DIGEST_SIZE 32

/* Characters of the longest name, without a NUL. */
#define NOKEY_TEXT_MAX BASE64_TEXT_SIZE(8 + NOKEY_BYTES_MAX + NOKEY_DIGEST_SIZE)

/* The contents of a no-key name about its entry. */
struct nokey_name {
	uint32_t hash;			/* of the directory entry; 0 for a link target */
	uint32_t minor_hash;		/* 0 in F2FS */
	size_t len;			/* of bytes, 1..NOKEY_BYTES_MAX */
	uint8_t bytes[NOKEY_BYTES_MAX]; /* the ciphertext, or its head */
	bool has_digest;		/* there is more ciphertext, of this SHA-256 */
	uint8_t digest[NOKEY_DIGEST_SIZE];
};

/*
 * Write the name for @len (at least 1) bytes of ciphertext. @text takes
 * NOKEY_TEXT_MAX characters; no NUL is added. Returns the length, or 0 if hashing
 * failed for lack of memory.
 */
size_t nokey_encode(uint32_t hash, uint32_t minor_hash, const uint8_t *cipher, size_t len, char text[NOKEY_TEXT_MAX]);

/* Take a name apart; -1 if it is none. */
int nokey_decode(const char *text, size_t len, struct nokey_name *name);

/*
 * Is the entry with this ciphertext the one that @name stands for? 1 yes, 0 no, -1 hashing failed for lack of memory.
 * The hashes are for the caller to compare first, where they are known.
 */
int nokey_matches(const struct nokey_name *name, const uint8_t *cipher, size_t len);

#endif
