/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Device numbers of special files, in the three address words after the extra
 * attributes (FORMAT files 6): an old form of one byte each, else a new one.
 */
#ifndef F2FSKIT_BASE_DEVNUM_H
#define F2FSKIT_BASE_DEVNUM_H

#include <stdint.h>

#define DEVNUM_WORDS_SIZE 12 /* bytes of the three words */

#define DEVNUM_MAJOR_MAX 0xFFFu
#define DEVNUM_MINOR_MAX 0xFFFFFu

struct devnum {
	uint32_t major; /* 0..DEVNUM_MAJOR_MAX */
	uint32_t minor; /* 0..DEVNUM_MINOR_MAX */
};

/* Decode the words; every content means something. */
void devnum_decode(const uint8_t words[DEVNUM_WORDS_SIZE], struct devnum *dev);

/*
 * Encode into the words as the kernel does: the old form where it fits; a
 * word that the form does not use becomes 0. Returns 0, or -1 if a part is out of range
 * (@words is untouched then).
 */
int devnum_encode(const struct devnum *dev, uint8_t words[DEVNUM_WORDS_SIZE]);

#endif
