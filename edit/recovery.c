/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command recover: finish a crashed session of the kernel.
 */
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/paths.h"

int do_recover(struct edit *e, const struct edit_call *call)
{
	const struct f2fs_recover_options options = { F2FS_SIZED(f2fs_recover_options),
						      .flags = call->options['d'] ? F2FS_RECOVER_DROP_CHAIN : 0 };
	struct f2fs_recover_result result = { F2FS_SIZED(f2fs_recover_result) };
	struct cli_print *out;
	int rc = f2fs_recover(e->vol, &options, &result);

	if (rc)
		return edit_fail(e, rc, "recover");
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_bool(out, "changed", result.changed);
	cli_print_u64(out, "inodes", result.inodes);
	cli_print_u64(out, "new_inodes", result.new_inodes);
	cli_print_u64(out, "names", result.names);
	cli_print_u64(out, "replaced", result.replaced);
	cli_print_u64(out, "nodes", result.nodes);
	cli_print_u64(out, "blocks", result.blocks);
	cli_print_u64(out, "orphans", result.orphans);
	cli_print_end(out);
	return edit_print_close(e, out);
}
