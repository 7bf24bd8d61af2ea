/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings: stored with their types while the passes run, reported at the end, when the path of each file is known.
 */
#include <string.h>

#include "base/error.h"
#include "facts/finding.h"
#include "facts/run.h"
#include "format/dentry.h"
#include "volume/block_read.h"

#define MAX_LEVELS 128u /* of a path that is shown */
#define PATH_ROOM 4096u
#define NAME_ROOM (TEXT_PRINTABLE_SIZE(NAME_MAX_BYTES) + 1)

int problem_raise(struct checker *c, const struct finding *finding)
{
	const struct f2fs_problem_info *row = problem_row((enum problem)finding->problem);
	struct finding *kept;

	if (c->is_recount)
		return 0;
	c->result->severity[row->severity]++;
	if (row->severity == F2FS_SEVERITY_NOTE)
		c->result->notes++;
	else
		c->result->found++;
	if (c->findings.count >= c->options.max_findings) {
		c->findings_dropped++;
		return 0;
	}
	kept = vec_push(&c->findings, 1);
	if (!kept)
		return F2FS_ERR_NOMEM;
	*kept = *finding;
	return 0;
}

int inode_raise(struct checker *c, enum problem problem, const struct inode_fact *inode, uint64_t found,
		uint64_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = inode->ino,
						   .ino = inode->ino,
						   .has_values = 1,
						   .found = found,
						   .expected = expected });
}

/* Add the name in a slot of a directory's block, if there is one. */
static void add_entry_name(struct checker *c, f2fs_nid_t dir, f2fs_blk_t block, uint32_t slot, struct text *out)
{
	const struct inode_fact *inode = facts_inode(&c->facts, dir);
	struct inode_layout layout;
	struct dentry_area area;
	struct dentry_ref ref;
	const uint8_t *data;

	if (!inode || !geometry_is_main(c->geo, block))
		return;
	if (volume_peek(c->vol, block, &data) != 0) { /* it could be, a while ago */
		error_clear(c->ctx);
		text_add(out, "(cannot be read)");
		return;
	}
	if (inode->inlines & FLAG_i_inline_inline_dentry) {
		inode_layout(c->geo, data, &layout);
		dentry_area_of_inode(data, &layout, &area);
	} else {
		dentry_area_of_block(c->geo, data, &area);
	}
	if (slot < area.slots && dentry_next(&area, &slot, &ref) == DENTRY_FOUND)
		text_add_printable(out, ref.name, ref.name_len);
}

/* Write the path of an inode; empty when no way leads to it. */
static void write_path(struct checker *c, f2fs_nid_t ino, struct text *out)
{
	struct {
		f2fs_nid_t parent;
		f2fs_blk_t block;
		uint32_t slot;
	} chain[MAX_LEVELS];
	unsigned n = 0;

	for (f2fs_nid_t at = ino; at != c->geo->root_ino; n++) {
		const struct inode_fact *inode = facts_inode(&c->facts, at);

		if (n == MAX_LEVELS || !inode || inode->parent == 0)
			return;
		chain[n].parent = inode->parent;
		chain[n].block = inode->entry_block;
		chain[n].slot = inode->entry_slot;
		at = inode->parent;
	}
	if (n == 0)
		text_add(out, "/");
	while (n-- > 0) {
		text_add(out, "/");
		add_entry_name(c, chain[n].parent, chain[n].block, chain[n].slot, out);
	}
}

struct tell_room {
	char path[PATH_ROOM];
	char name[NAME_ROOM];
	char message[NAME_ROOM + 400];
};

struct tell_room *finding_room(struct checker *c)
{
	return mem_alloc(c->ctx, sizeof(struct tell_room));
}

int finding_tell(struct checker *c, const struct finding *f, const struct f2fs_check_options *options, int action,
		 struct tell_room *room)
{
	struct f2fs_problem problem = {
		.info = problem_row((enum problem)f->problem),
		.nid = f->nid,
		.ino = f->ino,
		.block = f->has_block ? f->block : F2FS_NO_BLOCK,
		.segno = f->has_segno ? f->segno : F2FS_NO_NUMBER,
		.slot = f->has_slot ? f->slot : F2FS_NO_NUMBER,
		.has_values = f->has_values,
		.action = action,
		.found = f->found,
		.expected = f->expected,
		.path = room->path,
		.name = room->name,
		.message = room->message,
		.rule = f->rule ? rule_row((enum rule)f->rule)->name : "",
	};
	struct text path, name, message;

	text_init(&path, room->path, sizeof(room->path));
	text_init(&name, room->name, sizeof(room->name));
	text_init(&message, room->message, sizeof(room->message));
	if (f->ino && !c->is_impossible)
		write_path(c, f->ino, &path);
	if (f->entry_block)
		add_entry_name(c, f->ino, f->entry_block, f->entry_slot, &name);
	else if (f->text)
		text_add(&name, f->text);
	problem_render(f, room->name, &message);
	return options->problem(options->user, &problem);
}

int findings_tell(struct checker *c)
{
	struct tell_room *room;
	int rc = 0;

	if (!c->options.problem || c->findings.count == 0)
		return 0;
	room = finding_room(c);
	if (!room)
		return F2FS_ERR_NOMEM;
	for (size_t i = 0; i < c->findings.count && rc >= 0 && rc != F2FS_DECIDE_STOP; i++)
		rc = finding_tell(c, vec_at(&c->findings, i), &c->options, F2FS_ACTION_NONE, room);
	mem_free(c->ctx, room);
	return rc < 0 ? rc : 0;
}
