/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a trace of pages straight on a flash model: flash_replay MODEL BYTES [--each] < TRACE
 * A line is "w PAGE [COUNT]" (write), "r PAGE [COUNT]" (read), "t PAGE [COUNT]" (trim), or "s STREAM", which names the
 * stream of later writes; empty lines and those that begin with # are skipped.
 * Prints the counts as JSON. Every page that was written is looked at in the end, with --each after every line: it must
 * hold the last data written to it, and all tables must agree. Exits with 1 if not, or if a line is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftl.h"

struct replay {
	struct ftl *ftl;
	uint32_t *last; /* [pages]: the number of the last write, 0: none, or trimmed */
	uint32_t writes;
};

static int verify(const struct replay *replay, unsigned long line)
{
	const char *broken = ftl_check(replay->ftl);

	if (broken) {
		fprintf(stderr, "flash_replay: after line %lu: %s\n", line, broken);
		return -1;
	}
	for (uint32_t page = 0; page < ftl_pages(replay->ftl); page++) {
		if (ftl_stamp(replay->ftl, page) != replay->last[page]) {
			fprintf(stderr, "flash_replay: after line %lu: page %u holds write %u, not %u\n", line, page,
				ftl_stamp(replay->ftl, page), replay->last[page]);
			return -1;
		}
	}
	return 0;
}

static int take_line(struct replay *replay, const char *text, unsigned long line)
{
	unsigned long long first, count = 1;
	char op, extra;
	const int found = sscanf(text, " %c %llu %llu %c", &op, &first, &count, &extra);

	if (found <= 0 || op == '#')
		return 0;
	if (op == 's' && found == 2) {
		ftl_set_stream(replay->ftl, (unsigned)first);
		return 0;
	}
	if ((found != 2 && found != 3) || (op != 'w' && op != 't' && op != 'r')) {
		fprintf(stderr, "flash_replay: line %lu: not \"w PAGE [COUNT]\", nor r, t or s\n", line);
		return -1;
	}
	if (first >= ftl_pages(replay->ftl) || count > ftl_pages(replay->ftl) - first) {
		fprintf(stderr, "flash_replay: line %lu: there are %u pages\n", line, ftl_pages(replay->ftl));
		return -1;
	}
	for (uint32_t page = (uint32_t)first; page < first + count; page++) {
		if (op == 'r')
			ftl_read(replay->ftl, page);
		else if (op == 'w')
			ftl_write(replay->ftl, page);
		else
			ftl_trim(replay->ftl, page);
		if (op != 'r')
			replay->last[page] = op == 'w' ? ++replay->writes : 0;
	}
	return 0;
}

static void print_counts(const struct ftl *ftl)
{
	struct ftl_counts counts;

	ftl_count(ftl, &counts);
	printf("{\"model\": \"%s\", \"writes\": %llu, \"programs\": %llu, \"copies\": %llu, \"erases\": %llu, ",
	       ftl_name(ftl), (unsigned long long)counts.host_writes, (unsigned long long)counts.programs,
	       (unsigned long long)counts.copies, (unsigned long long)counts.erases);
	printf("\"full\": %llu, \"partial\": %llu, \"switches\": %llu, \"dead\": %llu, \"wai\": %.4f, \"wa\": %.4f, ",
	       (unsigned long long)counts.full, (unsigned long long)counts.partial,
	       (unsigned long long)counts.switches, (unsigned long long)counts.dead, ftl_wear_index(ftl),
	       ftl_write_amplification(ftl));
	printf("\"map_lookups\": %llu, \"map_hits\": %llu, \"map_reads\": %llu, \"map_writes\": %llu, ",
	       (unsigned long long)counts.map_lookups, (unsigned long long)counts.map_hits,
	       (unsigned long long)counts.map_reads, (unsigned long long)counts.map_writes);
	printf("\"wear_least\": %u, \"wear_most\": %u}\n", counts.wear_least, counts.wear_most);
}

/* Run all lines. Returns 0 when each was right and every page is as expected. */
static int run(struct replay *replay, int each)
{
	char text[256];
	unsigned long line = 0;

	for (uint32_t page = 0; page < ftl_pages(replay->ftl); page++) {
		replay->last[page] = ftl_stamp(replay->ftl, page); /* what fill=1 wrote */
		if (replay->last[page] > replay->writes)
			replay->writes = replay->last[page];
	}
	while (fgets(text, sizeof(text), stdin)) {
		line++;
		if (take_line(replay, text, line) != 0 || (each && verify(replay, line) != 0))
			return -1;
	}
	return verify(replay, line);
}

int main(int argc, char **argv)
{
	struct f2fs_context *ctx = NULL;
	struct replay replay = { 0 };
	int rc = -1;

	if (argc != 3 && !(argc == 4 && strcmp(argv[3], "--each") == 0)) {
		fprintf(stderr, "usage: flash_replay MODEL BYTES [--each] < TRACE\n");
		return 2;
	}
	if (f2fs_context_open(NULL, &ctx) != 0)
		return 1;
	if (ftl_open(ctx, argv[1], strtoull(argv[2], NULL, 10), 1, &replay.ftl) != 0) {
		fprintf(stderr, "flash_replay: %s\n", f2fs_context_error(ctx)->message);
	} else {
		replay.last = calloc(ftl_pages(replay.ftl), sizeof(*replay.last));
		if (replay.last)
			rc = run(&replay, argc == 4);
		if (rc == 0)
			print_counts(replay.ftl);
	}
	free(replay.last);
	ftl_close(replay.ftl);
	f2fs_context_close(ctx);
	return rc == 0 ? 0 : 1;
}
