/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare each item of the other side with the volume.
 */
#include "base/sized.h"
#include "compare/run.h"

#include <string.h>

#include "base/error.h"
#include "compare/contents.h"
#include "compare/metadata.h"
#include "compare/rest.h"
#include "compare/seek.h"
#include "compare/side.h"
#include "source/volume_source.h"
#include "volume/read_room.h"
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

/* Take the source's report of an item that it cannot provide. */
static int take_problem(void *user, const char *what)
{
	struct compare *c = user;

	(void)what;
	return compare_unreadable(c, source_path(&c->src));
}

/* Take an unread part: then nothing is claimed about entries of the current directory. */
static int take_unread(void *user)
{
	(void)user;
	return 0;
}

/* ---- one item */

/* Is a further name in the archive a further name of the same file in the volume? */
static int compare_link(struct compare *c, const struct source_item *item, struct f2fs_inode *inode, unsigned *fields)
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

/*
 * Check that two names of one file of the source are names of one file in the volume. *is_known: they are, and the
 * first of them was compared.
 */
static int compare_names(struct compare *c, const struct source_item *item, struct f2fs_inode *inode, unsigned *fields,
			 bool *is_known)
{
	const f2fs_nid_t first = source_link_find(&c->links, item);

	*is_known = first == f2fs_inode_number(inode);
	if (first == F2FS_NO_NID)
		return source_link_add(&c->links, item, f2fs_inode_number(inode));
	if (first != f2fs_inode_number(inode))
		*fields |= F2FS_DIFF_LINKS & c->fields;
	return 0;
}

/* Contents and place, of files that are alike so far. */
static int compare_blocks(struct compare *c, struct source_item *item, struct f2fs_inode *inode, unsigned *fields)
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
	err = compare_layout(c, inode, source_volume_inode(&c->src), &differ);
	if (!err && differ)
		*fields |= F2FS_DIFF_LAYOUT;
	return err;
}

static int compare_item(struct compare *c, struct source_item *item, struct f2fs_inode *inode, unsigned *fields)
{
	bool is_known;
	int err = 0;

	if (item->link)
		return compare_link(c, item, inode, fields);
	if (c->src.ops->prepare)
		err = c->src.ops->prepare(&c->src, item);
	if (!err)
		err = compare_metadata(c, item, inode, fields);
	if (err || (*fields & F2FS_DIFF_TYPE))
		return err;
	err = compare_names(c, item, inode, fields, &is_known);
	return err || is_known ? err : compare_blocks(c, item, inode, fields);
}

static int take_found(struct compare *c, struct source_item *item, struct f2fs_inode *inode)
{
	struct f2fs_difference difference = { .kind = F2FS_DIFF_CHANGED,
					      .type = (uint8_t)f2fs_type_of_mode(item->mode) };
	struct f2fs_diff_side side;
	int err = compare_item(c, item, inode, &difference.fields);

	if (err)
		return err;
	c->result->compared++;
	compare_side(c, item, true, &side);
	difference.other = &side;
	return difference.fields ? compare_tell(c, source_path(&c->src), &difference) : 0;
}

static int take(struct compare *c, struct source_item *item)
{
	struct f2fs_difference added = { .kind = F2FS_DIFF_ADDED, .type = (uint8_t)f2fs_type_of_mode(item->mode) };
	struct f2fs_diff_side side;
	enum source_choice choice;
	struct f2fs_inode *inode;
	int err = source_choose_item(&c->src, &choice);

	if (err)
		return err;
	if (choice == SOURCE_EXCLUDED && (item->mode & MODE_TYPE) == MODE_DIR && c->src.ops->skip)
		c->src.ops->skip(&c->src);
	if (choice != SOURCE_WANTED)
		return 0;
	err = compare_find(c, source_path(&c->src), true, &inode);
	if (err)
		return err;
	if (!inode) {
		compare_side(c, item, false, &side);
		added.other = &side;
		return compare_tell(c, source_path(&c->src), &added);
	}
	err = take_found(c, item, inode);
	f2fs_inode_close(inode);
	return err;
}

static int step(struct compare *c)
{
	struct source_item item;
	int err;

	memset(&item, 0, sizeof(item));
	c->src.attributes.count = 0;
	err = c->src.ops->next(&c->src, &item);
	if (err == SOURCE_END)
		return err;
	if (!err)
		err = take(c, &item);
	if (err && !compare_is_fatal(c, err))
		err = compare_unreadable(c, source_path(&c->src));
	return err ? err : source_progress(&c->src, 0);
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

static int init(struct compare *c, struct f2fs_volume *vol)
{
	static const struct source_events events = { .problem = take_problem, .unread = take_unread };
	const struct f2fs_diff_options *o = c->opt;
	int err;

	c->ctx = f2fs_volume_context(vol);
	c->vol = vol;
	c->src = (struct source){
		.ctx = c->ctx,
		.opt = {
			.volume = o->volume,
			.directory = o->directory,
			.tar = o->tar,
			.manifest = o->manifest,
			.keep = o->volume ? F2FS_KEEP_EVERYTHING : F2FS_KEEP_DEFAULT,
			.include = o->include,
			.exclude = o->exclude,
			.include_count = o->include_count,
			.exclude_count = o->exclude_count,
			.only_describes = true,
			.needs_end = true,
		},
		.events = &events,
		.user = c,
		.progress = { .task = "diff", .phase = "comparing", .unit = "bytes" },
	};
	err = source_init(&c->src);
	source_links_init(&c->links, c->ctx, true);
	c->room = read_room(vol);
	vec_init(&c->seen, c->ctx, sizeof(struct compare_seen));
	vec_init(&c->shown, c->ctx, 1);
	vec_init(&c->parent_path, c->ctx, 1);
	vec_init(&c->levels, c->ctx, sizeof(struct compare_level));
	map32_init(&c->dirs, c->ctx);
	c->buffer = err ? NULL : mem_alloc(c->ctx, SOURCE_BUFFER);
	return err || c->buffer ? err : F2FS_ERR_NOMEM;
}

static void fini(struct compare *c)
{
	compare_forget_parent(c);
	mem_free(c->ctx, c->buffer);
	vec_fini(&c->seen);
	vec_fini(&c->shown);
	vec_fini(&c->parent_path);
	vec_fini(&c->levels);
	map32_fini(&c->dirs);
	source_links_fini(&c->links);
	source_fini(&c->src);
}

static int run(struct compare *c)
{
	int err = source_open(&c->src);

	while (!err)
		err = step(c);
	return err == SOURCE_END ? compare_rest(c) : err;
}

static int compare(struct f2fs_volume *vol, const struct f2fs_diff_options *options, struct f2fs_diff_result *result)
{
	struct compare c = { .opt = options, .result = result };
	const struct f2fs_progress *before;
	int err;

	c.fields = options->fields ? options->fields : (unsigned)F2FS_DIFF_DEFAULT;
	err = init(&c, vol);
	if (!err) {
		before = progress_run(c.ctx, &c.src.progress);
		err = progress_report(c.ctx, &c.src.progress);
		if (!err)
			err = run(&c);
		progress_run(c.ctx, before);
	}
	if (!err)
		pattern_set_warn(&c.src.include, "pattern");
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
