/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One function per part of the interface, all with one record of the run. */
#include "common/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	const struct f2fs_geometry *geo;
	const struct exercise_limits *limits;
	struct exercise_result *result;
	uint8_t *buffer;
	int has_queued; /* a file for its digests */
};

#define BUFFER 65536u

static void breach(const char *what, const struct f2fs_error_detail *e, int rc)
{
	fprintf(stderr, "contract broken: %s (returned %d, code %d, rule '%s', structure '%s': %s)\n", what, rc,
		e->code, e->rule, e->structure, e->message);
	abort();
}

/* Judge a return value; true when the call succeeded. */
static int passed(struct run *r, int rc)
{
	const struct f2fs_error_detail *e = f2fs_context_error(r->ctx);

	if (rc >= 0)
		return 1;
	r->result->errors++;
	r->result->no_memory += rc == F2FS_ERR_NOMEM;
	if (rc == F2FS_ERR_CORRUPT || rc == F2FS_ERR_IO || rc == F2FS_ERR_DAMAGED_DATA || rc == F2FS_ERR_INCOMPLETE) {
		r->result->damage++;
		if (getenv("EXERCISE_VERBOSE"))
			fprintf(stderr, "%s: %s\n", f2fs_error_name(rc), e->message);
	}
	if (e->code != rc)
		breach("the context has another code", e, rc);
	if (strcmp(f2fs_error_name(rc), "OK") == 0 || f2fs_error_errno(rc) == 0)
		breach("an unknown code", e, rc);
	if (!e->message[0])
		breach("no sentence", e, rc);
	if (rc == F2FS_ERR_CORRUPT && (!f2fs_rule_find(e->rule) || !e->structure[0]))
		breach("corrupt, but no rule or structure is named", e, rc);
	return 0;
}

static void add(struct run *r, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t h = r->result->digest;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001B3u;
	r->result->digest = h;
}

static void add_number(struct run *r, uint64_t v)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(v >> (8 * i));
	add(r, bytes, 8);
}

static void exercise_roots(struct run *r)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	const uint8_t *raw;
	unsigned which;
	size_t length;
	uint64_t version;

	raw = f2fs_volume_superblock(r->vol, &which);
	add(r, raw, 3072);
	raw = f2fs_volume_checkpoint(r->vol, &length, &which);
	add(r, raw, length);
	for (unsigned i = 0; f2fs_volume_note(r->vol, i); i++)
		add(r, f2fs_volume_note(r->vol, i), strlen(f2fs_volume_note(r->vol, i)));
	for (unsigned i = 0; i < 2; i++) {
		f2fs_volume_superblock_state(r->vol, i);
		f2fs_volume_pack_state(r->vol, i + 1, &version);
	}
	f2fs_volume_statfs(r->vol, &st);
	add(r, st.label, strlen(st.label));
	if (passed(r, f2fs_volume_pending(r->vol, &version)))
		add_number(r, version);
	for (unsigned i = 0; i <= F2FS_LOG_COUNT; i++) {
		struct f2fs_log_head head;

		if (passed(r, f2fs_volume_log(r->vol, i, &head)))
			add_number(r, head.segno);
	}
	for (unsigned i = 0; i < f2fs_nat_journal_count(r->vol); i++)
		add(r, f2fs_nat_journal_at(r->vol, i), 13);
	for (unsigned i = 0; i < f2fs_sit_journal_count(r->vol); i++)
		add(r, f2fs_sit_journal_at(r->vol, i), 78);
	for (uint32_t i = 0; i < f2fs_orphan_count(r->vol); i++)
		add_number(r, f2fs_orphan_at(r->vol, i));
}

static void exercise_nat(struct run *r)
{
	struct f2fs_nat_info e;
	f2fs_nid_t nid = 0;

	for (uint32_t i = 0; i < r->limits->table; i++, nid = e.nid + 1) {
		int rc = f2fs_nat_next(r->vol, nid, &e);

		if (rc == F2FS_ERR_NOT_FOUND || !passed(r, rc))
			break;
		if (e.nid < nid)
			abort();
		add_number(r, e.block_addr);
		if (passed(r, f2fs_node_read(r->vol, e.nid, r->buffer)))
			add(r, r->buffer, 64);
	}
	if (passed(r, f2fs_nat_lookup(r->vol, 0xFFFFFFFF, &e)))
		abort();
	passed(r, f2fs_nat_lookup(r->vol, r->geo->max_nid, &e));
	passed(r, f2fs_nat_lookup(r->vol, r->geo->max_nid - 1, &e));
	passed(r, f2fs_nat_read(r->vol, 0, 1000, r->buffer));
	passed(r, f2fs_nat_read(r->vol, r->geo->max_nid - 5, 6, r->buffer));
}

static void exercise_segments(struct run *r)
{
	static const uint32_t offsets[] = { 0, 1, 255, 511, 512 };

	for (uint32_t s = 0; s < r->limits->table && s <= r->geo->segment_count_main; s++) {
		struct f2fs_segment_info e;
		struct f2fs_block_owner sum;
		uint8_t type;
		int source;

		if (passed(r, f2fs_sit_lookup(r->vol, s, &e))) {
			add_number(r, e.valid_blocks);
			add(r, e.valid_map, 64);
		}
		if (passed(r, f2fs_ssa_read(r->vol, s, r->buffer, &type, &source)))
			add(r, r->buffer, 3584);
		for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
			if (passed(r, f2fs_ssa_lookup(r->vol, s, offsets[i], &sum)))
				add_number(r, sum.nid);
	}
	passed(r, f2fs_sit_read(r->vol, 0, r->geo->segment_count_main < 500 ? r->geo->segment_count_main : 500,
				r->buffer));
}

static void exercise_blocks(struct run *r)
{
	const uint64_t end = r->geo->end_blkaddr;
	const uint64_t step = end / (r->limits->identities + 1) + 1;
	struct f2fs_block_identity id;

	for (uint64_t a = 0; a <= end; a += a < r->geo->main_blkaddr ? step : 1) {
		if (a > r->geo->main_blkaddr + (uint64_t)r->limits->identities)
			break;
		if (passed(r, f2fs_block_identify(r->vol, (f2fs_blk_t)a, &id))) {
			add_number(r, id.file_block);
			add_number(r, id.ino);
		}
	}
	passed(r, f2fs_block_identify(r->vol, 0xFFFFFFFF, &id));
	passed(r, f2fs_block_read(r->vol, 0, 1, r->buffer));
	passed(r, f2fs_block_read(r->vol, 0xFFFFFFFF, 2, r->buffer));
}

static int add_node(void *user, const struct f2fs_node_info *node)
{
	add_number(user, node->nid);
	add_number(user, node->node_offset);
	return 0;
}

static void exercise_xattrs(struct run *r, struct f2fs_inode *inode)
{
	struct f2fs_xattr x, again;
	int n = f2fs_xattr_count(inode);

	if (!passed(r, n))
		n = 0; /* existing results can be read nevertheless */
	passed(r, f2fs_xattr_get(inode, "user.absent", &x));
	for (int i = 0; i <= n; i++) {
		if (!passed(r, f2fs_xattr_at(inode, (unsigned)i, &x)))
			continue;
		if (i >= 20000)
			abort();
		r->result->xattrs++;
		add(r, x.name, strlen(x.name));
		add(r, x.value, x.value_size);
		passed(r, f2fs_xattr_get(inode, x.name, &again));
	}
}

static void read_range(struct run *r, struct f2fs_inode *inode, uint64_t offset, uint64_t length, int raw)
{
	while (length > 0) {
		size_t n = length < BUFFER ? (size_t)length : BUFFER, done = SIZE_MAX;
		int rc = raw ? f2fs_inode_read_raw(inode, offset, r->buffer, n, &done)
			     : f2fs_inode_read(inode, offset, r->buffer, n, &done);

		if (!passed(r, rc))
			return;
		if (done > n)
			abort();
		add(r, r->buffer, done);
		r->result->bytes += done;
		if (done < n)
			return;
		offset += n;
		length -= n;
	}
}

/* Contents of moderate size once more, as digests. */
static void exercise_digest(struct run *r, struct f2fs_inode *inode, uint64_t size)
{
	struct f2fs_digests digests = { F2FS_SIZED(f2fs_digests) };

	if (size > r->limits->bytes)
		return;
	if (passed(r, f2fs_inode_digest(inode, F2FS_DIGEST_SHA256, &digests))) {
		if (digests.bytes != size)
			abort();
		add(r, digests.sha256, sizeof(digests.sha256));
		add_number(r, digests.crc32);
	}
}

static int see_digests(void *user, void *tag, int error, const struct f2fs_digests *digests)
{
	struct run *r = user;

	(void)tag;
	if (passed(r, error))
		add(r, digests->sha256, sizeof(digests->sha256));
	return 0;
}

/* Digests by a queue, of one file: each allocation more is one more run of all for tests/fault. */
static void exercise_digest_queue(struct run *r, struct f2fs_inode *inode, uint64_t size)
{
	struct f2fs_digest_queue *queue;

	if (r->has_queued || size > r->limits->bytes)
		return;
	r->has_queued = 1;
	if (!passed(r, f2fs_digest_queue_open(r->vol, F2FS_DIGEST_SHA256, 1, see_digests, r, &queue)))
		return;
	if (passed(r, f2fs_digest_queue_add(queue, inode, NULL)))
		passed(r, f2fs_digest_queue_flush(queue));
	f2fs_digest_queue_close(queue);
}

static void exercise_map(struct run *r, struct f2fs_inode *inode, uint64_t size)
{
	const uint64_t blocks = size / r->geo->block_size;
	struct f2fs_file_extent e;
	f2fs_blk_t addr;
	uint64_t at = 0;

	for (uint32_t i = 0; i < r->limits->extents; i++) {
		int rc = f2fs_inode_extent(inode, at, &e);

		if (rc == F2FS_ERR_NOT_FOUND || !passed(r, rc))
			break;
		if (e.count == 0 || e.file_block > at || at - e.file_block >= e.count)
			abort();
		add_number(r, e.addr);
		add_number(r, (uint64_t)e.kind);
		at = e.file_block + e.count;
	}
	passed(r, f2fs_inode_block(inode, 0, &addr));
	passed(r, f2fs_inode_block(inode, blocks, &addr));
	passed(r, f2fs_inode_block(inode, UINT64_MAX, &addr));
	passed(r, f2fs_inode_list_nodes(inode, add_node, r));
}

static void exercise_dir(struct run *r, struct f2fs_inode *inode)
{
	struct f2fs_dirent entry, found;
	struct f2fs_dir *dir;

	if (!passed(r, f2fs_dir_open(inode, &dir)))
		return;
	for (uint32_t i = 0; i < 200; i++) {
		int rc = f2fs_dir_next(dir, &entry);

		if (rc == F2FS_ERR_NOT_FOUND)
			break;
		if (!passed(r, rc))
			continue;
		add(r, entry.name, entry.name_len);
		if (entry.name[entry.name_len] != 0 || entry.raw_len > 255)
			abort();
		passed(r, f2fs_dir_lookup(inode, entry.name, entry.name_len, &found));
	}
	if (passed(r, f2fs_dir_seek(dir, 3))) {
		const int rc = f2fs_dir_next(dir, &entry);

		if (rc != F2FS_ERR_NOT_FOUND && passed(r, rc))
			add_number(r, entry.position);
	}
	f2fs_dir_close(dir);
	passed(r, f2fs_dir_lookup(inode, "absent", 6, &found));
}

static void exercise_inode(struct run *r, struct f2fs_inode *inode)
{
	struct f2fs_verity verity;
	struct f2fs_stat st;
	size_t length;

	if (!passed(r, f2fs_inode_stat(inode, &st)))
		return;
	add_number(r, st.ino);
	add_number(r, st.size);
	add_number(r, st.mode);
	add_number(r, (uint64_t)st.mtime.seconds);
	add_number(r, st.blocks);
	exercise_xattrs(r, inode);
	exercise_map(r, inode, st.size);
	if (passed(r, f2fs_inode_path(inode, (char *)r->buffer, 4096)))
		add(r, r->buffer, strlen((char *)r->buffer));
	if ((st.mode & 0170000) == 0040000) {
		exercise_dir(r, inode);
	} else if ((st.mode & 0170000) == 0120000) {
		if (passed(r, f2fs_inode_readlink(inode, (char *)r->buffer, BUFFER, &length)))
			add(r, r->buffer, length + 1);
		passed(r, f2fs_inode_readlink(inode, (char *)r->buffer, 1, &length));
	}
	if ((st.mode & 0170000) == 0100000) {
		exercise_digest(r, inode, st.size);
		exercise_digest_queue(r, inode, st.size);
	}
	read_range(r, inode, 0, r->limits->bytes, 0);
	read_range(r, inode, st.size > 5000 ? st.size - 5000 : 0, 6000, 0);
	read_range(r, inode, st.size / 2 + 1, 10000, 0);
	read_range(r, inode, UINT64_MAX - 4, 10, 0);
	read_range(r, inode, 0, 10000, 1);
	read_range(r, inode, (st.size + 65535) / 65536 * 65536, 10000, 1);
	if (passed(r, f2fs_verity_get(inode, &verity)) && st.size <= 4 * r->limits->bytes)
		passed(r, f2fs_verity_verify(inode));
}

static int exercise_entry(void *user, const struct f2fs_walk_entry *entry)
{
	struct run *r = user;

	r->result->entries++;
	add(r, entry->path, strlen(entry->path));
	if (entry->error)
		r->result->errors++;
	if (entry->inode)
		exercise_inode(r, entry->inode);
	return r->result->entries < r->limits->entries ? F2FS_WALK_GO : F2FS_WALK_STOP;
}

static int add_range(void *user, const struct f2fs_file_extent *range)
{
	struct run *r = user;

	add_number(r, range->file_block ^ range->count << 20 ^ (uint64_t)range->addr << 32);
	return 0;
}

/* The recovery that a mount would make. */
static void exercise_recovery(struct run *r)
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	struct f2fs_recovery *plan;

	if (!passed(r, f2fs_recovery_open(r->vol, &plan)))
		return;
	f2fs_recovery_summarize(plan, &summary);
	add_number(r, summary.nodes ^ summary.fsynced << 20 ^ (uint64_t)summary.end << 40);
	for (uint32_t i = 0; i < summary.inodes && i < r->limits->entries; i++) {
		struct f2fs_recovery_inode inode;

		if (passed(r, f2fs_recovery_inode_at(plan, i, &inode)))
			add(r, inode.name, inode.name_length);
		passed(r, f2fs_recovery_list_ranges(plan, i, add_range, r));
	}
	for (uint64_t i = 0; i < summary.nodes && i < r->limits->entries; i++) {
		struct f2fs_recovery_node node;

		if (passed(r, f2fs_recovery_node_at(plan, i, &node)))
			add_number(r, node.addr);
	}
	f2fs_recovery_close(plan);
}

static int add_version_difference(void *user, const struct f2fs_version_difference *found)
{
	struct run *r = user;

	if (found->name)
		add(r, found->name, strlen(found->name));
	add_number(r, found->file_block ^ found->count << 32 ^ (uint64_t)found->contents << 60);
	return ++r->result->entries >= r->limits->entries ? F2FS_ERR_CANCELED : 0;
}

/* What differs between a version and the inode in use. */
static void exercise_differences(struct run *r, struct f2fs_inode *old)
{
	struct f2fs_inode *now;
	int rc;

	if (!passed(r, f2fs_inode_open(r->vol, f2fs_inode_number(old), &now)))
		return;
	rc = f2fs_inode_compare(old, now, add_version_difference, r);
	if (rc != F2FS_ERR_CANCELED)
		passed(r, rc);
	f2fs_inode_close(now);
}

static int add_version(void *user, const struct f2fs_version *version)
{
	struct run *r = user;
	struct f2fs_inode *inode;

	add_number(r, version->addr ^ (uint64_t)version->cp_ver << 32);
	add_number(r, version->remains.intact ^ version->remains.overwritten << 20 ^ version->remains.lost << 40);
	if (++r->result->entries >= r->limits->entries)
		return F2FS_ERR_CANCELED;
	if (!passed(r, f2fs_inode_open_at(r->vol, NULL, version->addr, 0, &inode)))
		return 0;
	exercise_inode(r, inode);
	exercise_differences(r, inode);
	f2fs_inode_close(inode);
	return 0;
}

static int add_deleted(void *user, const struct f2fs_deleted *file)
{
	struct run *r = user;
	struct f2fs_inode *inode;

	add(r, file->path, strlen(file->path));
	add_number(r, (uint64_t)file->version.addr ^ (uint64_t)file->confidence << 32 ^ (uint64_t)file->sources << 40);
	if (++r->result->entries >= r->limits->entries)
		return F2FS_ERR_CANCELED;
	if (file->confidence == F2FS_CONFIDENCE_NAME ||
	    !passed(r, f2fs_inode_open_at(r->vol, NULL, file->version.addr, F2FS_AT_OVERWRITTEN, &inode)))
		return 0;
	exercise_inode(r, inode);
	f2fs_inode_close(inode);
	return 0;
}

static int add_former_name(void *user, const struct f2fs_former_name *name)
{
	struct run *r = user;

	add(r, name->path, strlen(name->path));
	add(r, name->now, strlen(name->now));
	return ++r->result->entries >= r->limits->entries ? F2FS_ERR_CANCELED : 0;
}

static int add_moment(void *user, const struct f2fs_moment *moment)
{
	struct run *r = user;

	add(r, moment->path, strlen(moment->path));
	add_number(r, moment->addr ^ (uint64_t)moment->stat.mtime.seconds << 20 ^ (uint64_t)moment->state << 60);
	return 0;
}

/* An entry of an earlier state, and the start of its contents. */
static int add_earlier(void *user, const struct f2fs_walk_entry *entry)
{
	struct run *r = user;
	size_t done;

	add(r, entry->path, strlen(entry->path));
	if (entry->inode && !entry->error && passed(r, f2fs_inode_read(entry->inode, 0, r->buffer, BUFFER, &done)))
		add(r, r->buffer, done);
	return 0;
}

/* The states of the last checkpoints. */
static void exercise_as_of(struct run *r, struct f2fs_past *past)
{
	struct f2fs_as_of_stat met = { F2FS_SIZED(f2fs_as_of_stat) };
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };
	struct f2fs_volume *view;
	struct f2fs_inode *root;

	f2fs_past_stat(past, &stat);
	for (uint32_t back = 0; back < 3; back++) {
		if (!passed(r, f2fs_volume_open_as_of(past, stat.newest - back, &view)))
			break;
		if (passed(r, f2fs_inode_open(view, r->geo->root_ino, &root))) {
			passed(r, f2fs_walk(root, add_earlier, r));
			f2fs_inode_close(root);
		}
		f2fs_volume_as_of_stat(view, &met);
		add_number(r, met.inodes_lost + met.nodes_lost);
		f2fs_volume_close(view);
	}
}

static int add_leftover(void *user, const struct f2fs_leftover *range)
{
	struct run *r = user;

	add_number(r, (uint64_t)range->kind);
	add_number(r, range->offset);
	add_number(r, range->length);
	return 0;
}

struct carving {
	struct run *r;
	struct f2fs_carver *carver;
};

static int add_carved(void *user, const struct f2fs_carved *file)
{
	struct carving *c = user;
	size_t done;

	add_number(c->r, file->size);
	if (passed(c->r, f2fs_carver_read(c->carver, file, 0, c->r->buffer, BUFFER, &done)))
		add(c->r, c->r->buffer, done);
	return 0;
}

static int add_carved_slack(void *user, const struct f2fs_carved_slack *file)
{
	struct carving *c = user;
	size_t done;

	add_number(c->r, file->size);
	if (passed(c->r, f2fs_carver_read_slack(c->carver, file, 0, c->r->buffer, BUFFER, &done)))
		add(c->r, c->r->buffer, done);
	return 0;
}

static void exercise_carving(struct run *r, struct f2fs_past *past)
{
	struct carving c = { .r = r };

	passed(r, f2fs_past_list_leftovers(past, 0, add_leftover, r));
	if (!passed(r, f2fs_carver_open(past, NULL, &c.carver)))
		return;
	passed(r, f2fs_carver_run(c.carver, add_carved, &c));
	passed(r, f2fs_carver_run_slack(c.carver, add_carved_slack, &c));
	f2fs_carver_close(c.carver);
}

static int add_node_version(void *user, const struct f2fs_node_version *version)
{
	add_number(user, version->addr + version->file_block + version->used);
	return 0;
}

/* The remains of earlier times. */
static void exercise_past(struct run *r)
{
	const struct f2fs_past_options thorough = { F2FS_SIZED(f2fs_past_options), .flags = F2FS_PAST_THOROUGH };
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };
	struct f2fs_past *past;
	int rc;

	if (!passed(r, f2fs_past_open(r->vol, &thorough, &past)))
		return;
	f2fs_past_stat(past, &stat);
	add_number(r, stat.nodes);
	for (f2fs_nid_t ino = r->geo->root_ino; ino < r->geo->root_ino + 8 && ino < r->geo->max_nid; ino++) {
		rc = f2fs_past_list_versions(past, ino, add_version, r);
		if (rc != F2FS_ERR_CANCELED)
			passed(r, rc);
		passed(r, f2fs_past_list_nodes(past, ino, add_node_version, r));
	}
	if (f2fs_past_list_deleted(past, add_deleted, r) != F2FS_ERR_CANCELED)
		passed(r, f2fs_past_list_times(past, add_moment, r));
	rc = f2fs_past_list_names(past, add_former_name, r);
	if (rc != F2FS_ERR_CANCELED)
		passed(r, rc);
	exercise_carving(r, past);
	exercise_as_of(r, past);
	f2fs_past_close(past);
}

/* Read a copy of the metadata through, with other names. */
static void exercise_metadata(struct run *r)
{
	static const uint8_t key[16] = "exercise";
	const struct f2fs_metadata_options options = { F2FS_SIZED(f2fs_metadata_options),
						       .flags = F2FS_METADATA_SCRAMBLE, .key = key };
	uint64_t at = 0, length, read = 0;
	struct f2fs_metadata_stat stat = { F2FS_SIZED(f2fs_metadata_stat) };
	struct f2fs_device *copy;
	int is_hole, rc = 0;

	if (!passed(r, f2fs_metadata_open(r->vol, &options, &copy)))
		return;
	for (; !rc && at < f2fs_device_info(copy)->size && read < 16 * BUFFER; at += length) {
		rc = f2fs_device_extent(copy, at, &length, &is_hole);
		if (rc || is_hole)
			continue;
		length = length < BUFFER ? length : BUFFER;
		read += length;
		rc = f2fs_device_read(copy, at, r->buffer, (size_t)length);
		if (!rc)
			add(r, r->buffer, (size_t)length);
	}
	if (!rc && !f2fs_metadata_stat(copy, &stat) && stat.unreadable)
		rc = f2fs_context_fail(r->ctx, F2FS_ERR_IO, "the copy has zeros");
	passed(r, rc);
	f2fs_device_close(copy);
}

static int add_difference(void *user, const struct f2fs_difference *difference)
{
	struct run *r = user;

	add(r, difference->path, strlen(difference->path));
	add_number(r, difference->fields);
	return 0;
}

/* A volume beside itself; contents are read elsewhere. */
static void exercise_diff(struct run *r)
{
	const struct f2fs_diff_options options = { F2FS_SIZED(f2fs_diff_options), .volume = r->vol,
						   .fields = F2FS_DIFF_ALL & ~F2FS_DIFF_CONTENTS,
						   .visit = add_difference,
						   .user = r };
	struct f2fs_diff_result result = { F2FS_SIZED(f2fs_diff_result) };

	passed(r, f2fs_diff(r->vol, &options, &result));
}

static int add_quota(void *user, const struct f2fs_quota *quota)
{
	add_number(user, quota->id);
	add_number(user, quota->space_bytes);
	return 0;
}

static void exercise_listing(struct run *r, struct f2fs_inode *root)
{
	const struct f2fs_listing_row *rows;
	struct f2fs_listing *listing;
	size_t count, length;
	const int is_small = r->result->entries < r->limits->entries; /* else the walk was ended early, by its limit */
	const char *text;

	if (!passed(r, f2fs_listing_read(root, is_small ? F2FS_LISTING_UNNAMED : F2FS_LISTING_FLAT, &listing)))
		return;
	rows = f2fs_listing_rows(listing, &count);
	text = f2fs_listing_text(listing, &length);
	for (size_t i = 0; i < count; i++) {
		add_number(r, rows[i].stat.ino);
		add_number(r, rows[i].stat.size);
		add_number(r, (uint64_t)rows[i].error);
		if (rows[i].name + rows[i].name_length + rows[i].raw_length >= length ||
		    (rows[i].parent != F2FS_NO_ROW && rows[i].parent >= i))
			abort();
		add(r, text + rows[i].name, rows[i].name_length);
	}
	f2fs_listing_free(listing);
	if (passed(r, f2fs_listing_read(root, 4, &listing)))
		abort();
}

static void exercise_tree(struct run *r)
{
	static const char *const paths[] = { "/", "", "/absent/x", "/.", "/..", "//", "relative", "/a/b/c/d" };
	struct f2fs_inode *inode;

	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (passed(r, f2fs_lookup(r->vol, paths[i], F2FS_LOOKUP_FOLLOW, &inode)))
			f2fs_inode_close(inode);
	for (unsigned kind = 0; kind < 4; kind++)
		passed(r, f2fs_quota_list(r->vol, kind, add_quota, r));
	for (uint32_t i = 0; i < f2fs_orphan_count(r->vol) && i < 20; i++) {
		if (!passed(r, f2fs_inode_open(r->vol, f2fs_orphan_at(r->vol, i), &inode)))
			continue;
		exercise_inode(r, inode);
		f2fs_inode_close(inode);
	}
	if (!passed(r, f2fs_inode_open(r->vol, r->geo->root_ino, &inode)))
		return;
	passed(r, f2fs_walk(inode, exercise_entry, r));
	exercise_listing(r, inode);
	f2fs_inode_close(inode);
}

/* The same tree with the key that encrypted seeds were made with: names and contents are deciphered. */
static void exercise_keys(struct run *r)
{
	static const uint8_t descriptor[F2FS_KEY_DESCRIPTOR] = { 0xf2, 0xf5, 0xc0, 0xde, 0, 0, 0, 1 };
	uint8_t key[F2FS_KEY_MAX];
	int rc;

	if (!(r->geo->feature & F2FS_FEAT_ENCRYPT))
		return;
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(3 + 7 * i);
	rc = f2fs_volume_add_key(r->vol, key, sizeof(key), descriptor, sizeof(descriptor), NULL);
	if (rc == F2FS_ERR_UNSUPPORTED || !passed(r, rc)) /* built without libcrypto, or no memory */
		return;
	exercise_tree(r);
}

void exercise_volume(struct f2fs_volume *vol, const struct exercise_limits *limits, struct exercise_result *result)
{
	struct run r = { .ctx = f2fs_volume_context(vol),
			 .vol = vol,
			 .geo = f2fs_volume_geometry(vol),
			 .limits = limits,
			 .result = result };

	memset(result, 0, sizeof(*result));
	result->digest = 0xCBF29CE484222325u;
	r.buffer = malloc(BUFFER);
	if (!r.buffer)
		abort();
	exercise_roots(&r);
	exercise_nat(&r);
	exercise_segments(&r);
	exercise_blocks(&r);
	exercise_recovery(&r);
	exercise_tree(&r);
	exercise_diff(&r);
	exercise_past(&r);
	exercise_metadata(&r);
	exercise_keys(&r);
	free(r.buffer);
}

int exercise_device(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
		    const struct exercise_limits *limits, struct exercise_result *result)
{
	struct f2fs_volume *vol;
	struct run r = { .ctx = ctx, .result = result };
	int rc;

	memset(result, 0, sizeof(*result));
	rc = f2fs_volume_open(ctx, dev, options, &vol);
	if (!passed(&r, rc))
		return rc;
	exercise_volume(vol, limits, result);
	f2fs_volume_close(vol);
	return 0;
}
