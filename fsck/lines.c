/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * "[FSCK] valid_block_count matching with CP             [Ok..] [0x2]": each line stands for problems of the table; a
 * problem that none of them names belongs to the last one.
 */
#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum value { NO_VALUE, LOST, HARD_LINKS, BLOCKS, NODES, INODES, FREE_SEGMENTS };

struct line {
	const char *text;
	const char *problems; /* names, each between blanks; NULL: all others */
	enum value value;
};

static const struct line lines[] = {
	{ "Unreachable nat entries", " NODE_LOST DIR_LOST FILE_LOST ", LOST },
	{ "SIT valid block bitmap checking", " SIT_MISSING SIT_EXTRA SIT_COUNT ", NO_VALUE },
	{ "Hard link checking for regular file", " LINKS_FILE ", HARD_LINKS },
	{ "valid_block_count matching with CP", " CP_VALID_BLOCKS ", BLOCKS },
	{ "valid_node_count matching with CP (de lookup)", " DENTRY_DEAD NODE_CHILD_FREE ", NODES },
	{ "valid_node_count matching with CP (nat lookup)", " CP_VALID_NODES ", NODES },
	{ "valid_inode_count matched with CP", " CP_VALID_INODES ", INODES },
	{ "free segment_count matched with CP", " CP_FREE_SEGMENTS ", FREE_SEGMENTS },
	{ "next block offset is free", " LOG_NOT_FREE LOG_TAIL ", NO_VALUE },
	{ "fixing SIT types", " SIT_TYPE SIT_CLASS LOG_TYPE ", NO_VALUE },
	{ "other corrupted bugs", NULL, NO_VALUE },
};
enum { LINE_COUNT = sizeof(lines) / sizeof(lines[0]), NAME_ROOM = 48 };

static int is_listed(const struct line *line, const char *name)
{
	char wanted[NAME_ROOM];

	snprintf(wanted, sizeof(wanted), " %s ", name);
	return strstr(line->problems, wanted) != NULL;
}

static unsigned line_of(const char *name)
{
	unsigned i = 0;

	while (lines[i].problems && !is_listed(&lines[i], name))
		i++;
	return i;
}

static void put_line(const struct line *line, uint64_t count, const struct f2fs_check_result *result)
{
	const uint64_t values[] = {
		[LOST] = count,		 [HARD_LINKS] = result->hard_links, [BLOCKS] = result->blocks,
		[NODES] = result->nodes, [INODES] = result->inodes,	    [FREE_SEGMENTS] = result->free_segments
	};

	printf("[FSCK] %-46s [%s]", line->text, count ? "Fail" : "Ok..");
	if (line->value != NO_VALUE)
		printf(" [0x%llx]", (unsigned long long)values[line->value]);
	putchar('\n');
}

void classic_summary(const struct report *r, const struct f2fs_check_result *result, struct f2fs_volume *vol)
{
	uint64_t counts[LINE_COUNT] = { 0 };

	for (unsigned i = 0; i < r->problem_count; i++)
		if (f2fs_problem_at(i)->severity != F2FS_SEVERITY_NOTE)
			counts[line_of(f2fs_problem_at(i)->name)] += r->counts[i];
	putchar('\n');
	if (vol) {
		struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

		f2fs_volume_statfs(vol, &st);
		printf("[FSCK] Max image size: %llu MB, Free space: %llu MB\n",
		       (unsigned long long)(result->end_block * f2fs_volume_geometry(vol)->block_size) >> 20,
		       (unsigned long long)(st.free_blocks * f2fs_volume_geometry(vol)->block_size) >> 20);
	}
	for (unsigned i = 0; i < LINE_COUNT; i++)
		put_line(&lines[i], counts[i], result);
}
