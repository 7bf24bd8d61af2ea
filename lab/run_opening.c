/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open everything for a run of a variant: its configuration, sources, devices, volume and engine.
 */
#include "lab/run_opening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <f2fskit/placement.h>

#include "lab/ftl/ftl_device.h"
#include "lab/hollow.h"

struct source_params {
	const char *kind;
	double share;
	uint64_t read_back;
};

static const struct lab_param source_table[] = {
	{ "kind", LAB_WORD, (unsigned)offsetof(struct source_params, kind), "", 0, 0, "its kind" },
	{ "share", LAB_FRACTION, (unsigned)offsetof(struct source_params, share), "1", 1e-6, 1e6,
	  "of the bytes, against other sources that run at the same time" },
	{ "read_back", LAB_FLAG, (unsigned)offsetof(struct source_params, read_back), "false", 0, 0,
	  "after each round, look where the blocks of its files are, for the metrics of pieces and of read-ahead" },
};

/* The sources' names, in the order in which the file has them. */
static int find_names(struct lab_run *r)
{
	static const char prefix[] = "source.";

	for (unsigned i = 0; i < r->config->count; i++) {
		const struct lab_setting *s = &r->config->settings[i];
		const char *name = s->key + sizeof(prefix) - 1, *dot;
		unsigned k = 0;
		size_t n;

		if (strncmp(s->key, prefix, sizeof(prefix) - 1) != 0)
			continue;
		dot = strchr(name, '.');
		n = dot ? (size_t)(dot - name) : 0;
		if (n == 0 || n >= sizeof(r->names[0]))
			return lab_config_wrong(r->config, s, "is not in a table [source.NAME]");
		while (k < r->source_count && (strlen(r->names[k]) != n || strncmp(r->names[k], name, n) != 0))
			k++;
		if (k < r->source_count)
			continue;
		if (k == LAB_SOURCES)
			return lab_config_wrong(r->config, s, "is of one source too many");
		memcpy(r->names[k], name, n);
		r->names[k][n] = '\0';
		r->source_count++;
	}
	if (r->source_count > 0)
		return 0;
	snprintf(r->config->error, sizeof(r->config->error), "%s: there is no table [source.NAME]",
		 r->config->path ? r->config->path : "");
	return -1;
}

static int open_source(struct lab_run *r, unsigned i, uint64_t seed)
{
	const struct lab_source_type *type;
	const struct lab_setting *kind;
	struct source_params p;
	char prefix[96], key[112];

	snprintf(prefix, sizeof(prefix), "source.%s.", r->names[i]);
	if (lab_config_read(r->config, prefix, source_table, sizeof(source_table) / sizeof(source_table[0]), &p))
		return -1;
	type = lab_source_type_find(p.kind);
	if (!type) {
		snprintf(key, sizeof(key), "%skind", prefix);
		kind = lab_config_find(r->config, key);
		if (kind)
			return lab_config_wrong(r->config, kind, "is no kind of source; f2fs-lab list has them");
		snprintf(r->config->error, sizeof(r->config->error), "%s: [source.%s] has no kind",
			 r->config->path ? r->config->path : "", r->names[i]);
		return -1;
	}
	r->sources[i].name = r->names[i];
	r->sources[i].share = p.share;
	r->sources[i].reads_back = p.read_back != 0;
	return lab_source_open(type, r->config, prefix, seed * LAB_SOURCES + i, &r->sources[i].source);
}

/* Open the device. Sizes in percent refer to the space that the volume will have for users. */
static int open_device(struct lab_run *r)
{
	const struct f2fs_zone_options zones = { F2FS_SIZED(f2fs_zone_options),
						 .zone_bytes = r->volume.zone,
						 .conventional = (uint32_t)r->volume.conventional };
	int err = lab_hollow_open(r->ctx, r->volume.size / 4096 * 4096, &r->hollow);

	if (!err && r->volume.flash[0])
		err = ftl_device_open(r->ctx, r->volume.flash, r->hollow, 0, &r->ftl, &r->flash);
	if (!err && zones.zone_bytes > 0)
		err = f2fs_device_open_zoned(r->flash ? r->flash : r->hollow, &zones, &r->zoned);
	if (!err)
		err = lab_meter_open(r->ctx, r->zoned ? r->zoned : r->flash ? r->flash : r->hollow, &r->metered,
				     &r->meter);
	if (!err)
		err = lab_volume_room(r->ctx, r->metered, &r->volume, &r->config->whole);
	if (err)
		snprintf(r->config->error, sizeof(r->config->error), "[volume]: %.400s",
			 f2fs_context_error(r->ctx)->message);
	return err ? -1 : 0;
}

int lab_run_read(struct lab_run *r, uint64_t seed)
{
	unsigned count;
	const struct lab_param *table = lab_volume_table(&count);

	if (lab_config_read(r->config, "volume.", table, count, &r->volume))
		return -1;
	table = lab_engine_table(&count);
	if (lab_config_read(r->config, "engine.", table, count, &r->engine_params) || find_names(r) ||
	    open_device(r))
		return -1;
	if (r->engine_params.hints && (!r->ftl || strcmp(ftl_name(r->ftl), "multi") != 0)) {
		snprintf(r->config->error, sizeof(r->config->error),
			 "engine.hints is for a flash that takes them: volume.flash=multi:...");
		return -1;
	}
	for (unsigned i = 0; i < r->source_count; i++)
		if (open_source(r, i, seed))
			return -1;
	return lab_config_all_used(r->config);
}

/* Which log or stream does the flash get these bytes from? */
static unsigned hint(void *user, uint64_t offset)
{
	return f2fs_volume_write_hint(lab_engine_volume(user), (f2fs_blk_t)(offset / 4096));
}

int lab_run_open(struct lab_run *r)
{
	if (lab_engine_open(r->ctx, r->metered, &r->volume, &r->engine_params, r->future, &r->engine)) {
		if (!cli_stopped())
			cli_error_of(r->cli, r->ctx, "making the volume");
		return -1;
	}
	lab_engine_set_meter(r->engine, r->meter);
	if (r->engine_params.hints)
		ftl_set_hint(r->ftl, hint, r->engine);
	lab_meter_reset(r->meter); /* the library counts from the opening of the volume on */
	return 0;
}

void lab_run_close(struct lab_run *r)
{
	if (r->ftl)
		ftl_set_hint(r->ftl, NULL, NULL);
	lab_engine_close(r->engine);
	f2fs_device_close(r->metered);
	f2fs_device_close(r->zoned);
	f2fs_device_close(r->flash);
	f2fs_device_close(r->hollow);
	f2fs_context_close(r->ctx);
	for (unsigned i = 0; i < r->source_count; i++)
		lab_source_close(r->sources[i].source);
	free(r);
}
