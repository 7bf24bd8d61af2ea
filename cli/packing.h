/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of compression when sload.f2fs and mkfs.f2fs fill a volume.
 */
#ifndef F2FSKIT_CLI_PACKING_H
#define F2FSKIT_CLI_PACKING_H

#include <f2fskit/populate.h>

#include "cli/opt.h"

struct cli_packing {
	int is_on;     /* --compress was given */
	int has_other; /* an option was given that needs it */
	struct f2fs_populate_compression options;
	char names[1024], except[1024];
};

/* To begin with. */
#define CLI_PACKING_DEFAULT { .options.how.algorithm = F2FS_COMPRESS_LZ4 }

/* Options that programs share: see cli/opt.h. A program says by CLI_PACKING_LETTER whether they have letters. */
enum cli_packing_option {
	CLI_PACKING_FIRST = CLI_PACKING_NONE,
#define PACKING_OPTION(id, letter, name, arg, arg_name, help, doc) CLI_PACKING_##id,
#include "cli/packing.def"
#undef PACKING_OPTION
	CLI_PACKING_END
};

static inline int cli_is_packing_option(int id)
{
	return id > CLI_PACKING_FIRST && id < CLI_PACKING_END;
}

/* Take one of them. Returns NULL, or an error text about its value. */
const char *cli_packing_take(struct cli_packing *c, int id, const char *value);

/* Complete the options. Returns NULL, or an error text about the options as a whole. */
const char *cli_packing_finish(struct cli_packing *c, struct f2fs_populate_options *options);

#endif
