/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Going over the free blocks for what files begin with.
 */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "device/device.h"
#include "forensics/blank.h"
#include "forensics/carve_ends.h"
#include "forensics/carve_slack.h"
#include "forensics/carve_stream.h"
#include "forensics/carver.h"
#include "forensics/past_node.h"

#define CHUNK_BLOCKS 64u
#define MAX_SIZE (64ull << 20)

const char *f2fs_carved_end_name(int end)
{
	static const char *const names[] = { "whole", "guessed", "cut" };

	return end >= 0 && end <= F2FS_CARVED_CUT ? names[end] : "?";
}

static bool is_kind(const char *name, size_t n)
{
	const struct signature *row;

	for (unsigned i = 0; (row = signature_of(i)) != NULL; i++)
		if (strlen(row->kind) == n && memcmp(row->kind, name, n) == 0)
			return true;
	return false;
}

static int check_kinds(struct f2fs_context *ctx, const char *kinds)
{
	for (const char *at = kinds; at && *at;) {
		const size_t n = strcspn(at, ",");

		if (!is_kind(at, n))
			return error_set(ctx, F2FS_ERR_INVALID, "'%.*s' is no kind of file that carving knows", (int)n,
					 at);
		at += n + (at[n] == ',');
	}
	return 0;
}

static int mark_free(struct f2fs_carver *c)
{
	struct f2fs_volume *vol = c->vol;
	uint8_t blocks[F2FS_SEGMENT_BLOCKS];
	struct leftovers list;
	size_t node;
	int err = leftovers_init(&list, c->past);

	for (f2fs_seg_t s = 0; s < vol->geo.segment_count_main && !err; s++) {
		err = leftovers_of_segment(&list, s, false, blocks, &node);
		for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++)
			if (blocks[i] == LEFTOVER_FREE)
				msb_set(c->free, (size_t)s * F2FS_SEGMENT_BLOCKS + i);
		if (!err)
			err = progress_tick(vol->ctx, "carve", 4096);
	}
	leftovers_fini(&list);
	return err;
}

static int set_up(struct f2fs_carver *c)
{
	const struct f2fs_geometry *geo = &c->vol->geo;
	const size_t cluster = (size_t)CLUSTER_MAX_BLOCKS * geo->block_size;

	c->free = mem_zalloc(c->vol->ctx, (size_t)geo->segment_count_main * (F2FS_SEGMENT_BLOCKS / 8) + 1);
	c->buffer = mem_alloc(c->vol->ctx, (size_t)CHUNK_BLOCKS * geo->block_size);
	c->stored = mem_alloc(c->vol->ctx, cluster);
	c->data = mem_alloc(c->vol->ctx, cluster);
	if (c->options.kinds)
		c->kinds = mem_strdup(c->vol->ctx, c->options.kinds);
	if (!c->free || !c->buffer || !c->stored || !c->data || (c->options.kinds && !c->kinds))
		return F2FS_ERR_NOMEM;
	return mark_free(c);
}

int f2fs_carver_open(struct f2fs_past *past, const struct f2fs_carve_options *options, struct f2fs_carver **out)
{
	struct f2fs_context *ctx = past->vol->ctx;
	struct f2fs_carve_options own;
	struct f2fs_carver *c;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = past_need_now(past);
	if (!err && own.kinds)
		err = check_kinds(ctx, own.kinds);
	if (err)
		return err;
	c = mem_zalloc(ctx, sizeof(*c));
	if (!c)
		return F2FS_ERR_NOMEM;
	c->past = past;
	c->vol = past->vol;
	c->options = own;
	if (c->options.max_size == 0)
		c->options.max_size = MAX_SIZE;
	c->segment.segno = UINT32_MAX;
	comp_init(&c->codec);
	vec_init(&c->stream.pieces, ctx, sizeof(struct carve_piece));
	slack_row_init(c, &c->slack);
	stream_begin(c, NO_ADDR);
	err = set_up(c);
	if (err) {
		f2fs_carver_close(c);
		return err;
	}
	error_clear(ctx);
	*out = c;
	return 0;
}

void f2fs_carver_close(struct f2fs_carver *c)
{
	struct f2fs_context *ctx;

	if (!c)
		return;
	ctx = c->vol->ctx;
	comp_fini(&c->codec);
	vec_fini(&c->stream.pieces);
	slack_row_fini(&c->slack);
	mem_free(ctx, c->kinds);
	mem_free(ctx, c->data);
	mem_free(ctx, c->stored);
	mem_free(ctx, c->buffer);
	mem_free(ctx, c->free);
	mem_free(ctx, c);
}

void f2fs_carver_stat(const struct f2fs_carver *c, struct f2fs_carve_stat *out)
{
	sized_give(out, &c->stat, sizeof(c->stat));
}

/* Is a block the first of a file or of a node's range, as far as is known? A cluster that begins one has slot 1. */
static bool begins_something(struct f2fs_carver *c, f2fs_blk_t addr)
{
	const f2fs_nid_t before = c->owner;

	if (!carve_owner(c, addr, &c->owner, &c->owner_slot))
		return true;
	return c->owner_slot == 0 || (c->owner_slot == 1 && before != c->owner);
}

/* Count the blank blocks of a file that was found: that its structure ends where it should proves nothing of those. */
static int count_blank(struct f2fs_carver *c, struct f2fs_carved *file)
{
	const uint32_t bits = c->vol->geo.block_bits;
	enum blank blank;

	for (size_t i = 0; i < c->stream.pieces.count; i++) {
		const struct carve_piece *piece = vec_at(&c->stream.pieces, i);
		uint64_t n = piece->length >> bits;

		if (piece->start >= file->size)
			break;
		if (n > ((file->size - piece->start - 1) >> bits) + 1)
			n = ((file->size - piece->start - 1) >> bits) + 1;
		for (uint64_t k = 0; k < n && !piece->blocks; k++) { /* a cluster was unpacked: it is as it was */
			int err = blank_ask(c->past, piece->addr + (f2fs_blk_t)k, &blank);

			if (err)
				return err;
			file->blank += blank == BLANK_YES;
		}
	}
	if (file->blank && file->end == F2FS_CARVED_WHOLE)
		file->end = F2FS_CARVED_GUESSED;
	return 0;
}

/* Look whether a file begins at a block. */
static int try_block(struct f2fs_carver *c, f2fs_blk_t addr, const uint8_t *block, struct f2fs_carved *out)
{
	static const uint8_t reserved[chead_SIZE - 8];
	const bool begins = c->options.identify && begins_something(c, addr);
	carve_end_fn find_end = NULL;
	int end;

	memset(out, 0, sizeof(*out));
	stream_begin(c, addr);
	if (get_le32(block) != 0 && memcmp(block + 8, reserved, sizeof(reserved)) == 0) { /* perhaps a cluster */
		int err = stream_follow(c, 1);

		if (err)
			return err;
		if (c->stream.clusters)
			block = c->data;
	}
	carve_recognise(c, block, c->vol->geo.block_size, begins, &out->kind, &out->suffix, &find_end);
	if (!out->kind)
		return 0;
	end = find_end(c, &out->size);
	if (end < 0)
		return end;
	out->addr = addr;
	out->end = end;
	out->pieces = (uint32_t)c->stream.pieces.count;
	out->clusters = c->stream.clusters;
	end = count_blank(c, out);
	if (end)
		return end;
	if (!carve_owner(c, addr, &out->nid, &(uint32_t){ 0 }))
		out->nid = 0;
	return 0;
}

/* Blocks of a whole file need not be looked at again. */
static void pass_over(struct f2fs_carver *c, const struct f2fs_carved *file, uint8_t *seen)
{
	const struct carve_stream *s = &c->stream;
	const uint32_t bits = c->vol->geo.block_bits;

	for (size_t i = 0; i < s->pieces.count && file->end == F2FS_CARVED_WHOLE; i++) {
		const struct carve_piece *piece = vec_at(&s->pieces, i);
		uint64_t n = piece->blocks;

		if (piece->start >= file->size)
			break;
		if (!n)
			n = (file->size - piece->start < piece->length ? file->size - piece->start + (1u << bits) - 1 :
									 piece->length) >>
			    bits;
		for (uint64_t k = 0; k < n; k++)
			msb_set(seen, (size_t)(piece->addr - c->vol->geo.main_blkaddr + k));
	}
}

struct run {
	struct f2fs_carver *c;
	uint8_t *seen;
	int (*visit)(void *user, const struct f2fs_carved *file);
	void *user;
};

static int look_at(struct run *r, f2fs_blk_t addr, const uint8_t *block)
{
	struct f2fs_carver *c = r->c;
	struct f2fs_carved file;
	struct past_node node;
	int err;

	if (msb_test(r->seen, addr - c->vol->geo.main_blkaddr))
		return 0;
	work_note(c->vol->ctx);
	c->stat.blocks++;
	c->work = c->work < UINT64_MAX / 2 ? c->work + WORK_EACH : c->work;
	if (footer_nid(node_footer(&c->vol->geo, block)) && past_is_node(c->past, block, addr, &node)) {
		msb_clear(c->free, addr - c->vol->geo.main_blkaddr);
		return 0;
	}
	err = try_block(c, addr, block, &file);
	if (err || !file.kind || file.size == 0)
		return err;
	c->stat.files++;
	err = r->visit(r->user, &file);
	if (err)
		return err;
	if (c->stream.addr == addr) /* visit may have read another */
		pass_over(c, &file, r->seen);
	if (c->options.max_files && c->stat.files >= c->options.max_files)
		c->stat.is_cut = 1;
	return 0;
}

static bool is_full(const struct f2fs_carver *c)
{
	return c->options.max_files && c->stat.files >= c->options.max_files;
}

/* Look at a row of free blocks. */
static int look_at_row(struct run *r, f2fs_blk_t addr, uint32_t count)
{
	struct f2fs_carver *c = r->c;
	const uint32_t bs = c->vol->geo.block_size;
	int err = 0;

	if (device_read_quiet(c->vol->dev, (uint64_t)addr * bs, c->buffer, (size_t)count * bs) == 0) {
		for (uint32_t i = 0; i < count && !err && !is_full(c); i++)
			err = look_at(r, addr + i, c->buffer + (size_t)i * bs);
		return err;
	}
	for (uint32_t i = 0; i < count && !err && !is_full(c); i++) {
		if (device_read_quiet(c->vol->dev, (uint64_t)(addr + i) * bs, c->buffer, bs) == 0)
			err = look_at(r, addr + i, c->buffer);
		else
			c->stat.unreadable++;
	}
	return err;
}

static int run_segment(struct run *r, f2fs_seg_t segno)
{
	struct f2fs_carver *c = r->c;
	const f2fs_blk_t start = geometry_segment_start(&c->vol->geo, segno);
	uint32_t count = 0;
	int err = 0;

	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err && !is_full(c); i += count) {
		count = 0;
		while (count < CHUNK_BLOCKS && i + count < F2FS_SEGMENT_BLOCKS && carve_is_free(c, start + i + count))
			count++;
		err = count ? look_at_row(r, start + i, count) : 0;
		count += count == 0;
	}
	return err;
}

int f2fs_carver_run(struct f2fs_carver *c, int (*visit)(void *user, const struct f2fs_carved *file), void *user)
{
	struct f2fs_context *ctx = c->vol->ctx;
	const f2fs_seg_t segments = c->vol->geo.segment_count_main;
	struct f2fs_progress progress = { .task = "carve", .phase = "blocks", .unit = "segments", .total = segments };
	struct run r = { .c = c, .visit = visit, .user = user };
	int err;

	error_clear(ctx);
	err = past_need_now(c->past);
	if (err)
		return err;
	memset(&c->stat, 0, sizeof(c->stat));
	c->work = WORK_FIRST;
	r.seen = mem_zalloc(ctx, (size_t)segments * (F2FS_SEGMENT_BLOCKS / 8) + 1);
	if (!r.seen)
		return F2FS_ERR_NOMEM;
	for (f2fs_seg_t i = 0; i < segments && !err && !is_full(c); i++) {
		err = run_segment(&r, i);
		progress.done = i + 1;
		if (!err)
			err = progress_report(ctx, &progress);
	}
	mem_free(ctx, r.seen);
	if (!err)
		error_clear(ctx);
	return err;
}

int f2fs_carver_read(struct f2fs_carver *c, const struct f2fs_carved *file, uint64_t offset, void *buffer,
		     size_t length, size_t *done)
{
	const uint64_t work = c->work;
	int err;

	error_clear(c->vol->ctx);
	*done = 0;
	err = past_need_fresh(c->past);
	if (err || offset >= file->size)
		return err;
	if (!carve_is_free(c, file->addr))
		return error_set(c->vol->ctx, F2FS_ERR_INVALID, "block %u is not free", (unsigned)file->addr);
	if (c->stream.addr != file->addr || c->stream.limit != UINT64_MAX)
		stream_begin(c, file->addr);
	c->stream.limit = UINT64_MAX;
	c->work = UINT64_MAX / 2;
	if (length > file->size - offset)
		length = (size_t)(file->size - offset);
	err = stream_read(c, offset, buffer, length, done);
	c->work = work; /* of a search that continues */
	return err;
}
