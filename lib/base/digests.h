/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several digests of the same bytes at once.
 */
#ifndef F2FSKIT_BASE_DIGESTS_H
#define F2FSKIT_BASE_DIGESTS_H

#include <f2fskit/file.h>

#include "base/context.h"
#include "base/sha.h"

enum { DIGEST_KINDS = 4 };

struct digests {
	struct sha running[DIGEST_KINDS];
	unsigned ready; /* enum f2fs_digest: those that run */
};

/* Begin those that are wanted. Returns 0, or -1 when one cannot be computed; digests_end() in any case. */
int digests_begin(struct digests *d, unsigned wanted);
/* Begin those that ran again, for other bytes. Returns 0, or -1. */
int digests_again(struct digests *d);
/* Returns 0, or -1. */
int digests_add(struct digests *d, const void *data, size_t n);
/* Return the running digest of a kind below DIGEST_KINDS; NULL: it is not wanted. */
struct sha *digests_running(struct digests *d, unsigned kind);
/* Put the results into their members of out; the others stay. Returns 0, or -1. */
int digests_finish(struct digests *d, struct f2fs_digests *out);
void digests_end(struct digests *d);
/*
 * Begin those that are wanted in *kept, which stay ready for the next file: to find them in libcrypto takes longer than
 * to digest a small file. *kept is NULL at first. Drop it in any case. Fails with NOMEM, UNSUPPORTED.
 */
int digests_begin_kept(struct f2fs_context *ctx, struct digests **kept, unsigned wanted);
void digests_drop(struct f2fs_context *ctx, struct digests **kept);
/* Record and return UNSUPPORTED, for a result of -1. */
int digests_unavailable(struct f2fs_context *ctx);

#endif
