/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find wrong quota inodes in the superblock. A wrong number makes a repair write usage over an unrelated file or
 * directory. Formatting gives quota files the first ids, makes them unchangeable and puts them in no directory. Each
 * begins with a header of its kind.
 *
 * If such a file exists and the inode in the superblock is no quota file, the superblock is wrong. If no such file
 * exists, it is wrong in three cases: it names a quota file of the wrong type, an unused number, or an ordinary inode.
 * An ordinary inode has another id, or remembers the directory that it was made in.
 */
#include "check/root_quota.h"
#include "facts/finding.h"
#include "facts/run.h"
#include "volume/rescue_features.h"
#include "volume/weigh.h"

static bool is_unchangeable(const struct checker *c, f2fs_nid_t ino)
{
	const struct inode_fact *inode = ino ? facts_inode(&c->facts, ino) : NULL;

	return inode && inode->type == F2FS_TYPE_REGULAR && inode->pino == 0 &&
	       (inode->iflags & FLAG_i_flags_immutable);
}

/*
 * Do the inodes, which are read already, speak for the numbers? Each names an unchangeable file, no two the same one,
 * and of the ids after the root's no unchangeable file is left over. Then nothing else is read.
 */
static bool looks_right(const struct checker *c)
{
	const uint8_t *sb = c->vol->sb;
	unsigned named = 0, there = 0;

	for (unsigned type = 0; type < sb_COUNT_qf_ino; type++) {
		const f2fs_nid_t ino = sb_qf_ino(sb, type);

		if (ino == 0)
			continue;
		if (!is_unchangeable(c, ino) || ino <= c->geo->root_ino || ino > c->geo->root_ino + sb_COUNT_qf_ino)
			return false;
		named |= 1u << (ino - c->geo->root_ino);
		for (unsigned other = 0; other < type; other++)
			if (sb_qf_ino(sb, other) == ino)
				return false;
	}
	for (unsigned i = 1; i <= sb_COUNT_qf_ino; i++)
		if (is_unchangeable(c, c->geo->root_ino + i))
			there |= 1u << i;
	return named == there;
}

/* Is it a quota file, of whatever kind? */
static bool is_seen(const struct features_seen *seen, f2fs_nid_t ino)
{
	for (unsigned type = 0; type < sb_COUNT_qf_ino; type++)
		if (seen->quota[type] == ino)
			return true;
	return false;
}

/* Can the inode not be a quota file of this kind, whatever happened to it? */
static bool is_other(const struct checker *c, const struct features_seen *seen, f2fs_nid_t ino)
{
	const struct inode_fact *inode;

	if (ino == 0)
		return false;
	if (!geometry_is_nid(c->geo, ino) || ino <= c->geo->root_ino || is_seen(seen, ino))
		return true;
	inode = facts_inode(&c->facts, ino);
	return inode && !is_unchangeable(c, ino) && (inode->pino != 0 || ino > c->geo->root_ino + sb_COUNT_qf_ino);
}

/* The inode that the superblock should name. */
static f2fs_nid_t find_right(const struct checker *c, const struct features_seen *seen, unsigned type)
{
	const f2fs_nid_t named = sb_qf_ino(c->vol->sb, type), there = seen->quota[type];

	if (there == named)
		return named;
	if (there && is_unchangeable(c, there) && (!is_unchangeable(c, named) || is_seen(seen, named)))
		return there;
	return is_other(c, seen, named) ? 0 : named;
}

int quota_find_files(struct checker *c)
{
	struct f2fs_volume *vol = c->vol;
	struct features_seen seen;
	int err;

	if (c->has_other_quota || !geometry_has(c->geo, F2FS_FEAT_QUOTA) || looks_right(c))
		return 0;
	err = quota_files_look(vol, &seen);
	for (unsigned type = 0; type < sb_COUNT_qf_ino && !err; type++) {
		const f2fs_nid_t named = sb_qf_ino(vol->sb, type), right = find_right(c, &seen, type);

		if (right == named)
			continue;
		c->has_other_quota = c->must_restart = true;
		c->quota_found[type] = named;
		c->quota_moved |= 1u << type;
		sb_set_qf_ino(vol->sb, type, right);
	}
	return err;
}

int quota_raise_found(struct checker *c)
{
	static const char *const names[] = { "user", "group", "project" };
	int err = 0;

	for (unsigned type = 0; type < sb_COUNT_qf_ino && !err; type++)
		if (c->quota_moved & 1u << type)
			err = problem_raise(c, &(struct finding){ .problem = P_SB_QUOTA_FILE,
								  .has_values = 1,
								  .found = c->quota_found[type],
								  .expected = sb_qf_ino(c->vol->sb, type),
								  .text = names[type] });
	return err;
}
