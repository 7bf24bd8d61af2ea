/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hash of Adiantum: NH makes 32 bytes of each 1024, Poly1305 hashes those (FORMAT files 9.1).
 */
#ifndef F2FSKIT_BASE_NHPOLY1305_H
#define F2FSKIT_BASE_NHPOLY1305_H

#include <stddef.h>
#include <stdint.h>

#define POLY_KEY_SIZE 16
#define POLY_BLOCK 16
#define NH_KEY_WORDS 268
#define NH_KEY_SIZE (NH_KEY_WORDS * 4)

/* A sum of products mod 2^130 - 5, in limbs of 26 bits. */
struct poly {
	uint32_t r[5], h[5];
};

void poly_start(struct poly *poly, const uint8_t key[POLY_KEY_SIZE]);
/* Take @n bytes, whole blocks. */
void poly_add(struct poly *poly, const uint8_t *data, size_t n);
/* The sum mod 2^128, least significant byte first; nothing is added to it. */
void poly_finish(struct poly *poly, uint8_t sum[POLY_BLOCK]);

/* Hash @n bytes, padded with zeros to 16, by NH, and take the result into @poly. */
void nh_add(const uint32_t key[NH_KEY_WORDS], const uint8_t *data, size_t n, struct poly *poly);

#endif
