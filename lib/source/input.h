/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams that the caller gives to be read.
 */
#ifndef F2FSKIT_SOURCE_INPUT_H
#define F2FSKIT_SOURCE_INPUT_H

#include <f2fskit/populate.h>

#include "base/context.h"

struct source_input {
	struct f2fs_context *ctx;
	struct f2fs_input from;
	bool owns_fd;
};

int source_input_open(struct source_input *in, struct f2fs_context *ctx, const struct f2fs_input *from);
/* Read up to length bytes; *got is 0 at the end. Returns 0 or an errno, ECANCELED when the host wants to stop. */
int source_input_read(struct source_input *in, void *buffer, size_t length, size_t *got);
void source_input_close(struct source_input *in);
/* Note where an input begins, so that it can be read again; NULL: there is none. INVALID: it can be read once only. */
int source_input_note(struct f2fs_context *ctx, const struct f2fs_input *from, int64_t *start);
/* Go back to where it begins. */
int source_input_rewind(struct f2fs_context *ctx, const struct f2fs_input *from, int64_t start);

#endif
