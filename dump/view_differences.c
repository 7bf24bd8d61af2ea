/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What differs between two versions of a file: fields of the inodes, extended attributes, and ranges of file blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"
#include "dump/versions.h"

enum { COMPARED_AT_ONCE = 64 * 1024, MOST_COMPARED = 65536 }; /* bytes; blocks of a range */

struct pair {
	struct dump *d;
	f2fs_blk_t addr[2];
	struct f2fs_inode *inode[2];
	uint64_t blocks; /* of the longer one */
	uint64_t first, count; /* range of differences so far; count 0: none */
	uint8_t *buffer; /* two pieces, also of the inodes' blocks */
};

/* What is at a file block of one of them, up to the other's end. */
static int find_extent(struct pair *p, unsigned i, uint64_t block, struct f2fs_extent *out)
{
	int rc = f2fs_inode_extent(p->inode[i], block, out);

	if (rc == F2FS_ERR_NOT_FOUND) {
		memset(out, 0, sizeof(*out));
		out->kind = F2FS_EXTENT_HOLE;
		out->file_block = block;
		out->count = UINT64_MAX - block;
		rc = 0;
	}
	return rc;
}

static int is_same(const struct f2fs_extent *a, const struct f2fs_extent *b, uint64_t block)
{
	if (a->kind != b->kind)
		return 0;
	if (a->kind == F2FS_EXTENT_DATA)
		return a->addr + (block - a->file_block) == b->addr + (block - b->file_block);
	if (a->kind == F2FS_EXTENT_COMPRESSED)
		return a->addr == b->addr && a->stored == b->stored;
	return a->kind != F2FS_EXTENT_INLINE;
}

/* Do the contents of a range differ? "unknown" where one of them cannot be read. */
static const char *compare_contents(struct pair *p)
{
	const uint64_t bs = p->d->geo->block_size, end = (p->first + p->count) * bs;
	uint8_t *piece[2] = { p->buffer, p->buffer + COMPARED_AT_ONCE };

	if (p->count > MOST_COMPARED)
		return "unknown";
	for (uint64_t at = p->first * bs; at < end; at += COMPARED_AT_ONCE) {
		const size_t want = end - at < COMPARED_AT_ONCE ? (size_t)(end - at) : COMPARED_AT_ONCE;
		size_t done[2] = { 0, 0 };

		for (unsigned i = 0; i < 2; i++)
			if (f2fs_inode_read(p->inode[i], at, piece[i], want, &done[i]))
				return "unknown";
		if (done[0] != done[1] || memcmp(piece[0], piece[1], done[0]) != 0)
			return "differ";
	}
	return "same";
}

static void end_range(struct pair *p)
{
	if (!p->count)
		return;
	cli_print_begin(p->d->out, NULL);
	cli_print_u64(p->d->out, "file_block", p->first);
	cli_print_u64(p->d->out, "count", p->count);
	cli_print_string(p->d->out, "contents", compare_contents(p));
	cli_print_end(p->d->out);
	p->count = 0;
}

static int compare_ranges(struct pair *p)
{
	cli_print_begin_array(p->d->out, "ranges");
	for (uint64_t at = 0, n; at < p->blocks && !cli_stopped(); at += n) {
		struct f2fs_extent e[2];
		int same = 0, bad = find_extent(p, 0, at, &e[0]) || find_extent(p, 1, at, &e[1]);

		n = bad ? 1 : p->blocks - at;
		for (unsigned i = 0; i < 2 && !bad; i++)
			if (e[i].file_block + e[i].count - at < n)
				n = e[i].file_block + e[i].count - at;
		same = !bad && is_same(&e[0], &e[1], at);
		if (same)
			end_range(p);
		else if (!p->count)
			p->first = at;
		p->count += same ? 0 : n;
	}
	end_range(p);
	cli_print_end_array(p->d->out);
	return cli_stopped() ? f2fs_context_fail(p->d->ctx, F2FS_ERR_CANCELED, "canceled") : 0;
}

/* Fields of the inodes' heads; numbers in both forms, bytes only by name. */
static int compare_fields(struct pair *p)
{
	const struct f2fs_struct *type = dump_struct("inode");
	const uint8_t *raw[2] = { p->buffer, p->buffer + p->d->geo->block_size };
	int rc = 0;

	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = f2fs_block_read(p->d->vol, p->addr[i], 1, p->buffer + (size_t)i * p->d->geo->block_size);
	if (rc)
		return dump_fail(p->d, rc, "--differences");
	cli_print_begin_array(p->d->out, "fields");
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct f2fs_field *f = &type->fields[i];
		const uint32_t end = i + 1 < type->field_count ? type->fields[i + 1].offset : type->size;

		if (!memcmp(raw[0] + f->offset, raw[1] + f->offset, end - f->offset))
			continue;
		cli_print_begin(p->d->out, NULL);
		cli_print_string(p->d->out, "field", f->name);
		if (f->type != F2FS_FIELD_BYTES) {
			cli_print_s64(p->d->out, "first", (int64_t)f2fs_field_get(f, raw[0], 0));
			cli_print_s64(p->d->out, "second", (int64_t)f2fs_field_get(f, raw[1], 0));
		}
		cli_print_end(p->d->out);
	}
	cli_print_end_array(p->d->out);
	return 0;
}

/* Attributes of one that the other lacks or has otherwise. */
static void compare_xattrs(struct pair *p)
{
	cli_print_begin_array(p->d->out, "xattrs");
	for (unsigned i = 0; i < 2; i++) {
		const int count = f2fs_xattr_count(p->inode[i]);
		struct f2fs_xattr x, y;

		for (int k = 0; k < count; k++) {
			int missing;

			if (f2fs_xattr_at(p->inode[i], (unsigned)k, &x))
				continue;
			missing = f2fs_xattr_get(p->inode[!i], x.name, &y) != 0;
			if (missing || (i == 0 && (x.value_size != y.value_size ||
						   memcmp(x.value, y.value, x.value_size) != 0)))
				cli_print_bytes(p->d->out, NULL, x.name, strlen(x.name));
		}
	}
	cli_print_end_array(p->d->out);
}

static int show(struct pair *p)
{
	const uint64_t bs = p->d->geo->block_size;
	int rc = 0;

	for (unsigned i = 0; i < 2 && !rc; i++) {
		struct f2fs_stat st;

		rc = f2fs_inode_stat(p->inode[i], &st);
		if (!rc && st.size / bs + 1 > p->blocks)
			p->blocks = st.size / bs + (st.size % bs != 0);
	}
	if (rc)
		return dump_fail(p->d, rc, "--differences");
	cli_print_u64(p->d->out, "first", p->addr[0]);
	cli_print_u64(p->d->out, "second", p->addr[1]);
	rc = compare_fields(p);
	if (rc)
		return rc;
	compare_xattrs(p);
	return compare_ranges(p);
}

int view_differences(struct dump *d, const char *argument)
{
	struct pair p = { .d = d };
	char first[24];
	const char *comma = strchr(argument, ',');
	int rc = 0;

	if (!comma || comma == argument || (size_t)(comma - argument) >= sizeof(first)) {
		cli_usage_error(&d->cli, "--differences", argument, "is not two block addresses with a comma");
		d->status |= DUMP_USAGE;
		return F2FS_ERR_INVALID;
	}
	memcpy(first, argument, (size_t)(comma - argument));
	first[comma - argument] = '\0';
	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = dump_parse_number(d, "block address", i ? comma + 1 : first, d->geo->end_blkaddr, &p.addr[i]);
	if (rc)
		return rc;
	p.buffer = malloc(2 * COMPARED_AT_ONCE);
	if (!p.buffer)
		return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), "--differences");
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = f2fs_inode_open_at(d->vol, NULL, p.addr[i], 0, &p.inode[i]);
		if (rc)
			dump_fail(d, rc, argument);
	}
	if (!rc)
		rc = show(&p);
	for (unsigned i = 0; i < 2; i++)
		f2fs_inode_close(p.inode[i]);
	free(p.buffer);
	return rc;
}
