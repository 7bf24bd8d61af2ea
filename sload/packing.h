/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of sload.f2fs that tell what becomes compressed.
 */
#ifndef F2FSKIT_SLOAD_PACKING_H
#define F2FSKIT_SLOAD_PACKING_H

#include <f2fskit/populate.h>

struct sload_compress {
	int is_on;     /* -c was given */
	int has_other; /* an option was given that needs it */
	struct f2fs_populate_compression options;
	char names[1024], except[1024];
};

/* Each returns what is wrong with the value, or NULL. */
const char *sload_compress_algorithm(struct sload_compress *c, const char *value);
const char *sload_compress_cluster(struct sload_compress *c, const char *value);
const char *sload_compress_minimum(struct sload_compress *c, const char *value);
const char *sload_compress_name(struct sload_compress *c, const char *value);
const char *sload_compress_except(struct sload_compress *c, const char *value);

/* Complete the options; what is wrong with all of them together, or NULL. */
const char *sload_compress_finish(struct sload_compress *c, struct f2fs_populate_options *options);

#endif
