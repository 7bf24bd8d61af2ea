/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One result, two forms.
 */
#include "outcome.h"

#include <stdio.h>

#include "cli/print.h"
#include "cli/size.h"

static const char *step_text(uint32_t kind)
{
	static const char *const texts[] = { [F2FS_RESIZE_SHRINK] = "empty the tail and cut it off",
					     [F2FS_RESIZE_EXTEND] = "add segments that the areas have room for",
					     [F2FS_RESIZE_RELAYOUT] = "write larger areas, by two hops",
					     [F2FS_RESIZE_HOME] = "finish an interrupted hop of the areas",
					     [F2FS_RESIZE_RESERVE] = "change the space kept for GC",
					     [F2FS_RESIZE_REDUCE] = "write smaller areas, by two hops" };

	return kind < sizeof(texts) / sizeof(texts[0]) && texts[kind] ? texts[kind] : "?";
}

/* Name the object of the sizes. */
static const char *subject_text(const struct outcome_subject *of, char *buffer, size_t size)
{
	if (!of->is_last_of_several)
		return of->path;
	if (of->last)
		snprintf(buffer, size, "%s, the last device of %s,", of->last, of->path);
	else
		snprintf(buffer, size, "the last device of %s", of->path);
	return buffer;
}

int outcome_text(const struct outcome_subject *of, const struct f2fs_resize_result *r, int is_done)
{
	char from[24], to[24], moved[24], what[OUTCOME_TEXT];

	for (uint32_t i = 0; i < r->step_count && !is_done; i++) {
		printf("step %u: %s: %u segments", (unsigned)i + 1, step_text(r->steps[i].kind),
		       (unsigned)r->steps[i].segments);
		if (r->steps[i].moved)
			printf(", the first %u main segments emptied", (unsigned)r->steps[i].moved);
		printf("\n");
	}
	if (!is_done)
		printf("blocks to move: %llu, about %u commits, %.1f seconds\nsmallest size%s: %llu bytes (%s)\n",
		       (unsigned long long)r->blocks_to_move, (unsigned)r->estimated_commits, r->estimated_seconds,
		       of->is_last_of_several ? " of the last device" : "", (unsigned long long)r->minimum_bytes,
		       cli_format_size(r->minimum_bytes, from));
	if (r->spare_segments)
		printf("tables: %u segments more than the size needs, which cannot be given back\n",
		       (unsigned)r->spare_segments);
	if (r->step_count == 0) {
		printf("Info: nothing to resize: %s takes %llu bytes (%s)\n", subject_text(of, what, sizeof(what)),
		       (unsigned long long)r->old_bytes, cli_format_size(r->old_bytes, from));
		return 0;
	}
	printf("Info: %s %s from %llu bytes (%s) to %llu (%s)", subject_text(of, what, sizeof(what)),
	       is_done ? "resized" : "would be resized", (unsigned long long)r->old_bytes,
	       cli_format_size(r->old_bytes, from), (unsigned long long)r->new_bytes,
	       cli_format_size(r->new_bytes, to));
	if (is_done)
		printf(": %llu blocks moved, %s of areas written, %u commits", (unsigned long long)r->moved_blocks,
		       cli_format_size(r->area_bytes, moved), (unsigned)r->commits);
	printf("\n");
	return 0;
}

int outcome_json(const struct f2fs_resize_result *r, int is_done)
{
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = { { "old_bytes", r->old_bytes },
		     { "new_bytes", r->new_bytes },
		     { "old_segments", r->old_segments },
		     { "new_segments", r->new_segments },
		     { "old_user_blocks", r->old_user_blocks },
		     { "new_user_blocks", r->new_user_blocks },
		     { "minimum_bytes", r->minimum_bytes },
		     { "device_bytes", r->device_bytes },
		     { "blocks_to_move", r->blocks_to_move },
		     { "moved_blocks", r->moved_blocks },
		     { "commits", r->commits },
		     { "area_bytes", r->area_bytes },
		     { "estimated_commits", r->estimated_commits },
		     { "estimated_ms", (uint64_t)(r->estimated_seconds * 1000) },
		     { "spare_segments", r->spare_segments } };
	struct cli_print *out = cli_print_open(stdout, CLI_JSON);

	if (!out)
		return -1;
	cli_print_begin(out, NULL);
	cli_print_bool(out, "done", is_done);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cli_print_u64(out, rows[i].name, rows[i].value);
	cli_print_bool(out, "device_is_short", r->device_is_short);
	cli_print_begin_array(out, "steps");
	for (uint32_t i = 0; i < r->step_count; i++) {
		cli_print_begin_element(out);
		cli_print_string(out, "kind", f2fs_resize_kind_name(r->steps[i].kind));
		cli_print_u64(out, "segments", r->steps[i].segments);
		cli_print_u64(out, "moved", r->steps[i].moved);
		cli_print_end(out);
	}
	cli_print_end_array(out);
	cli_print_end(out);
	return cli_print_close(out);
}
