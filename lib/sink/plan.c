/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan a file on the walk's thread: its place, its attributes, and the bytes of the device that make up its contents,
 * straight from the slots of its node tree. A file that does not fit into the rest of a batch continues in the next
 * one. Then it is opened here, so that its pieces need not wait for each other.
 */
#include "sink/plan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "file/page_store.h"
#include "file/write.h"
#include "format/cluster.h"
#include "sink/batch.h"
#include "sink/dir.h"
#include "sink/hostdir.h"
#include "sink/limits.h"
#include "sink/retire.h"
#include "sink/substitute.h"
#include "sink/xattr.h"

#define CLEAR_AT_ONCE (64u << 10) /* bytes that are deciphered */
#define MOST_CLUSTER_RUNS 257u /* 256 blocks, and the cluster itself */

/* A file being planned. */
struct plan {
	struct host *h;
	const struct sink_entry *entry;
	struct sink_place place;
	struct host_naming naming;
	struct f2fs_inode *inode;
	uint64_t size;	   /* bytes to write */
	bool is_told;	   /* a problem with its contents was */
	bool is_over;	   /* there cannot be as many blocks */
	bool is_sealed;	   /* contents are to be deciphered */
	uint8_t algorithm; /* of clusters */
	uint32_t cluster_bytes;
	bool has_checksum;
};

static struct host_batch *filling(struct host *h)
{
	return ring_filling(&h->ring);
}

static struct host_file *file_of(const struct plan *p)
{
	struct host_batch *batch = filling(p->h);

	return &batch->files[batch->file_count - 1];
}

void host_plan_submit(struct host *h)
{
	ring_submit(&h->ring, host_batch_run);
}

/* Get a batch to fill: the current one, or a new one, for which the oldest in flight may have to come back. */
static int need_batch(struct host *h)
{
	struct host_batch *batch = filling(h);
	int err = 0;

	if (batch) {
		if (batch->file_count < BATCH_FILES && batch->bytes < BATCH_BYTES &&
		    batch->run_count < BATCH_RUNS / 2 && batch->arena_used < BATCH_ARENA / 2)
			return 0;
		host_plan_submit(h);
	}
	if (ring_is_full(&h->ring))
		err = host_retire(h);
	if (err)
		return err;
	batch = ring_fill(&h->ring);
	batch->host = h;
	batch->file_count = 0;
	batch->run_count = 0;
	batch->bytes = 0;
	batch->arena_used = 0;
	return 0;
}

static uint8_t *take_arena(struct host_batch *batch, size_t length)
{
	uint8_t *at = batch->arena + batch->arena_used;

	batch->arena_used += (length + 15) & ~(size_t)15;
	return at;
}

/* ---- pieces */

static const char *copy_substitute(const struct plan *p, struct host_batch *batch)
{
	return memcpy(take_arena(batch, SINK_NAME_ROOM), p->naming.substitute, SINK_NAME_ROOM);
}

/* Start a piece of the file in the current batch. */
static int start_piece(struct plan *p, const struct host_file *before)
{
	const struct sink_entry *e = p->entry;
	struct host *h = p->h;
	struct host_dir *dir;
	struct host_batch *batch;
	struct host_file *file;
	int err = need_batch(h);

	if (!err)
		err = host_dir_get(h, e->dir, &dir);
	if (err)
		return err;
	batch = filling(h);
	file = &batch->files[batch->file_count++];
	*file = (struct host_file){ .fd = -1 };
	file->dir = sink_dir_ref(e->dir);
	file->host_dir = dir;
	dir->pins++;
	file->name = memcpy(take_arena(batch, e->name_length + 1), e->name, e->name_length + 1);
	file->host_name = p->naming.substitute[0] ? copy_substitute(p, batch) : file->name;
	file->ino = e->stat.ino;
	file->attr = e->attr;
	file->size = p->size;
	file->first_run = batch->run_count;
	file->has_xattrs = sink_has_xattrs(p->inode);
	file->is_foreign = e->dir->is_foreign;
	file->is_first = !before;
	file->algorithm = p->algorithm;
	file->cluster_bytes = p->cluster_bytes;
	file->has_checksum = p->has_checksum;
	if (before) {
		file->fd = before->fd;
		file->shared = before->shared;
		file->wish = before->wish;
		file->wish.attr = &file->attr;
	}
	return 0;
}

/* Take the file out of the batch again. */
static void drop_file(struct plan *p)
{
	struct host_batch *batch = filling(p->h);
	struct host_file *file = file_of(p);

	batch->run_count = file->first_run;
	batch->file_count--;
	file->host_dir->pins--;
	file->dir->refs--; /* the walk has one, too */
}

/* Try to make the file. Returns 1 when there is another name to be tried, 0, or an error. */
static int try_name(struct plan *p, int *sys_errno)
{
	struct host_file *file = file_of(p);
	int rc;

	host_batch_create_file(p->h, file);
	/* batches in flight have files open */
	while (file->fd < 0 && file->sys_errno == EMFILE && p->h->ring.in_flight > 0) {
		rc = host_retire(p->h);
		if (rc)
			return rc;
		host_batch_create_file(p->h, file);
	}
	if (file->fd >= 0)
		return 0;
	*sys_errno = file->sys_errno;
	rc = host_naming_again(p->h, &p->place, &p->naming, sys_errno);
	if (rc == 1)
		file->host_name = copy_substitute(p, filling(p->h));
	return rc;
}

/* Make the file now. SINK_LEFT when the host does not want it. */
static int open_now(struct plan *p)
{
	struct host_file *file = file_of(p);
	int sys_errno, rc;

	if (file->fd >= 0)
		return 0;
	while ((rc = try_name(p, &sys_errno)) == 1)
		;
	if (rc)
		return rc;
	if (file->fd >= 0)
		return host_naming_end(p->h, &p->place, &p->naming, p->entry->substitute);
	if (file->is_skipped)
		p->h->sink->result->skipped++;
	drop_file(p);
	if (!file->is_skipped)
		return host_refused(p->h, sys_errno, &p->place, "cannot make the file");
	return SINK_LEFT;
}

/* The file is going to have several pieces. */
static int share(struct plan *p)
{
	struct host_file *file = file_of(p);

	if (file->shared)
		return 0;
	file->shared = mem_alloc(p->h->sink->ctx, sizeof(*file->shared));
	if (!file->shared)
		return F2FS_ERR_NOMEM;
	*file->shared = (struct host_shared){ .fd = file->fd, .refs = 1 };
	return 0;
}

/* Continue in another batch. SINK_LEFT when the host does not want the file. */
static int next_piece(struct plan *p)
{
	struct host_file before;
	int err = open_now(p);

	if (err)
		return err;
	err = share(p);
	if (err)
		return err;
	before = *file_of(p);
	before.shared->refs++; /* the next piece's */
	host_plan_submit(p->h);
	err = start_piece(p, &before);
	if (err)
		host_shared_put(p->h, before.shared);
	return err;
}

/* Make sure that the current batch takes some runs and bytes of arena more. */
static int need_room(struct plan *p, unsigned runs, size_t arena)
{
	const struct host_batch *batch = filling(p->h);

	if (batch->run_count + runs <= BATCH_RUNS && batch->arena_used + arena <= BATCH_ARENA &&
	    batch->bytes < BATCH_BYTES)
		return 0;
	return next_piece(p);
}

static void push_run(struct plan *p, enum host_run_kind kind, uint64_t source, uint64_t offset, uint32_t length)
{
	struct host_batch *batch = filling(p->h);

	batch->runs[batch->run_count++] =
		(struct host_run){ .source = source, .offset = offset, .length = length, .kind = (uint8_t)kind };
	file_of(p)->run_count++;
	if (kind == RUN_DEVICE || kind == RUN_STORED)
		batch->bytes += length;
}

/* ---- contents */

/* Count bytes that are going to be written. */
static int count_bytes(struct plan *p, uint64_t bytes)
{
	p->h->sink->bytes_planned += bytes;
	return sink_check_limit(p->h->sink);
}

/* Report once that contents cannot be read. The error is recorded. Only NOMEM ends the run. */
static int tell_lost(struct plan *p, int err)
{
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	if (p->is_told)
		return 0;
	p->is_told = true;
	return sink_problem(p->h->sink, F2FS_PROBLEM_UNREADABLE, &p->place);
}

/* Count blocks of contents. An impossible number is reported, and the rest of the file is left out. */
static int take_blocks(struct plan *p, uint64_t count)
{
	int err = sink_take_blocks(p->h->sink, p->inode, count);

	p->is_over = err != 0;
	return err ? tell_lost(p, err) : 0;
}

/* count blocks at addr are the contents from file block on. */
static int add_blocks(struct plan *p, uint64_t block, f2fs_blk_t addr, uint64_t count)
{
	const struct f2fs_geometry *geo = &p->h->sink->vol->geo;
	uint64_t offset = block << geo->block_bits, source = (uint64_t)addr << geo->block_bits;
	uint64_t bytes = count << geo->block_bits;
	int err;

	if (!geometry_is_main(geo, addr) || count > geo->end_blkaddr - addr)
		return tell_lost(p, inode_corrupt(p->inode, RULE_NODE_ADDR, "file block %llu points at %u",
						  (unsigned long long)block, (unsigned)addr));
	err = take_blocks(p, count);
	if (err || p->is_over)
		return err;
	if (bytes > p->size - offset)
		bytes = p->size - offset;
	err = count_bytes(p, bytes);
	while (!err && bytes > 0) {
		uint32_t n = bytes < HOST_WINDOW ? (uint32_t)bytes : HOST_WINDOW;

		err = need_room(p, 1, 0);
		if (err)
			break;
		push_run(p, RUN_DEVICE, source, offset, n);
		source += n;
		offset += n;
		bytes -= n;
	}
	return err;
}

/* A compressed cluster. */
static int add_cluster(struct plan *p, uint64_t block)
{
	const struct f2fs_geometry *geo = &p->h->sink->vol->geo;
	const uint32_t blocks = p->inode->layout.cluster_blocks;
	const uint64_t offset = block << geo->block_bits;
	uint64_t bytes = (uint64_t)blocks << geo->block_bits;
	struct cluster_shape shape = { .kind = CLUSTER_ILLEGAL };
	const uint8_t *slots;
	struct map_run run;
	int err = map_find(p->inode, block, &run);

	if (err)
		return tell_lost(p, err);
	slots = run.slots;
	if (block % blocks == 0 && run.count >= blocks)
		cluster_classify(geo, slots, blocks, &shape);
	if (!cluster_is_compressed(&shape))
		return tell_lost(p, inode_corrupt(p->inode, RULE_CLUSTER_SHAPE, "cluster at file block %llu",
						  (unsigned long long)block));
	err = take_blocks(p, shape.stored);
	if (err || p->is_over)
		return err;
	if (bytes > p->size - offset)
		bytes = p->size - offset;
	err = count_bytes(p, bytes);
	if (!err)
		err = need_room(p, MOST_CLUSTER_RUNS, 0);
	if (err)
		return err;
	for (uint32_t i = 1; i <= shape.stored;) {
		uint32_t addr = get_le32(slots + (size_t)i * 4), n = 1;

		while (i + n <= shape.stored && get_le32(slots + (size_t)(i + n) * 4) == addr + n)
			n++;
		push_run(p, RUN_STORED, (uint64_t)addr << geo->block_bits, 0, n << geo->block_bits);
		i += n;
	}
	push_run(p, RUN_CLUSTER, 0, offset, (uint32_t)bytes);
	return 0;
}

/* Blocks that the running transaction has in memory: workers do not look there. */
static int add_waiting(struct plan *p, uint64_t block, uint64_t count)
{
	const uint32_t block_size = p->h->sink->vol->geo.block_size;
	int err = 0;

	for (uint64_t i = 0; i < count && !err; i++) {
		const uint64_t offset = (block + i) * block_size;
		const uint32_t length = p->size - offset < block_size ? (uint32_t)(p->size - offset) : block_size;
		struct host_batch *batch;
		uint8_t *to;

		err = count_bytes(p, length);
		if (!err)
			err = need_room(p, 1, length);
		if (err)
			return err;
		batch = filling(p->h);
		to = take_arena(batch, length);
		memcpy(to, page_find(p->h->sink->vol, p->inode->ino, block + i), length);
		push_run(p, RUN_ARENA, (uint64_t)(to - batch->arena), offset, length);
	}
	return err;
}

/* Read contents as they are wanted: in clear, or as they are stored. */
static int read_contents(const struct plan *p, uint64_t offset, uint8_t *to, uint32_t n)
{
	size_t done;

	return p->entry->is_cipher ? f2fs_inode_read_raw(p->inode, offset, to, n, &done) :
				     data_read(p->inode, offset, to, n);
}

/* Blocks of an encrypted file: workers have no keys. Of a file as it once was: each block is judged before it is read,
 * and those that others have written since are holes. This thread reads them. */
static int add_clear(struct plan *p, uint64_t block, uint64_t count)
{
	const uint32_t bits = p->h->sink->vol->geo.block_bits;
	uint64_t offset = block << bits, bytes = count << bits;
	int err = take_blocks(p, count);

	if (err || p->is_over)
		return err;
	if (bytes > p->size - offset)
		bytes = p->size - offset;
	err = count_bytes(p, bytes);
	for (uint32_t n; !err && bytes > 0; offset += n, bytes -= n) {
		struct host_batch *batch;
		uint8_t *to;

		n = p->inode->is_past ? 1u << bits : CLEAR_AT_ONCE;
		n = bytes < n ? (uint32_t)bytes : n;
		err = need_room(p, 1, n);
		if (err)
			break;
		batch = filling(p->h);
		to = take_arena(batch, n);
		err = read_contents(p, offset, to, n);
		if (err)
			err = tell_lost(p, err);
		else
			push_run(p, RUN_ARENA, (uint64_t)(to - batch->arena), offset, n);
	}
	return err;
}

static int add_extent(struct plan *p, const struct f2fs_file_extent *extent)
{
	if (p->is_sealed && (extent->kind == F2FS_EXTENT_DATA || extent->kind == F2FS_EXTENT_COMPRESSED))
		return add_clear(p, extent->file_block, extent->count);
	switch (extent->kind) {
	case F2FS_EXTENT_HOLE:
	case F2FS_EXTENT_RESERVED:
		return 0;
	case F2FS_EXTENT_WAITING:
		return add_waiting(p, extent->file_block, extent->count);
	case F2FS_EXTENT_COMPRESSED:
		return add_cluster(p, extent->file_block);
	default:
		return add_blocks(p, extent->file_block, extent->addr, extent->count);
	}
}

/* Plan the blocks of the node tree. The part below an unreadable node is reported and left a hole. */
static int plan_tree(struct plan *p)
{
	const uint32_t bits = p->h->sink->vol->geo.block_bits;
	const uint64_t end = (p->size + ((uint64_t)1 << bits) - 1) >> bits;
	struct f2fs_file_extent extent;
	int err = 0;

	for (uint64_t block = 0; !err && !p->is_over && block < end; block += extent.count) {
		err = map_extent(p->inode, block, end - block, &extent);
		if (err == F2FS_ERR_NOT_FOUND)
			return 0;
		if (extent.count == 0 || extent.count > end - block)
			extent.count = end - block;
		err = err ? tell_lost(p, err) : add_extent(p, &extent);
	}
	return err;
}

/* Plan contents that are stored in the inode. */
static int plan_inline(struct plan *p)
{
	const uint32_t length = (uint32_t)p->size;
	size_t done;
	int err;

	if (p->size > p->inode->layout.inline_size)
		return tell_lost(
			p, inode_corrupt(p->inode, RULE_INODE_INLINE_DATA, "%llu bytes", (unsigned long long)p->size));
	err = count_bytes(p, length);
	if (!err)
		err = need_room(p, 1, length);
	if (!err) {
		struct host_batch *batch = filling(p->h);
		uint8_t *to = take_arena(batch, length);

		err = f2fs_inode_read(p->inode, 0, to, length, &done);
		if (err)
			return tell_lost(p, err);
		push_run(p, RUN_ARENA, (uint64_t)(to - batch->arena), 0, length);
	}
	return err;
}

/* Contents that are one extent by definition. */
static int plan_alias(struct plan *p)
{
	struct f2fs_file_extent extent;
	int err = f2fs_inode_extent(p->inode, 0, &extent);

	return err ? tell_lost(p, err) : add_blocks(p, 0, extent.addr, extent.count);
}

static int plan_contents(struct plan *p)
{
	if (!p->size)
		return 0;
	if (inode_has_inline(p->inode->block, FLAG_i_inline_inline_data))
		return plan_inline(p);
	return inode_is_alias(p->inode) ? plan_alias(p) : plan_tree(p);
}

/* Attributes go with the last piece. */
static int plan_xattrs(struct plan *p)
{
	struct host *h = p->h;
	size_t arena = 0;
	struct host_xattr *to;
	struct host_file *file;
	int err;

	if (!file_of(p)->has_xattrs)
		return 0;
	err = host_xattrs_load(h, p->inode, &p->place, &h->xattrs);
	for (size_t i = 0; i < h->xattrs.count; i++) {
		const struct host_xattr *xattr = vec_at(&h->xattrs, i);

		arena += ((strlen(xattr->name) + 16) & ~(size_t)15) + ((xattr->size + 15) & ~(size_t)15);
	}
	arena += h->xattrs.count * sizeof(struct host_xattr) + 16;
	if (!err)
		err = need_room(p, 0, arena);
	if (err)
		return err;
	file = file_of(p);
	to = (struct host_xattr *)(void *)take_arena(filling(h), h->xattrs.count * sizeof(*to));
	file->xattrs = to;
	file->xattr_count = (unsigned)h->xattrs.count;
	for (unsigned i = 0; i < file->xattr_count; i++) {
		size_t length;

		to[i] = *(struct host_xattr *)vec_at(&h->xattrs, i);
		length = strlen(to[i].name) + 1;
		to[i].name = memcpy(take_arena(filling(h), length), to[i].name, length);
		to[i].value = memcpy(take_arena(filling(h), to[i].size), to[i].value, to[i].size);
	}
	return 0;
}

int host_plan_file(struct host *h, const struct sink_entry *e)
{
	struct plan p = {
		.h = h,
		.entry = e,
		.place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino, .what = "contents" },
		.inode = e->inode,
		.size = e->stat.size,
	};
	int err;

	p.is_sealed = e->inode->is_past || (inode_is_encrypted(e->inode) && !e->is_cipher);
	if (e->is_cipher) /* ciphertext is whole blocks */
		p.size = (p.size + h->sink->vol->geo.block_size - 1) & ~(uint64_t)(h->sink->vol->geo.block_size - 1);
	if (e->inode->layout.is_compressed) {
		const uint8_t *extra = inode_extra(e->inode->block);

		p.algorithm = extra_i_compress_algorithm(extra);
		p.cluster_bytes = e->inode->layout.cluster_blocks << h->sink->vol->geo.block_bits;
		p.has_checksum = (extra_i_compress_flag(extra) & 1) != 0;
	}
	err = host_naming_begin(h, &p.place, &p.naming);
	if (!err)
		err = start_piece(&p, NULL);
	/* this thread makes the further names, perhaps before a worker opens the file */
	if (!err && (e->names > 1 || host_names_are_tried(h, e->dir)))
		err = open_now(&p);
	if (!err)
		err = plan_contents(&p);
	if (!err)
		err = plan_xattrs(&p);
	if (!err)
		file_of(&p)->is_last = true;
	return err;
}
