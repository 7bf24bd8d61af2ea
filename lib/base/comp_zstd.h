/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Free what the ZSTD codec keeps.
 */
#ifndef F2FSKIT_BASE_COMP_ZSTD_H
#define F2FSKIT_BASE_COMP_ZSTD_H

#include "base/comp.h"

/* Free what comp_codec_zstd keeps. */
void comp_zstd_fini(struct comp_state *state);

#endif
