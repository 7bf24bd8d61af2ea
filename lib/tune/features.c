/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn features of a volume on and off. feature_rules.h says which.
 *
 * A feature is on before anything needs it, and off after nothing does. So extra_attr comes first, then the features
 * that go, then the inodes, and last the features that need inodes to be so. Each rewritten inode is right with the old
 * features and with the new ones: an interruption does no harm, and the same call continues. extra_attr goes last. An
 * inode above nodes cannot change in place, since its slots move to other nodes: recompress.c moves its blocks. label.c
 * computes the checksums of inodes. large_nat.c changes the checkpoint, and resize/repack.c moves all areas for
 * packed_ssa. ro goes before all and comes after all, since a
 * volume that has it does not change (read_only.h).
 */
#include <f2fskit/label.h>
#include <f2fskit/write.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/sized.h"
#include "file/change.h"
#include "file/inode_read.h"
#include "file/path.h"
#include "format/evidence.h"
#include "format/inode.h"
#include "format/inode_widen.h"
#include "format/quota.h"
#include "format/superblock.h"
#include "log/commit.h"
#include "log/nodes.h"
#include "log/run.h"
#include "log/superblocks.h"
#include "log/txn.h"
#include "resize/repack.h"
#include "tune/feature_rules.h"
#include "tune/inode_walk.h"
#include "tune/large_nat.h"
#include "tune/quota_files.h"
#include "tune/read_only.h"
#include "tune/recompress.h"
#include "tune/recompress_file.h"
#include "volume/heads_read.h"
#include "volume/nat_read.h"

#define ERASED (F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_INODE_CRTIME)

enum {
	ENCODING_UTF8 = 1,
	NANOSECONDS = 1000000000,
	PORTION = 8192, /* inodes that one commit rewrites */
	EXTRA_END_checksum = 12
};

static const char NO_EXTRA[] = "has no extra attributes: converting inodes gives them, except to large files that are "
			       "pinned or have no room beside their old form";
static const char HAS_EXTRA[] = "keeps its extra attributes: large files that are pinned, or have no room beside their "
				"old form, cannot be converted";

/* ---- a change ---- */

struct retune {
	struct inode_walk inodes;
	struct f2fs_volume *vol;
	uint32_t on, off; /* that change */
	uint32_t erased;  /* features that inodes must not show */
	unsigned quota_on, quota_off; /* 1 << enum quota_type: files that come and go */
	enum reshape converts; /* inodes get all extra attributes where they can, or lose them */
	uint8_t *scratch; /* of two blocks */
	bool is_locked;	  /* ro is on and stays on: nothing else may change */
	bool turns_large_nat, turns_packed_ssa;
	uint32_t dirty;	  /* inodes since the last commit */
	struct vec moves; /* f2fs_nid_t: files above nodes, whose contents are written again */
	struct f2fs_features_result result;
};

/*
 * Which quota files come and go. Quota without the feature quota needs files that Linux is told about with each mount,
 * so project_quota brings quota along, and quota goes with its last file.
 */
static void plan_quota(struct retune *c, const struct f2fs_features_options *o)
{
	enum { OWNERS = 1 << QUOTA_USER | 1 << QUOTA_GROUP, PROJECTS = 1 << QUOTA_PROJECT };
	const uint32_t now = c->vol->geo.feature, after = (now | c->on) & ~c->off;
	unsigned there = 0;

	for (unsigned kind = 0; kind < sb_COUNT_qf_ino && turns(now, F2FS_FEAT_QUOTA); kind++)
		there |= sb_qf_ino(c->vol->sb, kind) ? 1u << kind : 0;
	if (turns(o->on, F2FS_FEAT_QUOTA))
		c->quota_on |= OWNERS | (turns(after, F2FS_FEAT_PROJECT_QUOTA) ? PROJECTS : 0);
	if (turns(o->on, F2FS_FEAT_PROJECT_QUOTA) && !turns(o->off, F2FS_FEAT_QUOTA))
		c->quota_on |= PROJECTS;
	if (turns(o->off, F2FS_FEAT_QUOTA))
		c->quota_off |= OWNERS | PROJECTS;
	if (turns(o->off, F2FS_FEAT_PROJECT_QUOTA))
		c->quota_off |= PROJECTS;
	c->quota_on &= ~there;
	if (c->quota_on)
		c->on |= F2FS_FEAT_QUOTA & ~now;
	else if (c->quota_off && !(there & ~c->quota_off))
		c->off |= F2FS_FEAT_QUOTA & now;
}

/* What becomes of large_nat_bitmap? */
static int plan_large_nat(struct retune *c, const struct f2fs_features_options *o)
{
	const bool now = large_nat_is_on(c->vol), wanted = o->large_nat == F2FS_LARGE_NAT_ON;

	if (o->large_nat > F2FS_LARGE_NAT_OFF)
		return error_set(c->vol->ctx, F2FS_ERR_INVALID, "large_nat: no value of enum f2fs_large_nat");
	c->turns_large_nat = o->large_nat != F2FS_LARGE_NAT_KEEP && wanted != now;
	c->result.large_nat_before = now;
	c->result.large_nat_after = c->turns_large_nat ? wanted : now;
	return c->turns_large_nat ? large_nat_judge(c->vol, wanted) : 0;
}

/* Turn packed_ssa, or only judge that and count the work. */
static int turn_packed_ssa(struct retune *c, bool is_dry)
{
	struct repack repack = { .is_packed = turns(c->on, F2FS_FEAT_PACKED_SSA), .is_dry = is_dry };
	int err = resize_repack(c->vol, &repack);

	if (err || !is_dry)
		return err;
	c->result.moved_blocks += repack.moved;
	c->result.won_segments = repack.won_segments;
	return 0;
}

static int stands_in_the_way(struct retune *c, f2fs_nid_t ino, uint32_t feature, const char *why)
{
	struct f2fs_inode *inode;
	char path[1024];
	bool has_path = false;

	c->result.ino = ino;
	c->result.obstacle = feature;
	if (inode_open(c->vol, ino, &inode) == 0) {
		has_path = inode_path(inode, path, sizeof(path)) == 0;
		f2fs_inode_close(inode);
	}
	return error_set(c->vol->ctx, F2FS_ERR_STATE, "%s stays as it is: inode %u%s%s%s %s", feature_name(feature),
			 (unsigned)ino, has_path ? " (" : "", has_path ? path : "", has_path ? ")" : "", why);
}

/* Clear what only a feature that is off would read: it would pass for evidence of the feature (format/evidence.h). */
static bool erase(uint32_t off, uint8_t *block)
{
	static const struct {
		uint32_t feature, at, size;
	} fields[] = {
		{ F2FS_FEAT_FLEXIBLE_INLINE_XATTR, extra_OFS_i_inline_xattr_size, 2 },
		{ F2FS_FEAT_INODE_CHECKSUM, extra_OFS_i_inode_checksum, 4 },
		{ F2FS_FEAT_INODE_CRTIME, extra_OFS_i_crtime, 12 },
	};
	bool is_changed = false;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint8_t *field = block + INODE_ADDR_OFFSET + fields[i].at;

		if (!turns(off, fields[i].feature) || !inode_has_extra(block, fields[i].at + fields[i].size) ||
		    is_zero(field, fields[i].size))
			continue;
		memset(field, 0, fields[i].size);
		is_changed = true;
	}
	return is_changed;
}

/* Does an inode have the form that converting gives it? */
static bool is_converted(const struct retune *c, const uint8_t *block)
{
	return c->converts == RESHAPE_NARROW ? !inode_has_extra_attr(block) :
	       c->converts == RESHAPE_NOT    ? true :
					       inode_is_wide(block);
}

static bool convert(const struct retune *c, uint8_t *block)
{
	uint8_t *work = c->scratch + c->vol->geo.block_size;
	struct f2fs_geometry geo = c->vol->geo;

	if (c->converts == RESHAPE_WIDE)
		return inode_widen(&geo, block, work);
	geo.feature &= ~(c->off & F2FS_FEAT_FLEXIBLE_INLINE_XATTR);
	return inode_narrow(&geo, block, work);
}

/* Make an inode's block as the features want it. Returns whether that changes it. */
static bool adapt(const struct retune *c, uint8_t *block)
{
	bool is_changed = erase(c->erased, block);

	if (!is_converted(c, block))
		is_changed |= convert(c, block);
	if (turns(c->on, F2FS_FEAT_FLEXIBLE_INLINE_XATTR) && inode_has_other_xattr_words(block)) {
		extra_set_i_inline_xattr_size(block + INODE_ADDR_OFFSET, (uint16_t)inode_usual_xattr_words(block));
		is_changed = true;
	}
	return is_changed;
}

/* Does this inode allow the change? Counts those that have to be rewritten. */
static int judge_inode(void *user, const struct f2fs_nat_info *nat)
{
	struct retune *c = user;
	uint8_t *inode = c->scratch;
	int err = inode_walk_read(&c->inodes, nat);
	uint32_t needed;
	const char *why = NULL;
	bool is_changed;

	if (err)
		return err;
	for (unsigned kind = 0; kind < sb_COUNT_qf_ino; kind++)
		if ((c->quota_off & 1u << kind) && sb_qf_ino(c->vol->sb, kind) == nat->nid)
			return 0; /* it goes */
	needed = feature_needed(c->converts == RESHAPE_NARROW ? c->off & ~(uint32_t)F2FS_FEAT_EXTRA_ATTR : c->off,
				c->inodes.block);
	if (needed)
		return stands_in_the_way(c, nat->nid, needed, "needs it");
	if (turns(c->on, F2FS_FEAT_RO))
		err = read_only_judge_inode(c->vol, nat->nid, c->inodes.block, &why);
	if (err || why)
		return err ? err : stands_in_the_way(c, nat->nid, F2FS_FEAT_RO, why);
	memcpy(inode, c->inodes.block, c->vol->geo.block_size);
	is_changed = adapt(c, inode);
	if (!is_converted(c, inode) && recompress_is_movable(&c->vol->geo, inode)) {
		f2fs_nid_t *move = vec_push(&c->moves, 1);

		c->result.inodes++;
		c->result.moved_blocks += inode_i_blocks(inode);
		if (!move)
			return F2FS_ERR_NOMEM;
		*move = nat->nid;
		return 0;
	}
	c->result.inodes += is_changed;
	c->result.left += !is_converted(c, inode);
	if (c->converts == RESHAPE_NARROW && !is_converted(c, inode))
		return stands_in_the_way(c, nat->nid, F2FS_FEAT_EXTRA_ATTR, HAS_EXTRA);
	if (turns(c->on, F2FS_FEAT_FLEXIBLE_INLINE_XATTR) && !inode_has_extra_attr(inode))
		return stands_in_the_way(c, nat->nid, F2FS_FEAT_FLEXIBLE_INLINE_XATTR, NO_EXTRA);
	if (turns(c->on, F2FS_FEAT_INODE_CHECKSUM) && inode_has_extra_attr(inode)) {
		if (!inode_has_extra(inode, EXTRA_END_checksum))
			return stands_in_the_way(c, nat->nid, F2FS_FEAT_INODE_CHECKSUM,
						 "has no room for one: converting inodes makes room");
		c->result.inodes += !is_changed;
	}
	return 0;
}

/* Rewrite an inode, and commit from time to time: each alone is true of the old features and the new. */
static int rewrite_inode(void *user, const struct f2fs_nat_info *nat)
{
	struct retune *c = user;
	struct txn *txn = txn_of(c->vol);
	struct node *node;
	int err = inode_walk_read(&c->inodes, nat);

	if (err || !adapt(c, c->inodes.block))
		return err;
	err = node_get(txn, nat->nid, &node);
	if (err)
		return err;
	adapt(c, node->block);
	node_dirty(txn, node);
	err = nodes_trim(txn);
	if (err || ++c->dirty < PORTION)
		return err;
	c->dirty = 0;
	err = txn_commit(c->vol);
	return err ? err : change_start(c->vol);
}

static int rewrite_inodes(struct retune *c)
{
	int err = change_start(c->vol);

	if (err)
		return err;
	err = inode_walk_each(&c->inodes, rewrite_inode, c);
	if (!err)
		err = txn_commit(c->vol);
	if (err)
		txn_roll_back(c->vol);
	c->vol->generation++; /* copies of inodes in memory are of before */
	return err;
}

/* Name the first of the files that were to be moved and stay as they are, if a feature needs them. */
static int judge_left(struct retune *c)
{
	const bool narrows = c->converts == RESHAPE_NARROW;
	const uint32_t asks = narrows ? F2FS_FEAT_EXTRA_ATTR :
					c->on & (F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CHECKSUM);
	const f2fs_nid_t *nids = c->moves.items;
	struct f2fs_nat_info nat;
	int err = 0;

	for (size_t i = 0; i < c->moves.count && asks && !err; i++) {
		err = nat_get(c->vol, nids[i], &nat);
		if (!err)
			err = inode_walk_read(&c->inodes, &nat);
		if (!err && !is_converted(c, c->inodes.block))
			err = stands_in_the_way(c, nids[i], asks & (~asks + 1), narrows ? HAS_EXTRA : NO_EXTRA);
	}
	return err;
}

/* Files above nodes: their slots move to other nodes, so their contents move as well. */
static int move_files(struct retune *c)
{
	uint64_t moved = 0;
	int err = recompress_reshape(c->vol, c->converts, c->moves.items, c->moves.count, &moved);

	c->result.inodes -= c->moves.count - moved;
	c->result.left += c->moves.count - moved;
	return err || moved == c->moves.count ? err : judge_left(c);
}

static int make_lost_found(struct f2fs_volume *vol)
{
	struct f2fs_inode *root, *dir;
	struct f2fs_dirent entry;
	const struct f2fs_time now = { .seconds = clock_now(vol->ctx) / NANOSECONDS };
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = MODE_DIR | 0700,
				       .atime = now, .mtime = now, .ctime = now, .crtime = now };
	int err = f2fs_inode_open(vol, sb_root_ino(vol->sb), &root);

	if (err)
		return err;
	err = f2fs_dir_lookup(root, "lost+found", strlen("lost+found"), &entry);
	if (err == F2FS_ERR_NOT_FOUND) {
		error_clear(vol->ctx);
		err = f2fs_create(root, "lost+found", strlen("lost+found"), &spec, &dir);
		if (!err) {
			f2fs_inode_close(dir);
			err = f2fs_volume_commit(vol);
		}
		if (err)
			f2fs_volume_rollback(vol);
	}
	f2fs_inode_close(root);
	return err;
}

/* Set features in the superblock, at once. */
static int switch_features(struct retune *c, uint32_t on, uint32_t off, const struct f2fs_features_options *o)
{
	struct f2fs_volume *vol = c->vol;
	uint8_t sb[sb_SIZE];
	int err;

	if (!(on | off))
		return 0;
	memcpy(sb, vol->sb, sb_SIZE);
	sb_set_feature(sb, (sb_feature(sb) | on) & ~off);
	if (turns((on | off), F2FS_FEAT_CASEFOLD)) {
		sb_set_s_encoding(sb, turns(on, F2FS_FEAT_CASEFOLD) ? ENCODING_UTF8 : 0);
		sb_set_s_encoding_flags(sb, turns(on, F2FS_FEAT_CASEFOLD) ? (uint16_t)o->encoding_flags : 0);
	}
	if (turns((on | off), F2FS_FEAT_SB_CHECKSUM)) {
		sb_set_checksum_offset(sb, turns(on, F2FS_FEAT_SB_CHECKSUM) ? sb_OFS_crc : 0);
		sb_set_crc(sb, 0);
	}
	err = superblock_replace(vol, sb);
	if (err)
		return err;
	vol->geo.feature = sb_feature(sb);
	vol->generation++;
	return 0;
}

static int unlock(struct retune *c, const struct f2fs_features_options *o)
{
	int err = read_only_release(c->vol);

	return err ? err : switch_features(c, 0, F2FS_FEAT_RO, o);
}

static int lock(struct retune *c, const struct f2fs_features_options *o)
{
	int err = read_only_prepare(c->vol);

	if (!err)
		err = switch_features(c, F2FS_FEAT_RO, 0, o);
	return err ? err : read_only_settle(c->vol);
}

/* Change all features but ro. */
static int make(struct retune *c, const struct f2fs_features_options *o)
{
	/*
	 * The first is there as long as any inode has it. label.c turns checksums on, when all inodes have one.
	 */
	const uint32_t first = F2FS_FEAT_EXTRA_ATTR, last = F2FS_FEAT_INODE_CHECKSUM;
	const uint32_t quota = F2FS_FEAT_QUOTA | F2FS_FEAT_PROJECT_QUOTA;
	const uint32_t apart = quota | F2FS_FEAT_RO | F2FS_FEAT_PACKED_SSA;
	struct f2fs_volume *vol = c->vol;
	uint8_t uuid[16];
	int err = c->turns_packed_ssa ? turn_packed_ssa(c, false) : 0;

	if (!err && c->turns_large_nat)
		err = large_nat_switch(vol, o->large_nat == F2FS_LARGE_NAT_ON);
	if (!err)
		err = switch_features(c, c->on & first, 0, o);

	if (!err && turns(c->on, F2FS_FEAT_LOST_FOUND))
		err = make_lost_found(vol);
	if (!err)
		err = c->quota_off ? quota_files_off(vol, c->quota_off, c->off & quota) : 0;
	if (!err)
		err = switch_features(c, 0, c->off & ~(apart | first), o);
	if (!err && c->moves.count)
		err = move_files(c);
	if (!err && (c->converts || c->erased || turns(c->on, F2FS_FEAT_FLEXIBLE_INLINE_XATTR)))
		err = rewrite_inodes(c);
	if (!err)
		err = switch_features(c, c->on & ~(apart | first | last), c->off & first, o);
	if (!err && (c->on & quota || c->quota_on))
		err = quota_files_on(vol, c->quota_on, c->on & quota);
	if (err || !turns(c->on, last))
		return err;
	memcpy(uuid, sb_uuid(vol->sb), sizeof(uuid));
	return f2fs_volume_set_uuid(vol, uuid, F2FS_UUID_FORCE | F2FS_UUID_CHECKSUM);
}

/* Do inodes decide about any of the features that change? */
static bool needs_walk(const struct retune *c)
{
	const uint32_t asks_inodes = F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_RO;

	return c->converts || c->erased || turns(c->on, asks_inodes) || feature_is_for_inodes(c->off);
}

/* A change of ro that a power cut stopped half-way counts as not done. */
static uint32_t features_now(const struct f2fs_volume *vol, const struct f2fs_features_options *o)
{
	if (turns(o->on, F2FS_FEAT_RO) && read_only_is_half(vol))
		return vol->geo.feature & ~(uint32_t)F2FS_FEAT_RO;
	if (turns(o->off, F2FS_FEAT_RO) && vol->is_doubted)
		return vol->geo.feature | (sb_feature(vol->sb_other) & F2FS_FEAT_RO);
	return vol->geo.feature;
}

/* Does the volume as a whole allow ro to change? */
static int judge_read_only(struct retune *c, const struct f2fs_features_options *o)
{
	int err = 0;

	if (turns(c->on, F2FS_FEAT_RO))
		err = read_only_judge_on(c->vol);
	else if (turns(c->off, F2FS_FEAT_RO))
		err = read_only_judge_off(c->vol);
	return err || o->dry_run || !turns(c->on | c->off, F2FS_FEAT_RO) ? err : read_only_try(c->vol);
}

/* Nothing but ro may change on a volume that keeps it. */
static int judge_locked(const struct retune *c)
{
	if (!c->is_locked ||
	    !((c->on & ~(uint32_t)F2FS_FEAT_RO) | c->off | c->quota_on | c->quota_off | c->result.inodes |
	      c->turns_large_nat))
		return 0;
	return error_set(c->vol->ctx, F2FS_ERR_STATE,
			 "the feature ro is on: turn it off before other features change, or with the same call");
}

static int apply(struct retune *c, const struct f2fs_features_options *o)
{
	int err = turns(c->off, F2FS_FEAT_RO) ? unlock(c, o) : 0;

	if (!err && !c->is_locked)
		err = make(c, o);
	return err || !turns(c->on, F2FS_FEAT_RO) ? err : lock(c, o);
}

static int run(struct retune *c, const struct f2fs_features_options *o)
{
	struct f2fs_volume *vol = c->vol;
	const size_t bs = vol->geo.block_size;
	const uint32_t now = features_now(vol, o);
	int err = feature_rules_plan(vol->ctx, now, o, &c->on, &c->off);

	c->erased = o->off & ERASED;
	if (c->converts && turns(o->off, F2FS_FEAT_EXTRA_ATTR)) /* off already: no inode has any */
		c->converts = turns(c->off, F2FS_FEAT_EXTRA_ATTR) ? RESHAPE_NARROW : RESHAPE_NOT;
	if (!err)
		plan_quota(c, o);
	c->is_locked = volume_is_locked(vol) && !turns(c->off, F2FS_FEAT_RO);
	c->result.before = now;
	c->result.after = (now | c->on) & ~c->off;
	if (!err)
		err = plan_large_nat(c, o);
	if (err ||
	    !(c->on | c->off | c->erased | (uint32_t)c->converts | c->quota_on | c->quota_off | c->turns_large_nat))
		return err;
	if (c->converts == RESHAPE_WIDE && !turns(c->result.after, F2FS_FEAT_EXTRA_ATTR))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "inodes are converted on a volume with extra_attr");
	c->turns_packed_ssa = turns(c->on | c->off, F2FS_FEAT_PACKED_SSA);
	err = judge_read_only(c, o);
	if (err)
		return err;
	c->inodes.block = mem_alloc(vol->ctx, 3 * bs);
	if (!c->inodes.block)
		return F2FS_ERR_NOMEM;
	c->scratch = c->inodes.block + bs;
	vec_init(&c->moves, vol->ctx, sizeof(f2fs_nid_t));
	if (needs_walk(c))
		err = inode_walk_each(&c->inodes, judge_inode, c);
	if (!err)
		err = judge_locked(c);
	if (!err && c->turns_packed_ssa)
		err = turn_packed_ssa(c, true);
	if (!err && !o->dry_run)
		err = apply(c, o);
	mem_free(vol->ctx, c->inodes.block);
	vec_fini(&c->moves);
	return err;
}

int f2fs_volume_set_features(struct f2fs_volume *vol, const struct f2fs_features_options *options,
			     struct f2fs_features_result *result)
{
	struct retune c = { .inodes = { vol, "features", NULL }, .vol = vol };
	struct f2fs_features_options o;
	int err;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &o, sizeof(o), options);
	if (!err && result)
		err = sized_check(vol->ctx, result, sizeof(*result));
	if (!err && !o.dry_run)
		err = inode_walk_ready(vol);
	if (err)
		return err;
	c.converts = o.convert ? RESHAPE_WIDE : RESHAPE_NOT;
	err = run(&c, &o);
	if (result)
		sized_give(result, &c.result, sizeof(c.result));
	return err;
}

int f2fs_volume_add_features(struct f2fs_volume *vol, uint32_t features, unsigned encoding_flags)
{
	const struct f2fs_features_options options = { F2FS_SIZED(f2fs_features_options),
						       .on = features,
						       .encoding_flags = encoding_flags };

	return f2fs_volume_set_features(vol, &options, NULL);
}

int f2fs_volume_set_hash_only(struct f2fs_volume *vol, int on)
{
	uint8_t sb[sb_SIZE];
	uint32_t flags;
	int err;

	error_clear(vol->ctx);
	err = superblock_writable(vol);
	if (!err && vol->txn)
		err = error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that wait for a commit");
	if (!err && !geometry_has(&vol->geo, F2FS_FEAT_CASEFOLD))
		err = error_set(vol->ctx, F2FS_ERR_STATE, "the volume does not have the feature casefold");
	if (err)
		return err;
	memcpy(sb, vol->sb, sizeof(sb));
	flags = sb_s_encoding_flags(sb) & ~(uint32_t)FLAG_s_encoding_flags_hashonly;
	if (on)
		flags |= FLAG_s_encoding_flags_hashonly;
	if (flags == sb_s_encoding_flags(sb))
		return 0;
	sb_set_s_encoding_flags(sb, (uint16_t)flags);
	return superblock_replace(vol, sb);
}
