/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the text that names a model and its parameters. */
#ifndef F2FSKIT_LAB_FTL_OPTIONS_H
#define F2FSKIT_LAB_FTL_OPTIONS_H

#include "ftl_model.h"

/* Read the text; *model and *options are set. Return 0 or INVALID, recorded in ctx. */
int ftl_parse(struct f2fs_context *ctx, const char *text, const struct ftl_model **model,
	      struct ftl_options *options);

#endif
