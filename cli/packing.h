/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What becomes compressed when a volume is filled: options of sload.f2fs and mkfs.f2fs.
 */
#ifndef F2FSKIT_CLI_PACKING_H
#define F2FSKIT_CLI_PACKING_H

#include <f2fskit/populate.h>

struct cli_packing {
	int is_on;     /* --compress was given */
	int has_other; /* an option was given that needs it */
	struct f2fs_populate_compression options;
	char names[1024], except[1024];
};

/* To begin with. */
#define CLI_PACKING_DEFAULT { .options.how.algorithm = F2FS_COMPRESS_LZ4 }

/* Each returns what is wrong with the value, or NULL. */
const char *cli_packing_algorithm(struct cli_packing *c, const char *value);
const char *cli_packing_cluster(struct cli_packing *c, const char *value);
const char *cli_packing_minimum(struct cli_packing *c, const char *value);
const char *cli_packing_name(struct cli_packing *c, const char *value);
const char *cli_packing_except(struct cli_packing *c, const char *value);

/* Complete the options; what is wrong with all of them together, or NULL. */
const char *cli_packing_finish(struct cli_packing *c, struct f2fs_populate_options *options);

#endif
