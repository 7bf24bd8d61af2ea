/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tar sink: a stream in the pax format that GNU tar, bsdtar and star read. Names are bytes, ids are numbers, holes
 * are in GNU's sparse format 1.0, attributes, ACLs and flags in star's records. The same image always makes the same
 * stream.
 */

#include "sink/tar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/acl.h"
#include "base/acl_text.h"
#include "base/error.h"
#include "file/feed.h"
#include "sink/dir.h"
#include "sink/pax.h"
#include "sink/report.h"
#include "sink/tarfilter.h"
#include "sink/tarregions.h"
#include "sink/xattr.h"

#define READ_SIZE (1u << 20)
#define BATCH_SIZE (256u << 10) /* of the stream, read by workers and written together */
#define RECORD_SIZE (20 * TAR_BLOCK) /* the stream's length is a multiple of it, as tar does */
#define ZEROS 4096u

struct tar {
	struct sink_stream *stream;
	struct tar_filter *filter; /* NULL: none */
	struct feed *feed; /* the stream, before it is written */
	uint64_t written;  /* to the feed */
	uint64_t file;	   /* number of the current file, from 1 */
	uint64_t told;	   /* the last file whose contents a problem was reported of */
	uint8_t *buffer;   /* READ_SIZE */
	struct tar_regions regions;
	struct vec records, headers;		/* char: of the current entry */
	struct vec path, link_path, xattr_name; /* scratch: char */
	uint8_t zeros[ZEROS];
};

static struct tar *tar_of(const struct sink *sink)
{
	return sink->own;
}

/* A piece of contents that workers read. */
struct piece {
	struct sink_dir *dir; /* a reference */
	uint64_t file;	      /* see struct tar */
	uint64_t offset;
	f2fs_nid_t ino;
	bool is_cipher;
	char name[F2FS_NAME_ROOM];
};

/* Write bytes that the feed gives; without a filter the context is not used. */
static int write_out(void *user, const uint8_t *bytes, size_t length)
{
	struct tar *t = tar_of(user);

	return t->filter ? tar_filter_put(t->filter, bytes, length) : sink_stream_put(t->stream, bytes, length);
}

static int report_write(void *user, int failure)
{
	struct tar *t = tar_of(user);

	return t->filter ? failure : sink_stream_report(t->stream);
}

static int put(struct sink *sink, const void *data, size_t length)
{
	tar_of(sink)->written += length;
	return feed_put(tar_of(sink)->feed, data, length);
}

static int put_zeros(struct sink *sink, uint64_t length)
{
	int err = 0;

	for (; length > 0 && !err; length -= length < ZEROS ? length : ZEROS)
		err = put(sink, tar_of(sink)->zeros, length < ZEROS ? (size_t)length : ZEROS);
	return err;
}

/* Fill up to a multiple of unit. */
static int pad(struct sink *sink, uint64_t unit)
{
	uint64_t beyond = tar_of(sink)->written % unit;

	return beyond ? put_zeros(sink, unit - beyond) : 0;
}

/* ---- headers */

/* An ACL in its system call form as star's text. */
static int add_acl(struct sink *sink, const struct f2fs_xattr *xattr)
{
	const bool is_default = !strcmp(xattr->name, "system.posix_acl_default");
	const size_t room = ACL_COUNT_MAX(xattr->value_size), text_room = 40 * room + 1;
	struct acl_entry *entries = mem_calloc(sink->ctx, room + 1, sizeof(*entries));
	char *buffer = mem_alloc(sink->ctx, text_room);
	struct text text;
	size_t count;
	int err = 0;

	if (!entries || !buffer) {
		err = F2FS_ERR_NOMEM;
	} else if (acl_decode_xattr(xattr->value, xattr->value_size, entries, room + 1, &count) == ACL_OK) {
		text_init(&text, buffer, text_room);
		acl_print(entries, count, &text);
		err = pax_add(&tar_of(sink)->records, is_default ? "SCHILY.acl.default" : "SCHILY.acl.access", text.buf,
			      text.len);
	}
	mem_free(sink->ctx, buffer);
	mem_free(sink->ctx, entries);
	return err;
}

static int add_xattr(struct sink *sink, const struct f2fs_xattr *xattr)
{
	static const char prefix[] = "SCHILY.xattr.";
	struct tar *t = tar_of(sink);
	char *key;

	t->xattr_name.count = 0;
	key = vec_push(&t->xattr_name, sizeof(prefix) + strlen(xattr->name));
	if (!key)
		return F2FS_ERR_NOMEM;
	memcpy(key, prefix, sizeof(prefix) - 1);
	memcpy(key + sizeof(prefix) - 1, xattr->name, strlen(xattr->name) + 1);
	return pax_add(&t->records, key, xattr->value, xattr->value_size);
}

static int add_xattrs(struct sink *sink, struct f2fs_inode *inode, const struct sink_place *place)
{
	struct sink_place at = *place;
	struct f2fs_xattr xattr;
	unsigned index = 0, bit;
	int err;

	while ((err = sink_xattr_next(sink, inode, &index, &xattr, &bit)) == 0) {
		err = bit == F2FS_KEEP_ACL ? add_acl(sink, &xattr) : add_xattr(sink, &xattr);
		if (err)
			return err;
	}
	if (err == F2FS_ERR_NO_ATTR)
		return 0;
	if (err == F2FS_ERR_NOMEM)
		return err;
	at.what = "attributes";
	return sink_problem(sink, F2FS_PROBLEM_UNREADABLE, &at);
}

/* Inode flags by the names that star and bsdtar know. */
static int add_flags(struct sink *sink, uint32_t flags)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ FLAG_i_flags_append, "sappnd" }, { FLAG_i_flags_immutable, "schg" },
		{ FLAG_i_flags_nodump, "nodump" }, { FLAG_i_flags_noatime, "noatime" },
		{ FLAG_i_flags_sync, "sync" },	   { FLAG_i_flags_dirsync, "dirsync" },
	};
	char buffer[80];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (flags & names[i].bit)
			text_printf(&text, "%s%s", text.len ? "," : "", names[i].name);
	return text.len ? pax_add(&tar_of(sink)->records, "SCHILY.fflags", text.buf, text.len) : 0;
}

static int lose_project(struct sink *sink, const struct sink_place *place)
{
	struct sink_place at = *place;

	at.what = "project id";
	error_set(sink->ctx, F2FS_ERR_UNSUPPORTED, "tar has no place for project ids");
	return sink_attribute_lost(sink, F2FS_KEEP_PROJECT, &at);
}

/* Describe an entry that may have records of its own already: its path, attributes, xattrs. */
static int describe(struct sink *sink, const struct sink_place *place, const struct sink_attr *attr,
		    struct f2fs_inode *inode, struct pax_entry *out)
{
	struct tar *t = tar_of(sink);
	struct f2fs_stat stat;
	int err = sink_short_path(sink, &t->path, place->dir, place->name, sink->strip);

	if (!err)
		err = f2fs_inode_stat(inode, &stat);
	if (err)
		return err;
	*out = (struct pax_entry){ .path = t->path.items, .type = TAR_FILE, .mode = attr->mode & 0777 };
	if (sink_keeps(sink, F2FS_KEEP_MODE))
		out->mode = attr->mode & 07777;
	if (sink_keeps(sink, F2FS_KEEP_OWNER)) {
		out->uid = attr->uid;
		out->gid = attr->gid;
	}
	if (sink_keeps(sink, F2FS_KEEP_TIMES)) {
		out->has_times = true;
		out->atime = attr->atime;
		out->mtime = attr->mtime;
		out->ctime = stat.ctime;
	}
	if (sink_keeps(sink, F2FS_KEEP_FLAGS))
		err = add_flags(sink, attr->flags);
	if (!err && sink_keeps(sink, F2FS_KEEP_PROJECT) && attr->projid)
		err = lose_project(sink, place);
	return err ? err : add_xattrs(sink, inode, place);
}

static int describe_entry(struct sink *sink, const struct sink_entry *e, struct pax_entry *out)
{
	const struct sink_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino };

	tar_of(sink)->records.count = 0;
	return describe(sink, &place, &e->attr, e->inode, out);
}

static int write_headers(struct sink *sink, const struct pax_entry *entry)
{
	struct tar *t = tar_of(sink);
	int err = pax_build(&t->headers, &t->records, entry);

	return err ? err : put(sink, t->headers.items, t->headers.count);
}

/* ---- contents */

/* Report the recorded error about contents, once for a file. */
static int tell_lost(struct sink *sink, const struct piece *p)
{
	const struct sink_place place = { .dir = p->dir, .name = p->name, .ino = p->ino, .what = "contents" };
	struct tar *t = tar_of(sink);
	int err = feed_flush(t->feed); /* may report this file */

	if (err || t->told == p->file)
		return err;
	t->told = p->file;
	return sink_problem(sink, F2FS_PROBLEM_UNREADABLE, &place);
}

static int read_some(const struct piece *p, struct f2fs_inode *inode, size_t at, uint8_t *buffer, size_t length)
{
	size_t done;

	if (p->is_cipher)
		return f2fs_inode_read_raw(inode, p->offset + at, buffer, length, &done);
	return f2fs_inode_read(inode, p->offset + at, buffer, length, &done);
}

/* Read a piece on this thread. Unreadable blocks become zeros, one by one, and are reported once for a file. */
static int read_piece(struct sink *sink, const struct piece *p, struct f2fs_inode *inode, uint8_t *buffer,
		      size_t length)
{
	const uint32_t block_size = sink->vol->geo.block_size;
	int err = read_some(p, inode, 0, buffer, length);

	if (!err || err == F2FS_ERR_NOMEM)
		return err;
	err = tell_lost(sink, p);
	if (err)
		return err;
	for (size_t at = 0; at < length; at += block_size) {
		size_t n = length - at < block_size ? length - at : block_size;

		err = read_some(p, inode, at, buffer + at, n);
		if (err == F2FS_ERR_NOMEM)
			return err;
		if (err)
			memset(buffer + at, 0, n);
	}
	return 0;
}

/* Read a piece again that a worker could not read. */
static int read_again(struct sink *sink, const struct piece *p, struct feed_item *item)
{
	struct f2fs_inode *inode;
	int err = f2fs_inode_open(sink->vol, p->ino, &inode);

	if (err == F2FS_ERR_NOMEM)
		return err;
	if (err) {
		memset(item->bytes, 0, item->length);
		return tell_lost(sink, p);
	}
	err = read_piece(sink, p, inode, item->bytes, item->length);
	f2fs_inode_close(inode);
	return err;
}

static void drop_item(void *user, struct feed_item *item)
{
	sink_dir_drop(user, ((struct piece *)item->note)->dir);
}

static int take_item(void *user, struct feed_item *item)
{
	struct sink *sink = user;
	struct piece *p = item->note;
	int err = item->is_bad ? read_again(sink, p, item) : 0;

	if (!err)
		return sink_dir_put(sink, p->dir);
	drop_item(sink, item);
	return err;
}

/* Ask workers for a piece. FEED_APART: they cannot. */
static int ask_piece(struct sink *sink, const struct piece *p, struct f2fs_inode *inode, size_t length)
{
	const struct feed_ask ask = { .inode = inode,
				      .offset = p->offset,
				      .length = length,
				      .is_stored = p->is_cipher,
				      .note = p,
				      .note_size = offsetof(struct piece, name) + strlen(p->name) + 1 };
	int err;

	sink_dir_ref(p->dir);
	err = feed_contents(tar_of(sink)->feed, &ask);
	if (err)
		sink_dir_drop(sink, p->dir); /* the walk has one, too */
	else
		tar_of(sink)->written += length;
	return err;
}

static int write_region(struct sink *sink, struct piece *p, struct f2fs_inode *inode, const struct tar_region *region)
{
	struct tar *t = tar_of(sink);
	int err = 0;

	for (p->offset = region->offset; !err && p->offset < region->end;) {
		const uint64_t rest = region->end - p->offset;
		size_t n = rest < BATCH_SIZE ? (size_t)rest : BATCH_SIZE;

		err = ask_piece(sink, p, inode, n);
		if (err == FEED_APART) {
			n = rest < READ_SIZE ? (size_t)rest : READ_SIZE;
			err = read_piece(sink, p, inode, t->buffer, n);
			if (!err)
				err = put(sink, t->buffer, n);
		}
		p->offset += n;
		sink->result->bytes += n;
	}
	return err;
}

/* ---- sparse files: the map is text before the contents */

/* Give each line of the map to line(): how many entries, then offset and size of each, the last one at the end. */
static int each_map_line(struct sink *sink, uint64_t size, int (*line)(struct sink *sink, void *user, uint64_t number),
			 void *user)
{
	const struct vec *list = &tar_of(sink)->regions.list;
	int err = line(sink, user, list->count + 1);

	for (size_t i = 0; i < list->count && !err; i++) {
		const struct tar_region *region = vec_at(list, i);

		err = line(sink, user, region->offset);
		if (!err)
			err = line(sink, user, region->end - region->offset);
	}
	if (!err)
		err = line(sink, user, size);
	return err ? err : line(sink, user, 0);
}

static int count_line(struct sink *sink, void *user, uint64_t number)
{
	uint64_t *bytes = user;

	(void)sink;
	*bytes += (uint64_t)snprintf(NULL, 0, "%" PRIu64 "\n", number);
	return 0;
}

static int write_line(struct sink *sink, void *user, uint64_t number)
{
	char text[32];

	(void)user;
	return put(sink, text, (size_t)snprintf(text, sizeof(text), "%" PRIu64 "\n", number));
}

/* Records and header of a sparse file; the map follows them. */
static int write_sparse_headers(struct sink *sink, struct pax_entry *entry, uint64_t size)
{
	struct tar *t = tar_of(sink);
	char name[100];
	const char *path = entry->path, *slash = strrchr(path, '/');
	uint64_t map = 0;
	int err = each_map_line(sink, size, count_line, &map);

	if (!err)
		err = pax_add(&t->records, "GNU.sparse.major", "1", 1);
	if (!err)
		err = pax_add(&t->records, "GNU.sparse.minor", "0", 1);
	if (!err)
		err = pax_add(&t->records, "GNU.sparse.name", entry->path, strlen(entry->path));
	if (!err)
		err = pax_add_number(&t->records, "GNU.sparse.realsize", size);
	if (err)
		return err;
	snprintf(name, sizeof(name), "GNUSparseFile.0/%.80s", slash ? slash + 1 : path);
	entry->path = name;
	entry->size = ((map + TAR_BLOCK - 1) & ~(uint64_t)(TAR_BLOCK - 1)) + tar_regions_bytes(&t->regions);
	err = write_headers(sink, entry);
	entry->path = path;
	if (!err)
		err = each_map_line(sink, size, write_line, NULL);
	return err ? err : pad(sink, TAR_BLOCK);
}

/* ---- the sink */

static int make_dir(struct sink *sink, struct sink_dir *dir)
{
	const struct sink_place place = { .dir = dir, .ino = dir->ino };
	struct pax_entry entry;
	struct f2fs_inode *inode;
	int err = f2fs_inode_open(sink->vol, dir->ino, &inode);
	char *slash;

	if (err)
		return err;
	tar_of(sink)->records.count = 0;
	err = describe(sink, &place, &dir->attr, inode, &entry);
	f2fs_inode_close(inode);
	if (err)
		return err;
	if (!vec_push(&tar_of(sink)->path, 1)) /* room for a slash */
		return F2FS_ERR_NOMEM;
	slash = strchr(tar_of(sink)->path.items, '\0');
	slash[0] = '/';
	slash[1] = '\0';
	entry.path = tar_of(sink)->path.items;
	entry.type = TAR_DIRECTORY;
	err = write_headers(sink, &entry);
	dir->state = DIR_MADE;
	sink->result->directories += err == 0;
	return err;
}

static int leave_dir(struct sink *sink, struct sink_dir *dir)
{
	(void)sink;
	(void)dir;
	return 0;
}

static void drop_dir(struct sink *sink, struct sink_dir *dir)
{
	(void)sink;
	(void)dir;
}

static int put_file(struct sink *sink, const struct sink_entry *e)
{
	const uint64_t mask = sink->vol->geo.block_size - 1;
	const uint64_t size = e->is_cipher ? (e->stat.size + mask) & ~mask : e->stat.size;
	struct tar *t = tar_of(sink);
	struct piece piece = { .dir = e->dir, .file = ++t->file, .ino = e->stat.ino, .is_cipher = e->is_cipher };
	struct pax_entry entry;
	bool is_told = false;
	int err = tar_regions_load(sink, e, size, &t->regions, &is_told);

	if (is_told)
		t->told = piece.file;
	memcpy(piece.name, e->name, e->name_length + 1);
	if (!err)
		err = describe_entry(sink, e, &entry);
	if (err)
		return err;
	entry.size = size;
	err = tar_regions_have_holes(&t->regions, size) ? write_sparse_headers(sink, &entry, size)
							: write_headers(sink, &entry);
	for (size_t i = 0; i < t->regions.list.count && !err; i++)
		err = write_region(sink, &piece, e->inode, vec_at(&t->regions.list, i));
	sink->result->files += err == 0;
	return err ? err : pad(sink, TAR_BLOCK);
}

static int put_symlink(struct sink *sink, const struct sink_entry *e)
{
	struct pax_entry entry;
	int err = describe_entry(sink, e, &entry);

	if (err)
		return err;
	entry.type = TAR_SYMLINK;
	entry.link = e->target;
	sink->result->symlinks++;
	return write_headers(sink, &entry);
}

static int put_special(struct sink *sink, const struct sink_entry *e)
{
	const struct sink_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino };
	struct pax_entry entry;
	int err;

	if ((e->stat.mode & MODE_TYPE) == MODE_SOCK) {
		error_set(sink->ctx, F2FS_ERR_UNSUPPORTED, "tar has no place for sockets");
		sink->result->skipped++;
		err = sink_remark(sink, F2FS_PROBLEM_NOT_MADE, &place);
		return err ? err : SINK_LEFT;
	}
	err = describe_entry(sink, e, &entry);
	if (err)
		return err;
	switch (e->stat.mode & MODE_TYPE) {
	case MODE_CHR:
		entry.type = TAR_CHARACTER;
		break;
	case MODE_BLK:
		entry.type = TAR_BLOCK_DEVICE;
		break;
	default:
		entry.type = TAR_FIFO;
	}
	entry.major = e->stat.rdev_major;
	entry.minor = e->stat.rdev_minor;
	sink->result->specials++;
	return write_headers(sink, &entry);
}

static int put_link(struct sink *sink, const struct sink_entry *e, const struct sink_first *first)
{
	struct tar *t = tar_of(sink);
	struct pax_entry entry;
	int err = describe_entry(sink, e, &entry);

	if (!err)
		err = sink_short_path(sink, &t->link_path, first->dir, first->name, first->strip);
	if (err)
		return err;
	entry.type = TAR_LINK;
	entry.link = t->link_path.items;
	return write_headers(sink, &entry);
}

static int flush(struct sink *sink)
{
	return feed_flush(tar_of(sink)->feed);
}

static int end(struct sink *sink)
{
	struct tar *t = tar_of(sink);
	int err = put_zeros(sink, (uint64_t)2 * TAR_BLOCK);

	if (!err)
		err = pad(sink, RECORD_SIZE);
	if (!err)
		err = flush(sink);
	if (!err && t->filter)
		err = tar_filter_finish(t->filter);
	if (err)
		return err;
	err = sink_stream_close(t->stream);
	t->stream = NULL;
	return err;
}

static void close_sink(struct sink *sink)
{
	struct tar *t = tar_of(sink);

	feed_free(t->feed);
	tar_filter_close(t->filter);
	sink_stream_drop(t->stream); /* none after end() */
	tar_regions_fini(&t->regions);
	vec_fini(&t->records);
	vec_fini(&t->headers);
	vec_fini(&t->path);
	vec_fini(&t->link_path);
	vec_fini(&t->xattr_name);
	mem_free(sink->ctx, t->buffer);
	mem_free(sink->ctx, t);
}

static const struct sink_ops tar_ops = {
	.make_dir = make_dir,
	.leave_dir = leave_dir,
	.drop_dir = drop_dir,
	.put_file = put_file,
	.put_symlink = put_symlink,
	.put_special = put_special,
	.put_link = put_link,
	.flush = flush,
	.settle = flush,
	.end = end,
	.close = close_sink,
};

int sink_tar_open(struct sink *sink)
{
	struct feed_user user = {
		.user = sink, .item = take_item, .drop = drop_item, .bytes = write_out, .report = report_write
	};
	struct tar *t = mem_zalloc(sink->ctx, sizeof(*t));
	int err;

	if (!t)
		return F2FS_ERR_NOMEM;
	vec_init(&t->records, sink->ctx, 1);
	vec_init(&t->headers, sink->ctx, 1);
	vec_init(&t->path, sink->ctx, 1);
	vec_init(&t->link_path, sink->ctx, 1);
	vec_init(&t->xattr_name, sink->ctx, 1);
	tar_regions_init(&t->regions, sink->ctx);
	sink->ops = &tar_ops;
	sink->own = t;
	t->buffer = mem_alloc(sink->ctx, READ_SIZE);
	if (!t->buffer)
		return F2FS_ERR_NOMEM;
	err = sink_stream_open(sink, sink->opt.tar, F2FS_OUTPUT_TAR, "the tar stream", &t->stream);
	if (!err && sink->opt.tar_filter)
		err = tar_filter_open(sink->ctx, sink->opt.tar_filter, t->stream, &t->filter);
	user.is_behind = !err && !t->filter && sink_stream_is_file(t->stream);
	return err ? err : feed_new(sink->vol, sink->opt.threads, BATCH_SIZE, &user, &t->feed);
}
