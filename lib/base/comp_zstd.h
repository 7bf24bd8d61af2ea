/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffers of the ZSTD codec.
 */
#ifndef F2FSKIT_BASE_COMP_ZSTD_H
#define F2FSKIT_BASE_COMP_ZSTD_H

#include "base/comp.h"

/* Free the contexts that comp_codec_zstd keeps in state. */
void comp_zstd_fini(struct comp_state *state);

#endif
