/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drive our engine: operations become calls of the library. Handles of files stay open up to a limit. Otherwise the run
 * would measure lookups of paths.
 */
#include "lab/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/placement.h"
#include "lab/baseline.h"
#include "lab/cold_lookup.h"
#include "lab/hollow.h"
#include "lab/idle_time.h"
#include "lab/own_policy.h"
#include "lab/pointer_blocks.h"

enum { OPEN_MOST = 4096, PIECE = 1 << 20, BLOCK_BITS = 12, NAME_ROOM = 128 };

struct file {
	struct f2fs_inode *inode; /* NULL: not open */
	f2fs_nid_t ino;		  /* 0: there is none */
	char *path;
};

struct files {
	struct file *items;
	uint32_t room;
};

struct opened {
	uint32_t source, file;
};

struct lab_engine {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct f2fs_hotness *hotness; /* the library's placement, or NULL */
	struct lab_baseline *baseline; /* or one of another paper, or NULL */
	struct lab_own_policy *own;   /* or one in Python, or NULL */
	struct f2fs_device *sidecar;  /* its, or NULL */
	const struct lab_engine_params *params;
	struct files *sources;
	unsigned source_count;
	struct opened open[OPEN_MOST]; /* a ring: the oldest is closed first */
	unsigned open_at;
	struct lab_asked asked;
	uint64_t committed; /* asked.blocks at the last commit */
	struct f2fs_device *dev; /* the volume's, and its meter */
	const struct lab_meter *meter;
	uint8_t is_changed; /* since the last commit */
	uint8_t zeros[PIECE], contents[PIECE];
};

static const struct lab_param volume_table[] = {
#define PARAM(key, kind, standard, min, max, help)                                                                     \
	LAB_PARAM_ROW(lab_volume_params, key, kind, standard, min, max, help)
#include "lab/volume.def"
#undef PARAM
};

static const struct lab_param engine_table[] = {
#define PARAM(key, kind, standard, min, max, help)                                                                     \
	LAB_PARAM_ROW(lab_engine_params, key, kind, standard, min, max, help)
#include "lab/engine.def"
#undef PARAM
};

const struct lab_param *lab_volume_table(unsigned *count)
{
	*count = sizeof(volume_table) / sizeof(volume_table[0]);
	return volume_table;
}

const struct lab_param *lab_engine_table(unsigned *count)
{
	*count = sizeof(engine_table) / sizeof(engine_table[0]);
	return engine_table;
}

static const uint8_t volume_uuid[16] = { 'f', '2', 'f', 's', '-', 'l', 'a', 'b' };

static struct f2fs_mkfs_options mkfs_options(const struct lab_volume_params *v)
{
	return (struct f2fs_mkfs_options){
		F2FS_SIZED(f2fs_mkfs_options),
		.overprovision = v->overprovision,
		.segs_per_sec = (uint32_t)v->segs_per_sec,
		.secs_per_zone = (uint32_t)v->secs_per_zone,
		.zoned = v->zone > 0,
		.no_discard = v->zone == 0,
		.has_time = 1,
		.uuid = volume_uuid,
		.checkpoint_version = 1,
		.label = "f2fs-lab",
	};
}

int lab_volume_room(struct f2fs_context *ctx, struct f2fs_device *dev, const struct lab_volume_params *volume,
		    uint64_t *bytes)
{
	const struct f2fs_mkfs_device device = { .device = dev };
	const struct f2fs_mkfs_options options = mkfs_options(volume);
	struct f2fs_layout layout;
	int err = f2fs_mkfs_plan(ctx, &device, 1, &options, &layout);

	*bytes = err ? 0 : layout.user_blocks << BLOCK_BITS;
	return err;
}

static int make(struct f2fs_context *ctx, struct f2fs_device *dev, const struct lab_volume_params *v)
{
	const struct f2fs_mkfs_device device = { .device = dev };
	const struct f2fs_mkfs_options options = mkfs_options(v);

	return f2fs_mkfs_write(ctx, &device, 1, &options, NULL);
}

static int open_placement(struct lab_engine *e, struct f2fs_hotness_options *options)
{
	int err = 0;

	if (e->params->sidecar)
		err = lab_hollow_open(e->ctx, f2fs_hotness_sidecar_bytes(e->vol), &e->sidecar);
	options->sidecar = e->sidecar;
	return err ? err : f2fs_hotness_open(e->vol, options, &e->hotness);
}

/* Use a policy of the host's own: its placement, its victims, or both. */
static int open_own(struct lab_engine *e, struct f2fs_gc_options *cleaning)
{
	struct f2fs_placement placement = { 0 };
	int err;

	if (strcmp(e->params->placement, "none") != 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID,
					 "engine.policy and engine.placement exclude each other");
	err = lab_own_policy_open(e->ctx, e->params->policy, &placement, cleaning, &e->own);
	if (!err && placement.streams)
		err = f2fs_volume_set_placement(e->vol, &placement);
	if (err) {
		lab_own_policy_close(e->own);
		e->own = NULL;
	}
	return err;
}

static int configure(struct lab_engine *e, struct lab_future *future)
{
	const struct lab_engine_params *p = e->params;
	const struct f2fs_write_options options = {
		F2FS_SIZED(f2fs_write_options),
		.logs = (uint8_t)p->logs,
		.logging = (uint8_t)f2fs_logging_find(p->logging),
		.low_sections = (uint8_t)p->low_sections,
		.low_is_exact = (uint8_t)p->low_is_exact,
		.temperature = (uint8_t)f2fs_temperature_find(p->temperature),
		.cold_apart = (uint8_t)p->cold_apart,
		.discard = (uint8_t)p->discard,
		.discard_unit = (uint8_t)f2fs_discard_unit_find(p->discard_unit),
		.commit_when_full = 1,
		.clock_stands = 1,
		.fsync_mode = (uint8_t)f2fs_fsync_mode_find(p->fsync_mode),
		.at_once = (uint8_t)p->at_once, /* as most experiments are about writes that reach the device */
	};
	struct cli_placement placement = { .victims = F2FS_GC_GREEDY }; /* of baselines, too, without their own */
	char text[128];
	const int is_baseline = lab_baseline_is(p->placement);
	const int is_placed = !is_baseline && strcmp(p->placement, "none") != 0;
	const char *wrong = is_placed ? cli_parse_placement(p->placement, &placement) : NULL;
	const int policy = p->cleaning[0] ? f2fs_gc_policy_find(p->cleaning) : (int)placement.victims;
	struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options), .policy = (uint32_t)policy,
						  .free_goal = (uint32_t)p->clean_goal,
						  .used_limit = (uint32_t)p->used_limit,
						  .like_kernel = (uint8_t)p->like_kernel,
						  .target = (uint8_t)f2fs_gc_target_find(p->target),
						  .request_cost = (uint32_t)p->request_cost };
	int err;

	if (f2fs_logging_find(p->logging) < 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID,
					 "engine.logging is none of adaptive, normal, threaded");
	if (f2fs_temperature_find(p->temperature) < 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID,
					 "engine.temperature is none of table, slides, kernel");
	if (f2fs_gc_policy_find(p->idle_cleaning) < 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID, "engine.idle_cleaning names no policy");
	if (f2fs_gc_target_find(p->target) < 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID,
					 "engine.target is none of log, age, holes, adaptive");
	if (f2fs_fsync_mode_find(p->fsync_mode) < 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID, "engine.fsync_mode is none of strict, posix");
	if (f2fs_discard_unit_find(p->discard_unit) < 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID,
					 "engine.discard_unit is none of block, segment, section");
	if (policy < 0 && strcmp(p->cleaning, "none") != 0)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID, "engine.cleaning names no policy, nor is it none");
	if (wrong) {
		snprintf(text, sizeof(text), "engine.placement %s", wrong);
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID, text);
	}
	if (p->sidecar && !is_placed)
		return f2fs_context_fail(e->ctx, F2FS_ERR_INVALID, "engine.sidecar is of engine.placement=m2h alone");
	err = f2fs_volume_configure(e->vol, &options);
	if (!err && p->policy[0])
		err = open_own(e, &cleaning);
	if (!err && is_baseline)
		err = lab_baseline_open(e->vol, p->placement, future, &e->baseline);
	if (!err && is_baseline && !p->cleaning[0])
		lab_baseline_victims(e->baseline, &cleaning);
	if (!err && policy >= 0)
		err = f2fs_volume_set_gc(e->vol, &cleaning);
	return err || !is_placed ? err : open_placement(e, &placement.options);
}

int lab_engine_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct lab_volume_params *volume,
		    const struct lab_engine_params *params, struct lab_future *future, struct lab_engine **out)
{
	struct lab_engine *e = calloc(1, sizeof(*e));
	int err;

	*out = NULL;
	if (!e)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for an engine");
	e->ctx = ctx;
	e->params = params;
	e->dev = dev;
	for (unsigned i = 0; i < OPEN_MOST; i++)
		e->open[i].source = UINT32_MAX;
	err = make(ctx, dev, volume);
	if (!err)
		err = f2fs_volume_open(ctx, dev, NULL, &e->vol);
	if (!err)
		err = configure(e, future);
	if (err) {
		const struct f2fs_error_detail why = *f2fs_context_error(ctx);

		lab_engine_close(e); /* by public calls, which clear the error */
		return f2fs_context_fail(ctx, err, why.message);
	}
	*out = e;
	return 0;
}

static int no_memory(struct lab_engine *e)
{
	return f2fs_context_fail(e->ctx, F2FS_ERR_NOMEM, "no memory for the table of files");
}

/* The entry of a file, made when it is missing; NULL without memory. */
static struct file *file_of(struct lab_engine *e, unsigned source, uint32_t number)
{
	struct files *files;

	if (source >= e->source_count) {
		struct files *more = realloc(e->sources, (source + 1) * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + e->source_count, 0, (source + 1 - e->source_count) * sizeof(*more));
		e->sources = more;
		e->source_count = source + 1;
	}
	files = &e->sources[source];
	if (number >= files->room) {
		const uint32_t room = number < 64 ? 128 : number + number / 2;
		struct file *more = realloc(files->items, room * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + files->room, 0, (room - files->room) * sizeof(*more));
		files->items = more;
		files->room = room;
	}
	return &files->items[number];
}

static void keep_open(struct lab_engine *e, unsigned source, uint32_t number, struct f2fs_inode *inode)
{
	struct opened *slot = &e->open[e->open_at];
	struct file *old = slot->source < e->source_count && slot->file < e->sources[slot->source].room
				   ? &e->sources[slot->source].items[slot->file]
				   : NULL;

	if (old && old->inode) {
		f2fs_inode_close(old->inode);
		old->inode = NULL;
	}
	*slot = (struct opened){ source, number };
	e->open_at = (e->open_at + 1) % OPEN_MOST;
	e->sources[source].items[number].inode = inode;
}

static int need_open(struct lab_engine *e, unsigned source, uint32_t number, struct f2fs_inode **out)
{
	struct file *f = file_of(e, source, number);
	int err;

	if (!f)
		return no_memory(e);
	*out = f->inode;
	if (f->inode)
		return 0;
	if (!f->ino)
		return f2fs_context_fail(e->ctx, F2FS_ERR_NOT_FOUND, "the load names a file that it did not make");
	err = f2fs_inode_open(e->vol, f->ino, out);
	if (!err)
		keep_open(e, source, number, *out);
	return err;
}

/* Open the directory that the first n bytes of a path name, making it when it is missing. */
static int open_directory(struct lab_engine *e, const char *path, size_t n, struct f2fs_inode **out)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0040755,
				       .dir_level = (uint32_t)e->params->dir_level };
	char part[NAME_ROOM];
	struct f2fs_inode *parent;
	const char *name;
	size_t cut = n;
	int err;

	if (n >= sizeof(part))
		return f2fs_context_fail(e->ctx, F2FS_ERR_NAME_TOO_LONG, "the path of a load is too long");
	memcpy(part, path, n);
	part[n] = '\0';
	err = f2fs_lookup(e->vol, n ? part : "/", 0, out);
	if (err != F2FS_ERR_NOT_FOUND || n == 0)
		return err;
	while (cut > 0 && path[cut - 1] != '/')
		cut--;
	name = path + cut;
	err = open_directory(e, path, cut ? cut - 1 : 0, &parent); /* as deep as the path has parts: a handful */
	if (err)
		return err;
	err = f2fs_create(parent, name, n - cut, &spec, out);
	f2fs_inode_close(parent);
	return err;
}

static int with_parent(struct lab_engine *e, const char *path, struct f2fs_inode **parent, const char **name)
{
	const char *slash = strrchr(path, '/');

	*name = slash + 1;
	return open_directory(e, path, (size_t)(slash - path), parent);
}

static int do_create(struct lab_engine *e, unsigned source, const struct lab_op *op)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct file *f = file_of(e, source, op->file);
	struct f2fs_inode *parent, *inode;
	char path[NAME_ROOM];
	const char *name;
	int err;

	if (!f)
		return no_memory(e);
	snprintf(path, sizeof(path), "/s%u/%s", source, op->name);
	free(f->path);
	f2fs_inode_close(f->inode);
	f->inode = NULL;
	f->path = strdup(path);
	if (!f->path)
		return no_memory(e);
	err = with_parent(e, f->path, &parent, &name);
	if (err)
		return err;
	err = f2fs_create(parent, name, strlen(name), &spec, &inode);
	f2fs_inode_close(parent);
	if (err)
		return err;
	f->ino = f2fs_inode_number(inode);
	keep_open(e, source, op->file, inode);
	e->asked.creates++;
	return 0;
}

static int do_remove(struct lab_engine *e, unsigned source, const struct lab_op *op)
{
	struct file *f = file_of(e, source, op->file);
	struct f2fs_inode *parent;
	const char *name;
	int err;

	if (!f)
		return no_memory(e);
	if (!f->ino)
		return f2fs_context_fail(e->ctx, F2FS_ERR_NOT_FOUND, "the load removes a file that it did not make");
	f2fs_inode_close(f->inode);
	f->inode = NULL;
	f->ino = 0;
	err = with_parent(e, f->path, &parent, &name);
	if (err)
		return err;
	err = f2fs_remove(parent, name, strlen(name));
	f2fs_inode_close(parent);
	e->asked.removes++;
	return err;
}

static int do_write(struct lab_engine *e, struct f2fs_inode *inode, const struct lab_op *op)
{
	for (uint64_t done = 0; done < op->length;) {
		const uint64_t left = op->length - done, n = left < PIECE ? left : PIECE;
		const int err = f2fs_inode_write(inode, op->offset + done, e->zeros, (size_t)n);

		if (err)
			return err;
		done += n;
	}
	if (op->length) {
		const uint64_t first = op->offset >> BLOCK_BITS, last = (op->offset + op->length - 1) >> BLOCK_BITS;

		e->asked.blocks += last - first + 1;
		e->asked.pointers += lab_pointer_blocks(first, last);
	}
	return 0;
}

static int do_read(struct lab_engine *e, unsigned source, const struct lab_op *op)
{
	struct f2fs_inode *inode;
	int err = need_open(e, source, op->file, &inode);
	size_t n = 1;

	e->asked.reads++;
	for (uint64_t done = 0; !err && n > 0 && done < op->length; done += n) {
		const uint64_t left = op->length - done;

		err = f2fs_inode_read(inode, op->offset + done, e->contents, (size_t)(left < PIECE ? left : PIECE), &n);
		e->asked.read_blocks += err ? 0 : (n + 4095) >> BLOCK_BITS;
	}
	return err;
}

static int commit(struct lab_engine *e)
{
	int err = f2fs_volume_commit(e->vol);

	e->committed = e->asked.blocks;
	e->is_changed = 0;
	e->asked.commits++;
	return err ? err : f2fs_volume_elapse(e->vol, e->params->commit_seconds);
}

static int do_lookup(struct lab_engine *e, unsigned source, uint32_t number)
{
	const struct file *f = file_of(e, source, number);
	uint64_t blocks = 0;
	int err;

	if (!f)
		return no_memory(e);
	if (!f->ino)
		return f2fs_context_fail(e->ctx, F2FS_ERR_NOT_FOUND, "the load looks up a file that it did not make");
	err = e->is_changed ? commit(e) : 0; /* the reader sees checkpoints */
	if (!err)
		err = lab_cold_lookup(e->ctx, e->dev, e->meter, f->path, &blocks);
	e->asked.lookups++;
	e->asked.lookup_blocks += blocks;
	return err;
}

static int do_to_file(struct lab_engine *e, unsigned source, const struct lab_op *op)
{
	struct f2fs_inode *inode;
	int err = need_open(e, source, op->file, &inode);

	if (err)
		return err;
	if (op->kind == LAB_OP_WRITE)
		return do_write(e, inode, op);
	if (op->kind == LAB_OP_TRUNCATE)
		return f2fs_inode_truncate(inode, op->offset);
	e->asked.fsyncs++;
	return f2fs_fsync(inode, 0);
}

int lab_engine_do(struct lab_engine *e, unsigned source, const struct lab_op *op)
{
	int err = 0;

	e->asked.ops++;
	e->is_changed |= op->kind != LAB_OP_READ && op->kind != LAB_OP_LOOKUP;
	switch (op->kind) {
	case LAB_OP_CREATE:
		err = do_create(e, source, op);
		break;
	case LAB_OP_REMOVE:
		err = do_remove(e, source, op);
		break;
	case LAB_OP_LOOKUP:
		err = e->params->reads ? do_lookup(e, source, op->file) : 0;
		break;
	case LAB_OP_READ:
		err = e->params->reads ? do_read(e, source, op) : 0;
		break;
	case LAB_OP_SYNC:
		return commit(e);
	default:
		err = do_to_file(e, source, op);
		break;
	}
	if (!err && e->asked.blocks - e->committed >= e->params->commit_blocks)
		err = commit(e);
	if (!err && e->own && lab_own_policy_failed(e->own))
		err = f2fs_context_fail(e->ctx, F2FS_ERR_INVALID, "the policy in Python has failed");
	return err;
}

void lab_engine_set_meter(struct lab_engine *e, const struct lab_meter *meter)
{
	e->meter = meter;
}

int lab_engine_commit(struct lab_engine *e)
{
	return commit(e);
}

int lab_engine_is_idle(const struct lab_engine_params *params)
{
	return params->idle_sections > 0 || params->idle_seconds > 0;
}

static int clean_idle(struct lab_engine *e, uint64_t sections, struct f2fs_gc_result *result)
{
	const int policy = f2fs_gc_policy_find(e->params->idle_cleaning);
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .policy = (uint32_t)policy,
						 .sections = (uint32_t)sections, .used_limit = 100 };

	return f2fs_gc(e->vol, &options, result);
}

/* Are many blocks invalid, and few free? The kernel's bounds, 40 percent both. */
static int has_many_invalid(struct lab_engine *e)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	uint64_t main_blocks, spare, invalid, free_blocks;

	f2fs_volume_statfs(e->vol, &st);
	main_blocks = (uint64_t)f2fs_volume_geometry(e->vol)->segment_count_main * 512;
	spare = main_blocks > st.user_blocks ? main_blocks - st.user_blocks : 0;
	invalid = st.user_blocks > st.valid_blocks ? st.user_blocks - st.valid_blocks : 0;
	free_blocks = (uint64_t)st.free_segments * 512 > spare ? (uint64_t)st.free_segments * 512 - spare : 0;
	return invalid > st.user_blocks * 40 / 100 && free_blocks < invalid * 40 / 100;
}

/* Clean sections one by one while the idle time lasts. */
static int clean_in_time(struct lab_engine *e, struct f2fs_gc_result *result)
{
	struct lab_idle_time time;
	uint64_t seconds;
	int err = 0;

	lab_idle_begin(&time, e->params->idle_seconds, e->params->sleep_seconds);
	while (!err && (seconds = lab_idle_pass(&time)) > 0) {
		struct f2fs_gc_result one = { F2FS_SIZED(f2fs_gc_result) };

		err = f2fs_volume_elapse(e->vol, seconds);
		if (!err)
			err = clean_idle(e, 1, &one);
		if (!err)
			err = f2fs_volume_commit(e->vol);
		result->sections += one.sections;
		result->data_blocks += one.data_blocks;
		result->node_blocks += one.node_blocks;
		lab_idle_adjust(&time, has_many_invalid(e), one.sections > 0);
	}
	return err;
}

int lab_engine_idle(struct lab_engine *e, struct f2fs_gc_result *result)
{
	int err;

	*result = (struct f2fs_gc_result){ F2FS_SIZED(f2fs_gc_result) };
	err = e->params->idle_seconds > 0 ? clean_in_time(e, result) : clean_idle(e, e->params->idle_sections, result);
	return err ? err : commit(e);
}

int lab_engine_read_back(struct lab_engine *e, unsigned source, struct lab_read_back *out)
{
	for (uint32_t i = 0; source < e->source_count && i < e->sources[source].room; i++) {
		const struct file *f = &e->sources[source].items[i];
		struct f2fs_inode *inode = NULL;
		int err = f->ino ? f2fs_inode_open(e->vol, f->ino, &inode) : 0;

		if (!err && inode)
			err = lab_read_back_add(out, inode);
		f2fs_inode_close(inode);
		if (err)
			return err;
	}
	return 0;
}

void lab_engine_hotness(const struct lab_engine *e, struct f2fs_hotness_stat *out)
{
	*out = (struct f2fs_hotness_stat){ F2FS_SIZED(f2fs_hotness_stat) };
	if (e->hotness)
		f2fs_hotness_stat(e->hotness, out);
	else if (e->baseline)
		out->memory = lab_baseline_bytes(e->baseline);
}

struct f2fs_volume *lab_engine_volume(const struct lab_engine *e)
{
	return e->vol;
}

const struct lab_asked *lab_engine_asked(const struct lab_engine *e)
{
	return &e->asked;
}

void lab_engine_close(struct lab_engine *e)
{
	if (!e)
		return;
	for (unsigned s = 0; s < e->source_count; s++) {
		for (uint32_t i = 0; i < e->sources[s].room; i++) {
			f2fs_inode_close(e->sources[s].items[i].inode);
			free(e->sources[s].items[i].path);
		}
		free(e->sources[s].items);
	}
	free(e->sources);
	if (e->hotness || e->baseline || e->own)
		f2fs_volume_rollback(e->vol); /* what an operation that failed left */
	if (e->own) {
		(void)f2fs_volume_set_gc(e->vol, NULL);
		(void)f2fs_volume_set_placement(e->vol, NULL);
		lab_own_policy_close(e->own);
	}
	(void)f2fs_hotness_close(e->hotness);
	lab_baseline_close(e->baseline);
	f2fs_volume_close(e->vol);
	f2fs_device_close(e->sidecar);
	free(e);
}
