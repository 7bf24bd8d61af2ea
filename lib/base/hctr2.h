/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HCTR2's row of the table of ciphers.
 */
#ifndef F2FSKIT_BASE_HCTR2_H
#define F2FSKIT_BASE_HCTR2_H

#include "base/cipher.h"

/* Members of its row. */
enum cipher_result hctr2_prepare(struct cipher *c);
void hctr2_drop(struct cipher *c);
bool hctr2_run(struct cipher *c, bool encipher, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t n);

#endif
