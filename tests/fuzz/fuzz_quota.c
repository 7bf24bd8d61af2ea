/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a quota file: walk it, check it, look ids up. The work is bounded by the file's size, nothing outside of
 * it is read, and a lookup finds every entry of a walk.
 */
#include <stdlib.h>
#include <string.h>

#include "format/quota.h"
#include "format/quota_walk.h"
#include "fuzz/fuzz.h"

#define FILE_MAX (256u << 10)
#define LOOKUPS 20u

struct state {
	const uint8_t *data;
	uint64_t size;
	uint64_t reads;
	struct quota_file file;
	struct quota_work work, lookup_work;
	unsigned int entries;
};

static void expect(int condition)
{
	if (!condition)
		abort();
}

static int read_bytes(void *user, uint64_t offset, void *buf, size_t n)
{
	struct state *s = user;

	expect(offset <= s->size && n <= s->size - offset);
	memcpy(buf, s->data + offset, n);
	s->reads++;
	return 0;
}

static int on_entry(void *user, const struct quota_entry *entry)
{
	struct state *s = user;
	struct quota_file file = s->file;
	struct quota_entry again;

	if (s->entries++ < LOOKUPS) {
		expect(quota_lookup(&file, &s->lookup_work, entry->id, &again) == QUOTA_OK);
		expect(again.id == entry->id && again.inodes == entry->inodes && again.space == entry->space);
		expect(again.inodes_grace == entry->inodes_grace && again.space_hard == entry->space_hard);
	}
	return 0;
}

static int on_problem(void *user, const struct quota_problem *problem)
{
	(void)user;
	expect(problem->kind > QUOTA_FINE && problem->kind < QUOTA_PROBLEM_COUNT);
	expect(quota_problem_text(problem->kind) != NULL);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct quota_visitor visitor = { .entry = on_entry, .problem = on_problem };
	struct state *s;
	uint8_t *map;

	if (size > FILE_MAX)
		return 0;
	s = calloc(1, sizeof(*s));
	expect(s != NULL);
	s->data = data;
	s->size = size;
	visitor.user = s;
	if (quota_open(&s->file, read_bytes, s, size) == QUOTA_OK) {
		map = malloc(quota_check_size(&s->file));
		expect(map != NULL);
		expect(quota_walk(&s->file, &s->work, &visitor) == QUOTA_OK);
		expect(s->reads < (uint64_t)s->file.blocks * 257 + LOOKUPS * 5 + 2);
		expect(quota_check(&s->file, &s->work, map, &visitor) == QUOTA_OK);
		free(map);
	}
	free(s);
	return 0;
}
