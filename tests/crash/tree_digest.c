/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything that a volume says in one number, by the public interface; and whether its counters agree with it. */
#include "crash/tree_digest.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER 65536u

struct walk {
	struct tree_digest *out;
	uint64_t *reserved; /* blocks that are counted but have no place yet */
	uint8_t *buffer;
};

static uint64_t mix_word(uint64_t h, const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	h = (h ^ word) * 0x100000001B3u;
	return h ^ h >> 32;
}

/* Four chains side by side, since each step of one waits for the step before. */
static void mix(uint64_t *digest, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t h = *digest, second = 1, third = 2, fourth = 3;

	for (; n >= 32; n -= 32, p += 32) {
		h = mix_word(h, p);
		second = mix_word(second, p + 8);
		third = mix_word(third, p + 16);
		fourth = mix_word(fourth, p + 24);
	}
	h ^= second * 3 ^ third * 5 ^ fourth * 7;
	for (; n >= 8; n -= 8, p += 8)
		h = mix_word(h, p);
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001B3u;
	*digest = h ^ h >> 29;
}

static void mix_number(uint64_t *digest, uint64_t v)
{
	mix(digest, &v, sizeof(v));
}

static void mix_time(uint64_t *digest, const struct f2fs_time *t)
{
	mix_number(digest, (uint64_t)t->seconds);
	mix_number(digest, t->nanoseconds);
}

static int mix_stat(uint64_t *digest, struct f2fs_inode *inode, struct f2fs_stat *st)
{
	int rc = f2fs_inode_stat(inode, st);

	if (rc != 0)
		return rc;
	mix_number(digest, st->ino);
	mix_number(digest, st->mode);
	mix_number(digest, st->nlink);
	mix_number(digest, (uint64_t)st->uid << 32 | st->gid);
	mix_number(digest, (uint64_t)st->rdev_major << 32 | st->rdev_minor);
	mix_number(digest, st->flags);
	mix_number(digest, st->size);
	mix_number(digest, st->blocks);
	mix_time(digest, &st->atime);
	mix_time(digest, &st->mtime);
	mix_time(digest, &st->ctime);
	return 0;
}

static int mix_contents(struct walk *w, struct f2fs_inode *inode, const struct f2fs_stat *st)
{
	size_t n;
	int rc = 0;

	if ((st->mode & 0170000) == 0120000) {
		rc = f2fs_inode_readlink(inode, (char *)w->buffer, BUFFER, &n);
		if (rc == 0)
			mix(&w->out->tree, w->buffer, n);
		return rc;
	}
	for (uint64_t at = 0; rc == 0 && (st->mode & 0170000) == 0100000 && at < st->size; at += n) {
		rc = f2fs_inode_read(inode, at, w->buffer, BUFFER, &n);
		if (rc == 0)
			mix(&w->out->tree, w->buffer, n);
	}
	return rc;
}

static int count_reserved(struct walk *w, struct f2fs_inode *inode, const struct f2fs_stat *st)
{
	struct f2fs_file_extent extent = { 0 };
	int rc = 0;

	while (rc == 0 && (st->mode & 0170000) == 0100000) {
		rc = f2fs_inode_extent(inode, extent.file_block + extent.count, &extent);
		if (rc == 0 && extent.kind == F2FS_EXTENT_RESERVED)
			*w->reserved += extent.count;
		if (rc == 0 && extent.kind == F2FS_EXTENT_COMPRESSED)
			*w->reserved += extent.count - extent.stored;
	}
	return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
}

static int mix_attributes(struct walk *w, struct f2fs_inode *inode)
{
	const int count = f2fs_xattr_count(inode);
	struct f2fs_xattr x;
	int rc = 0;

	for (int i = 0; rc == 0 && i < count; i++) {
		rc = f2fs_xattr_at(inode, (unsigned)i, &x);
		if (rc != 0)
			break;
		mix(&w->out->tree, x.name, strlen(x.name));
		mix(&w->out->tree, x.value, x.value_size);
	}
	return count < 0 ? count : rc;
}

static int mix_inode(struct walk *w, struct f2fs_inode *inode)
{
	struct f2fs_stat st;
	int rc = mix_stat(&w->out->tree, inode, &st);

	w->out->files++;
	if (rc == 0)
		rc = mix_contents(w, inode, &st);
	if (rc == 0)
		rc = count_reserved(w, inode, &st);
	return rc == 0 ? mix_attributes(w, inode) : rc;
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct walk *w = user;

	mix(&w->out->tree, entry->path, strlen(entry->path) + 1);
	return entry->error ? entry->error : mix_inode(w, entry->inode);
}

int tree_digest_inode(struct f2fs_inode *inode, struct tree_digest *out)
{
	uint64_t reserved = 0;
	struct walk w = { .out = out, .buffer = malloc(BUFFER), .reserved = &reserved };
	int rc;

	if (!w.buffer)
		return F2FS_ERR_NOMEM;
	memset(out, 0, sizeof(*out));
	rc = mix_inode(&w, inode);
	free(w.buffer);
	return rc;
}

static int digest_files(struct f2fs_volume *vol, struct tree_digest *out, uint64_t *reserved)
{
	struct walk w = { .out = out, .buffer = malloc(BUFFER), .reserved = reserved };
	struct f2fs_inode *root;
	int rc;

	if (!w.buffer)
		return F2FS_ERR_NOMEM;
	memset(out, 0, sizeof(*out));
	rc = f2fs_lookup(vol, "/", 0, &root);
	if (rc == 0) {
		rc = f2fs_walk(root, visit, &w);
		f2fs_inode_close(root);
	}
	free(w.buffer);
	return rc;
}

int tree_digest_files(struct f2fs_volume *vol, struct tree_digest *out)
{
	uint64_t reserved = 0;

	return digest_files(vol, out, &reserved);
}

static int mix_nat(struct f2fs_volume *vol, struct tree_digest *out, const struct f2fs_volume_stat *st)
{
	struct f2fs_nat_info entry = { .nid = 0 };
	uint32_t nodes = 0;
	int rc;

	while ((rc = f2fs_nat_next(vol, entry.nid, &entry)) == 0) {
		mix_number(&out->tables, entry.nid);
		mix_number(&out->tables, entry.ino);
		mix_number(&out->tables, entry.block_addr);
		/* Node ids 1 and 2 belong to the volume itself and have no block of the main area. */
		nodes += entry.block_addr > 1;
		entry.nid++;
	}
	if (nodes != st->valid_nodes)
		out->fault = "the NAT has another number of nodes than the checkpoint counts";
	return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
}

static int mix_sit(struct f2fs_volume *vol, struct tree_digest *out, const struct f2fs_volume_stat *st,
		   uint64_t reserved)
{
	const uint32_t segments = f2fs_volume_geometry(vol)->segment_count_main;
	uint64_t valid = 0;

	for (f2fs_seg_t segno = 0; segno < segments; segno++) {
		struct f2fs_segment_info entry;
		unsigned bits = 0;
		int rc = f2fs_sit_lookup(vol, segno, &entry);

		if (rc != 0)
			return rc;
		for (unsigned i = 0; i < 512; i++)
			bits += (unsigned)entry.valid_map[i / 8] >> (7 - i % 8) & 1u;
		if (bits != entry.valid_blocks)
			out->fault = "a segment counts other blocks than its map has";
		valid += entry.valid_blocks;
		mix(&out->tables, entry.valid_map, sizeof(entry.valid_map));
		mix_number(&out->tables, entry.type);
	}
	if (valid + reserved != st->valid_blocks)
		out->fault = "the segments have another number of valid blocks than the checkpoint counts";
	return 0;
}

int tree_digest(struct f2fs_volume *vol, struct tree_digest *out)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	uint64_t reserved = 0;
	int rc = digest_files(vol, out, &reserved);

	f2fs_volume_statfs(vol, &st);
	mix_number(&out->tables, st.free_blocks);
	mix_number(&out->tables, st.free_files);
	mix_number(&out->tables, st.valid_inodes);
	mix_number(&out->tables, st.free_segments);
	if (rc == 0)
		rc = mix_nat(vol, out, &st);
	if (rc == 0)
		rc = mix_sit(vol, out, &st, reserved);
	return rc;
}
