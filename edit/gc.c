/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command gc: collect garbage with a budget, or report the plan.
 */
#include <string.h>

#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"

#define POLICY_NAME(id, number, name, text) name ", "

static int parse_count(struct edit *e, const struct edit_call *call, char letter, uint32_t most, uint32_t *out)
{
	const char *value = call->options[(unsigned char)letter], *why;
	char name[8] = "gc -";

	if (!value)
		return 0;
	why = cli_parse_u32(value, 1, most, out);
	if (!why)
		return 0;
	name[4] = letter;
	name[5] = '\0';
	return edit_usage(e, name, value, why);
}

static int parse(struct edit *e, const struct edit_call *call, struct f2fs_gc_options *o)
{
	uint32_t blocks = 0, mebibytes = 0;
	int rc, policy = F2FS_GC_GREEDY, target = F2FS_GC_TO_LOG;

	if (edit_has(call, 'p'))
		policy = f2fs_gc_policy_find(call->options['p']);
	if (edit_has(call, 'T'))
		target = f2fs_gc_target_find(call->options['T']);
	if (policy < 0)
		return edit_usage(e, "gc -p", call->options['p'],
				  "is none of " F2FS_GC_POLICY_TABLE(POLICY_NAME) "age-threshold");
	if (target < 0)
		return edit_usage(e, "gc -T", call->options['T'], "is none of log, age, holes, adaptive");
	rc = parse_count(e, call, 's', UINT32_MAX, &o->sections);
	if (!rc)
		rc = parse_count(e, call, 'f', UINT32_MAX, &o->free_goal);
	if (!rc)
		rc = parse_count(e, call, 'b', UINT32_MAX, &blocks);
	if (!rc)
		rc = parse_count(e, call, 'w', UINT32_MAX, &mebibytes);
	if (!rc)
		rc = parse_count(e, call, 't', UINT32_MAX, &o->seconds);
	if (!rc)
		rc = parse_count(e, call, 'u', 100, &o->used_limit);
	o->policy = (uint32_t)policy;
	o->blocks = blocks;
	o->bytes = (uint64_t)mebibytes << 20;
	o->dry_run = (uint8_t)edit_has(call, 'n');
	o->target = (uint8_t)target;
	o->move_pinned = (uint8_t)edit_has(call, 'P');
	return rc;
}

static const char *reason(const struct f2fs_gc_result *r)
{
	static const char *const texts[] = { [F2FS_GC_DONE] = "no section is left that is worth it",
					     [F2FS_GC_LIMIT] = "the limit was reached",
					     [F2FS_GC_NO_ROOM] = "there is too little room to move more",
					     [F2FS_GC_STOPPED] = "it was stopped" };

	return texts[r->end];
}

static void print_text(const struct f2fs_gc_result *r, int dry_run, int moves_pinned)
{
	printf("%s %u of %u sections: %llu blocks of data, %llu nodes; %u free sections %s %u; %s\n",
	       dry_run ? "would empty" : "emptied", (unsigned)r->sections, (unsigned)r->candidates,
	       (unsigned long long)r->data_blocks, (unsigned long long)r->node_blocks, (unsigned)r->free_before,
	       dry_run ? "would become about" : "became", (unsigned)r->free_after, reason(r));
	if (r->end == F2FS_GC_NO_ROOM && r->next_blocks)
		printf("section %u did not fit: moving its %u blocks in use writes %u nodes besides\n",
		       (unsigned)r->next_section, (unsigned)r->next_blocks, (unsigned)r->next_nodes);
	if (r->pinned)
		printf("%u sections left alone: they hold blocks of pinned files%s\n", (unsigned)r->pinned,
		       moves_pinned ? " that stand for devices" : " (-P) or devices");
	if (r->unconfirmed + r->unreadable)
		printf("%u sections left alone: damaged or unreadable, see fsck.f2fs\n",
		       (unsigned)(r->unconfirmed + r->unreadable));
}

static int print_json(struct edit *e, const struct f2fs_gc_result *r, int dry_run)
{
	struct cli_print *out = edit_print_open(e);
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = { { "sections", r->sections },	  { "candidates", r->candidates },
		     { "data_blocks", r->data_blocks },	  { "node_blocks", r->node_blocks },
		     { "commits", r->commits },		  { "free_before", r->free_before },
		     { "free_after", r->free_after },	  { "pinned", r->pinned },
		     { "unconfirmed", r->unconfirmed },	  { "unreadable", r->unreadable },
		     { "next_section", r->next_section }, { "next_blocks", r->next_blocks },
		     { "next_nodes", r->next_nodes } };

	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_string(out, "end", f2fs_gc_end_name(r->end));
	cli_print_bool(out, "dry_run", dry_run);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cli_print_u64(out, rows[i].name, rows[i].value);
	cli_print_end(out);
	return edit_print_close(e, out);
}

int do_gc(struct edit *e, const struct edit_call *call)
{
	struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options) };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
	int rc = parse(e, call, &options), shown;

	if (!rc && !options.dry_run)
		rc = edit_need_write(e, "gc");
	if (!rc)
		rc = edit_commit(e); /* what waits would have to be counted and moved, too */
	if (rc)
		return rc;
	if (options.move_pinned && !options.dry_run)
		cli_warning(&e->cli, "pinned files move: update the programs that have stored their addresses "
				     "(boot loaders, swap, device-mapper tables)");
	rc = f2fs_gc(e->vol, &options, &result);
	if (rc)
		edit_fail(e, rc, "gc");
	if (rc && result.sections == 0)
		return rc;
	if (!e->is_json)
		print_text(&result, options.dry_run, options.move_pinned);
	shown = e->is_json ? print_json(e, &result, options.dry_run) : 0;
	fflush(stdout); /* a program that was stopped ends without it */
	return rc ? rc : shown;
}
