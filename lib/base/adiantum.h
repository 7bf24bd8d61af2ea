/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adiantum's row of the table of ciphers.
 */
#ifndef F2FSKIT_BASE_ADIANTUM_H
#define F2FSKIT_BASE_ADIANTUM_H

#include "base/cipher.h"

/* Members of its row. */
enum cipher_result adiantum_prepare(struct cipher *c);
void adiantum_drop(struct cipher *c);
bool adiantum_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);

#endif
