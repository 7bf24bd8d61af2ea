/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open and close placements of other papers by name.
 */
#include "lab/baseline.h"
#include "lab/baseline_future.h"

#include <stdlib.h>
#include <string.h>

#include <f2fskit/context.h>

static const struct {
	const char *name;
	size_t (*make)(const struct f2fs_geometry *geo, struct f2fs_placement *out);
} baselines[] = {
#define BASELINE(name, paper) { #name, lab_baseline_##name },
#include "lab/baselines.def"
#undef BASELINE
};
enum { BASELINES = sizeof(baselines) / sizeof(baselines[0]) };

static const struct {
	const char *name;
	double (*cost)(void *user, const struct f2fs_gc_section *section);
} victims[] = {
#define VICTIMS(name) { #name, lab_baseline_##name##_cost },
#include "lab/baseline_victims.def"
#undef VICTIMS
};

struct lab_baseline {
	struct f2fs_volume *vol;
	struct f2fs_placement placement;
	double (*cost)(void *user, const struct f2fs_gc_section *section);
	uint64_t bytes;
};

static unsigned find(const char *name)
{
	unsigned i = 0;

	while (i < BASELINES && strcmp(baselines[i].name, name) != 0)
		i++;
	return i;
}

int lab_baseline_is(const char *name)
{
	return find(name) < BASELINES || lab_baseline_is_future(name);
}

int lab_baseline_is_future(const char *name)
{
	return strcmp(name, "future") == 0;
}

int lab_baseline_open(struct f2fs_volume *vol, const char *name, struct lab_future *future, struct lab_baseline **out)
{
	struct f2fs_context *ctx = f2fs_volume_context(vol);
	const unsigned i = find(name);
	struct lab_baseline *b;
	int err;

	*out = NULL;
	if (!lab_baseline_is(name))
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID, "there is no baseline of this name");
	b = calloc(1, sizeof(*b));
	if (!b)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for a placement");
	b->vol = vol;
	b->placement.struct_size = sizeof(b->placement);
	for (unsigned k = 0; k < sizeof(victims) / sizeof(victims[0]); k++)
		if (strcmp(victims[k].name, name) == 0)
			b->cost = victims[k].cost;
	if (i < BASELINES)
		b->bytes = baselines[i].make(f2fs_volume_geometry(vol), &b->placement);
	else
		b->bytes = lab_future_placement(future, f2fs_volume_geometry(vol), &b->placement);
	err = b->bytes ? f2fs_volume_set_placement(vol, &b->placement)
		       : f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for a placement");
	if (err) {
		free(b->placement.user);
		free(b);
		return err;
	}
	*out = b;
	return 0;
}

void lab_baseline_victims(const struct lab_baseline *baseline, struct f2fs_gc_options *gc)
{
	gc->cost = baseline->cost;
	gc->user = baseline->placement.user;
}

uint64_t lab_baseline_bytes(const struct lab_baseline *baseline)
{
	return baseline->bytes;
}

void lab_baseline_close(struct lab_baseline *baseline)
{
	struct f2fs_context *ctx;
	struct f2fs_error_detail before;

	if (!baseline)
		return;
	ctx = f2fs_volume_context(baseline->vol);
	before = *f2fs_context_error(ctx);
	(void)f2fs_volume_set_gc(baseline->vol, NULL); /* its victims */
	(void)f2fs_volume_set_placement(baseline->vol, NULL);
	free(baseline->placement.user);
	free(baseline);
	if (before.code)
		(void)f2fs_context_fail(ctx, before.code, before.message);
}
