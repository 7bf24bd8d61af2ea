/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SipHash-2-4, the keyed hash of names in encrypted and casefolded
 * directories and of inode numbers under IV_INO_LBLK_32 (FORMAT files 5.8, 9.1).
 */
#ifndef F2FSKIT_BASE_SIPHASH_H
#define F2FSKIT_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_SIZE 16

uint64_t siphash24(const uint8_t key[SIPHASH_KEY_SIZE], const void *data, size_t len);

#endif
