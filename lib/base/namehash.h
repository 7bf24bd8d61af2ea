/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hash under which a directory entry is filed (FORMAT files 5.7 and 5.8):
 * TEA over the bytes of the name, or, in a casefolded directory, over the
 * folded name. An encrypted and casefolded directory uses siphash24() with a
 * key this library may not have.
 */
#ifndef F2FSKIT_BASE_NAMEHASH_H
#define F2FSKIT_BASE_NAMEHASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/unicode.h"

/*
 * Hash the bytes of a name as they are stored: an ordinary directory, or the
 * ciphertext of an encrypted one. "." and ".." hash to 0.
 */
uint32_t namehash_plain(const uint8_t *name, size_t len);

/*
 * Hash a name of a casefolded, not encrypted directory into @hash.
 *
 * A name that cannot be folded is hashed as it is; in strict mode
 * (s_encoding_flags bit 0) such a name cannot be created, so the result says
 * why it could not be folded and the caller decides. @hash is set in every
 * case but UNICODE_UNAVAILABLE, where it stays untouched.
 */
enum unicode_result namehash_casefold(const uint8_t *name, size_t len, uint32_t *hash);

#endif
