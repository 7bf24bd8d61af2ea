/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The run over the items of the other side.
 */
#include "base/sized.h"
#include "compare/compare.h"

#include <string.h>

#include "volume/volume.h"

static const struct {
	unsigned field;
	const char *name;
} names[] = {
	{ F2FS_DIFF_TYPE, "type" },	    { F2FS_DIFF_CONTENTS, "contents" }, { F2FS_DIFF_TARGET, "target" },
	{ F2FS_DIFF_DEVICE, "device" },	    { F2FS_DIFF_MODE, "mode" },		{ F2FS_DIFF_OWNER, "owner" },
	{ F2FS_DIFF_SIZE, "size" },	    { F2FS_DIFF_MTIME, "mtime" },	{ F2FS_DIFF_LINKS, "links" },
	{ F2FS_DIFF_XATTRS, "xattrs" },	    { F2FS_DIFF_FLAGS, "flags" },	{ F2FS_DIFF_PROJECT, "project" },
	{ F2FS_DIFF_LAYOUT, "layout" },
};

const char *f2fs_diff_field_name(unsigned field)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].field == field)
			return names[i].name;
	return NULL;
}

static uint8_t type_of(uint32_t mode)
{
	static const uint8_t types[] = {
		[MODE_REG >> 12] = F2FS_TYPE_REGULAR, [MODE_DIR >> 12] = F2FS_TYPE_DIRECTORY,
		[MODE_CHR >> 12] = F2FS_TYPE_CHARACTER, [MODE_BLK >> 12] = F2FS_TYPE_BLOCK,
		[MODE_FIFO >> 12] = F2FS_TYPE_FIFO, [MODE_SOCK >> 12] = F2FS_TYPE_SOCKET,
		[MODE_LNK >> 12] = F2FS_TYPE_SYMLINK,
	};
	const size_t i = (mode & MODE_TYPE) >> 12;

	return i < sizeof(types) ? types[i] : F2FS_TYPE_UNKNOWN;
}

/* The source tells of something that it cannot give. */
static int problem(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail)
{
	struct compare *c = user;

	(void)what;
	c->p.ctx->error = *detail;
	return compare_unreadable(c, path) != 0;
}

/* ---- one item */

/* Is a further name in the archive a further name of the same file in the volume? */
static int compare_link(struct compare *c, const struct populate_item *item, struct f2fs_inode *inode,
			unsigned *fields)
{
	struct f2fs_inode *first;
	int err = compare_find(c, item->link, false, &first);

	if (err)
		return err;
	if (!first || f2fs_inode_number(first) != f2fs_inode_number(inode))
		*fields |= F2FS_DIFF_LINKS & c->fields;
	f2fs_inode_close(first);
	return 0;
}

/* Two names of one file of the source must be names of one file in the volume; *is_known: they are, and the first of
 * them was compared. */
static int compare_names(struct compare *c, const struct populate_item *item, struct f2fs_inode *inode,
			 unsigned *fields, bool *is_known)
{
	const f2fs_nid_t first = populate_link_find(&c->p, item);

	*is_known = first == f2fs_inode_number(inode);
	if (first == F2FS_NO_NID)
		return populate_link_add(&c->p, item, f2fs_inode_number(inode));
	if (first != f2fs_inode_number(inode))
		*fields |= F2FS_DIFF_LINKS & c->fields;
	return 0;
}

/* Contents and place, of files that are alike so far. */
static int compare_blocks(struct compare *c, struct populate_item *item, struct f2fs_inode *inode, unsigned *fields)
{
	const uint32_t type = item->mode & MODE_TYPE;
	bool differ = (*fields & F2FS_DIFF_SIZE) != 0;
	int err = 0;

	if (type == MODE_REG && (c->fields & F2FS_DIFF_CONTENTS)) {
		if (!differ && !item->has_no_contents)
			err = compare_contents(c, item, inode, &differ);
		if (differ)
			*fields |= F2FS_DIFF_CONTENTS;
	}
	if (err || !(c->fields & F2FS_DIFF_LAYOUT) || (type != MODE_REG && type != MODE_DIR))
		return err;
	err = compare_layout(c, inode, compare_volume_inode(&c->p), &differ);
	if (!err && differ)
		*fields |= F2FS_DIFF_LAYOUT;
	return err;
}

static int compare_item(struct compare *c, struct populate_item *item, struct f2fs_inode *inode, unsigned *fields)
{
	const bool has_links = item->has_links;
	bool is_known;
	int err = 0;

	if (item->link)
		return compare_link(c, item, inode, fields);
	item->has_links = false; /* the source gives the contents of each name */
	if (c->p.ops->prepare)
		err = c->p.ops->prepare(&c->p, item);
	item->has_links = has_links;
	if (!err)
		err = compare_metadata(c, item, inode, fields);
	if (err || (*fields & F2FS_DIFF_TYPE))
		return err;
	err = compare_names(c, item, inode, fields, &is_known);
	return err || is_known ? err : compare_blocks(c, item, inode, fields);
}

static int take_found(struct compare *c, struct populate_item *item, struct f2fs_inode *inode)
{
	struct f2fs_difference difference = { .kind = F2FS_DIFF_CHANGED, .type = type_of(item->mode) };
	int err = compare_item(c, item, inode, &difference.fields);

	if (err)
		return err;
	c->result->compared++;
	return difference.fields ? compare_tell(c, populate_path(&c->p), &difference) : 0;
}

static int take(struct compare *c, struct populate_item *item)
{
	struct f2fs_difference added = { .kind = F2FS_DIFF_ADDED, .type = type_of(item->mode) };
	enum populate_choice choice;
	struct f2fs_inode *inode;
	int err = populate_choose_item(&c->p, &choice);

	if (err)
		return err;
	if (choice == POPULATE_EXCLUDED && (item->mode & MODE_TYPE) == MODE_DIR && c->p.ops->skip)
		c->p.ops->skip(&c->p);
	if (choice != POPULATE_WANTED)
		return 0;
	err = compare_find(c, populate_path(&c->p), true, &inode);
	if (err)
		return err;
	if (!inode)
		return compare_tell(c, populate_path(&c->p), &added);
	err = take_found(c, item, inode);
	f2fs_inode_close(inode);
	return err;
}

static int step(struct compare *c)
{
	struct populate_item item;
	int err;

	memset(&item, 0, sizeof(item));
	c->p.attributes.count = 0;
	err = c->p.ops->next(&c->p, &item);
	if (err == POPULATE_END)
		return err;
	if (!err)
		err = take(c, &item);
	if (err && !compare_is_fatal(c, err))
		err = compare_unreadable(c, populate_path(&c->p));
	return err ? err : populate_progress(&c->p, 0);
}

/* ---- the run */

static int check_options(struct f2fs_context *ctx, const struct f2fs_diff_options *o)
{
	const int sides = (o->volume != NULL) + (o->tar != NULL) + (o->directory || o->manifest);

	if (sides != 1)
		return error_set(ctx, F2FS_ERR_INVALID,
				 "one other side is needed: a volume, a directory, an archive or a manifest");
	if (o->fields & ~(unsigned)F2FS_DIFF_ALL)
		return error_set(ctx, F2FS_ERR_INVALID, "there is no such field: %x", o->fields);
	if ((o->fields & F2FS_DIFF_LAYOUT) && !o->volume)
		return error_set(ctx, F2FS_ERR_INVALID, "only two volumes have a layout to be compared");
	return 0;
}

static void init(struct compare *c, struct f2fs_volume *vol)
{
	const struct f2fs_diff_options *o = c->opt;

	c->p.ctx = f2fs_volume_context(vol);
	c->p.vol = vol;
	c->p.opt = (struct f2fs_populate_options){
		.directory = o->directory,
		.tar = o->tar,
		.manifest = o->manifest,
		.keep = o->volume ? F2FS_KEEP_EVERYTHING : F2FS_KEEP_DEFAULT,
		.include = o->include,
		.include_count = o->include_count,
		.exclude = o->exclude,
		.exclude_count = o->exclude_count,
		.problem = problem,
		.user = c,
	};
	c->p.only_describes = c->p.needs_end = true;
	c->p.progress = (struct f2fs_progress){ .task = "diff", .phase = "comparing", .unit = "bytes" };
	populate_init(&c->p);
	c->room = compare_room(vol);
	vec_init(&c->seen, c->p.ctx, sizeof(struct compare_seen));
	vec_init(&c->shown, c->p.ctx, 1);
	vec_init(&c->parent_path, c->p.ctx, 1);
	vec_init(&c->levels, c->p.ctx, sizeof(struct compare_level));
	map32_init(&c->dirs, c->p.ctx);
}

static void fini(struct compare *c)
{
	compare_forget_parent(c);
	mem_free(c->p.ctx, c->buffer);
	vec_fini(&c->seen);
	vec_fini(&c->shown);
	vec_fini(&c->parent_path);
	vec_fini(&c->levels);
	map32_fini(&c->dirs);
	populate_fini(&c->p);
}

static int run(struct compare *c)
{
	int err = c->opt->volume ? compare_volume_open(&c->p, c->opt->volume) : populate_source_open(&c->p);

	while (!err)
		err = step(c);
	return err == POPULATE_END ? compare_rest(c) : err;
}

static int compare(struct f2fs_volume *vol, const struct f2fs_diff_options *options, struct f2fs_diff_result *result)
{
	struct f2fs_populate_result unused = { 0 };
	struct compare c = { .opt = options, .result = result };
	const struct f2fs_progress *before;
	int err;

	c.fields = options->fields ? options->fields : (unsigned)F2FS_DIFF_DEFAULT;
	c.p.result = &unused;
	init(&c, vol);
	c.p.buffer = mem_alloc(c.p.ctx, POPULATE_BUFFER);
	c.buffer = mem_alloc(c.p.ctx, POPULATE_BUFFER);
	err = c.p.buffer && c.buffer ? 0 : F2FS_ERR_NOMEM;
	if (!err) {
		before = progress_run(c.p.ctx, &c.p.progress);
		err = progress_report(c.p.ctx, &c.p.progress);
		if (!err)
			err = run(&c);
		progress_run(c.p.ctx, before);
	}
	fini(&c);
	if (!err)
		error_clear(f2fs_volume_context(vol));
	return err;
}

int f2fs_diff(struct f2fs_volume *vol, const struct f2fs_diff_options *options, struct f2fs_diff_result *result)
{
	struct f2fs_context *ctx = f2fs_volume_context(vol);
	struct f2fs_diff_result filled = { 0 };
	struct f2fs_diff_options own;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(ctx, result, sizeof(filled));
	if (!err)
		err = check_options(ctx, &own);
	if (!err)
		err = compare(vol, &own, &filled);
	sized_give(result, &filled, sizeof(filled));
	return err;
}
