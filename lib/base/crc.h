/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one checksum of the format: CRC-32 with an explicit seed and without
 * the usual inversions (FORMAT volume 1.5). Which bytes it covers in which
 * structure is the business of format/.
 */
#ifndef F2FSKIT_BASE_CRC_H
#define F2FSKIT_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Seed of everything but inode checksums: the superblock's magic number. */
#define CRC_F2FS_SEED 0xF2F52010u

/*
 * Checksum @n bytes at @buf. Results chain: the value for two pieces is that
 * of the second one with the first one's value as @seed. Of nothing it is
 * @seed itself; @buf may then be NULL.
 */
uint32_t crc_f2fs(uint32_t seed, const void *buf, size_t n);

#endif
