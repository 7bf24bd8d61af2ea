/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of writing that programs share (logging.def): logging, a placement, and GC when there is no room.
 */
#ifndef F2FSKIT_CLI_WRITER_H
#define F2FSKIT_CLI_WRITER_H

#include <f2fskit/gc.h>
#include <f2fskit/engine.h>

#include "cli/opt.h"
#include "cli/placement.h"

struct cli_writer {
	struct f2fs_write_options options;
	int no_gc;
	int has_placement;
	struct cli_placement placement;
	struct f2fs_hotness *hotness; /* while the volume is open */
};

/* Options that programs share: see cli/opt.h. */
enum cli_writer_option {
	CLI_WRITER_FIRST = CLI_WRITER_NONE,
#define WRITER_OPTION(id, letter, name, arg, arg_name, help, doc) CLI_WRITER_##id,
#include "cli/logging.def"
#undef WRITER_OPTION
	CLI_WRITER_END,
};

static inline int cli_is_writer_option(int id)
{
	return id > CLI_WRITER_FIRST && id < CLI_WRITER_END;
}

/* Take one of them. Returns NULL, or an error text about its value. */
const char *cli_writer_take(struct cli_writer *writer, int id, const char *value);
/* Write the volume so from now on; an error code, which the volume's context explains. */
int cli_writer_apply(struct cli_writer *writer, struct f2fs_volume *vol);
/* Before the volume is closed, whatever happened to it. */
void cli_writer_close(struct cli_writer *writer, struct f2fs_volume *vol);

#endif
