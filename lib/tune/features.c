/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn features of a volume on and off. features.def says which.
 *
 * A feature is on before anything needs it, and off after nothing does. So extra_attr comes first, then the features
 * that go, then the inodes, and last the features that need inodes to be so. Each rewritten inode is right with the old
 * features and with the new ones: an interruption does no harm, and the same call continues. An inode above nodes
 * cannot change in place, since its slots move to other nodes: recompress.c writes the file again. label.c computes the
 * checksums of inodes.
 */
#include <f2fskit/label.h>
#include <f2fskit/write.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/sized.h"
#include "file/change.h"
#include "format/evidence.h"
#include "format/inode.h"
#include "format/inode_widen.h"
#include "format/superblock.h"
#include "log/commit.h"
#include "log/nodes.h"
#include "log/run.h"
#include "log/txn.h"
#include "tune/inode_walk.h"
#include "tune/recompress.h"
#include "tune/recompress_file.h"
#include "tune/superblocks.h"
#include "volume/nat_read.h"

#define ENCODING_FLAGS (FLAG_s_encoding_flags_strict | FLAG_s_encoding_flags_hashonly)
#define ERASED (F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_INODE_CRTIME)
#define ANY_XATTR (FLAG_i_inline_inline_xattr | FLAG_i_inline_inline_dentry)

enum {
	ENCODING_UTF8 = 1,
	NANOSECONDS = 1000000000,
	PORTION = 8192, /* inodes that one commit rewrites */
	EXTRA_END_project = 8,
	EXTRA_END_checksum = 12
};

static const char NO_EXTRA[] = "has no extra attributes: converting inodes gives them, except to large directories "
			       "and to files that cannot be rewritten";

/* ---- what an inode needs ---- */

static bool is_encrypted(const uint8_t *inode)
{
	return (inode_i_advise(inode) & FLAG_i_advise_encrypt) != 0;
}

static bool is_sealed(const uint8_t *inode)
{
	return (inode_i_advise(inode) & FLAG_i_advise_verity) != 0;
}

static bool is_folded(const uint8_t *inode)
{
	return (inode_i_flags(inode) & FLAG_i_flags_casefold) != 0;
}

static bool is_packed(const uint8_t *inode)
{
	return (inode_i_flags(inode) & FLAG_i_flags_compr) != 0;
}

static bool has_extra_attr(const uint8_t *inode)
{
	return inode_has_inline(inode, FLAG_i_inline_extra_attr);
}

static bool has_project(const uint8_t *inode)
{
	return (inode_i_flags(inode) & FLAG_i_flags_projinherit) ||
	       (inode_has_extra(inode, EXTRA_END_project) && extra_i_projid(inode_extra(inode)));
}

/* Words for attributes that an inode has without flexible_inline_xattr. */
static uint32_t usual_xattr_words(const uint8_t *inode)
{
	return inode_has_inline(inode, ANY_XATTR) ? INODE_DEFAULT_XATTR_WORDS : 0;
}

static bool has_other_xattr_words(const uint8_t *inode)
{
	return extra_i_inline_xattr_size(inode_extra(inode)) != usual_xattr_words(inode);
}

/* ---- the table ---- */

static const struct feature_rule {
	uint32_t feature, needs;
	bool on, off;
	bool (*uses)(const uint8_t *inode);
	const char *why;
} table[] = {
#define FEATURE(name, needs, on, off, uses, why) { F2FS_FEAT_##name, needs, on, off, uses, why },
#include "tune/features.def"
#undef FEATURE
};
enum { FEATURES = sizeof(table) / sizeof(table[0]) };

static const char *name_of(uint32_t feature)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	for (unsigned i = 0; i < count; i++)
		if (flags[i].mask == feature)
			return flags[i].name;
	return "?";
}

uint32_t f2fs_features_changeable(int on)
{
	uint32_t features = 0;

	for (unsigned i = 0; i < FEATURES; i++)
		features |= (on ? table[i].on : table[i].off) ? table[i].feature : 0;
	return features;
}

/* ---- a change ---- */

struct retune {
	struct inode_walk inodes;
	struct f2fs_volume *vol;
	uint32_t on, off; /* that change */
	uint32_t erased;  /* features that inodes must not show */
	bool converts;	  /* inodes get all extra attributes where they can */
	uint8_t *scratch; /* of two blocks */
	uint32_t dirty;	  /* inodes since the last commit */
	struct vec moves; /* f2fs_nid_t: files above nodes, whose contents are written again */
	struct f2fs_features_result result;
};

static bool turns(uint32_t features, uint32_t feature)
{
	return (features & feature) != 0;
}

/* Complete and judge the wishes by the table alone. */
static int plan(struct retune *c, const struct f2fs_features_options *o)
{
	struct f2fs_context *ctx = c->vol->ctx;
	const uint32_t now = c->vol->geo.feature;
	uint32_t after;

	if ((o->on | o->off) & ~(uint32_t)FEATURES_KNOWN)
		return error_set(ctx, F2FS_ERR_INVALID, "unknown features: 0x%x", (unsigned)(o->on | o->off));
	if (o->on & o->off)
		return error_set(ctx, F2FS_ERR_INVALID, "%s cannot be turned on and off at once",
				 name_of(o->on & o->off & (~(o->on & o->off) + 1)));
	if (o->encoding_flags & ~(unsigned)ENCODING_FLAGS)
		return error_set(ctx, F2FS_ERR_INVALID, "unknown flags of an encoding");
	c->on = o->on & ~now;
	c->off = o->off & now;
	c->erased = o->off & ERASED;
	for (unsigned i = 0; i < FEATURES; i++)
		c->on |= turns(c->on, table[i].feature) ? table[i].needs & ~(now | o->off) : 0;
	after = (now | c->on) & ~c->off;
	for (unsigned i = 0; i < FEATURES; i++) {
		const struct feature_rule *f = &table[i];

		if ((turns(c->on, f->feature) && !f->on) || (turns(c->off, f->feature) && !f->off))
			return error_set(ctx, F2FS_ERR_UNSUPPORTED, "%s stays as it is: %s", name_of(f->feature),
					 f->why);
		if (turns(after, f->feature) && (f->needs & ~after))
			return error_set(ctx, F2FS_ERR_UNSUPPORTED, "%s needs %s: turn both off, or none",
					 name_of(f->feature), name_of(f->needs & ~after));
	}
	if (turns(c->off, F2FS_FEAT_PROJECT_QUOTA) && turns(now, F2FS_FEAT_QUOTA))
		return error_set(ctx, F2FS_ERR_UNSUPPORTED,
				 "project_quota stays as it is: the volume has a quota file of projects");
	return 0;
}

static int stands_in_the_way(struct retune *c, f2fs_nid_t ino, uint32_t feature, const char *why)
{
	c->result.ino = ino;
	c->result.obstacle = feature;
	return error_set(c->vol->ctx, F2FS_ERR_STATE, "%s stays as it is: inode %u %s", name_of(feature), (unsigned)ino,
			 why);
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

/* Make an inode's block as the features want it. Returns whether that changes it. */
static bool adapt(const struct retune *c, uint8_t *block)
{
	bool is_changed = erase(c->erased, block);

	if (c->converts && !inode_is_wide(block))
		is_changed = inode_widen(&c->vol->geo, block, c->scratch + c->vol->geo.block_size);
	if (turns(c->on, F2FS_FEAT_FLEXIBLE_INLINE_XATTR) && has_other_xattr_words(block)) {
		extra_set_i_inline_xattr_size(block + INODE_ADDR_OFFSET, (uint16_t)usual_xattr_words(block));
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
	bool is_changed;

	if (err)
		return err;
	for (unsigned i = 0; i < FEATURES; i++)
		if (turns(c->off, table[i].feature) && table[i].uses && table[i].uses(c->inodes.block))
			return stands_in_the_way(c, nat->nid, table[i].feature, "needs it");
	memcpy(inode, c->inodes.block, c->vol->geo.block_size);
	is_changed = adapt(c, inode);
	if (c->converts && !inode_is_wide(inode) && recompress_is_movable(&c->vol->geo, inode)) {
		f2fs_nid_t *move = vec_push(&c->moves, 1);

		c->result.inodes++;
		if (!move)
			return F2FS_ERR_NOMEM;
		*move = nat->nid;
		return 0;
	}
	c->result.inodes += is_changed;
	c->result.left += c->converts && !inode_is_wide(inode);
	if (turns(c->on, F2FS_FEAT_FLEXIBLE_INLINE_XATTR) && !has_extra_attr(inode))
		return stands_in_the_way(c, nat->nid, F2FS_FEAT_FLEXIBLE_INLINE_XATTR, NO_EXTRA);
	if (turns(c->on, F2FS_FEAT_INODE_CHECKSUM) && has_extra_attr(inode)) {
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
	const uint32_t asks = c->on & (F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CHECKSUM);
	const f2fs_nid_t *nids = c->moves.items;
	struct f2fs_nat_info nat;
	int err = 0;

	for (size_t i = 0; i < c->moves.count && asks && !err; i++) {
		err = nat_get(c->vol, nids[i], &nat);
		if (!err)
			err = inode_walk_read(&c->inodes, &nat);
		if (!err && !inode_is_wide(c->inodes.block))
			err = stands_in_the_way(c, nids[i], asks & (~asks + 1), NO_EXTRA);
	}
	return err;
}

/* Files above nodes: their slots move to other nodes, so their contents move as well. */
static int move_files(struct retune *c)
{
	uint64_t moved = 0;
	int err = recompress_widen(c->vol, c->moves.items, c->moves.count, &moved);

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

static int make(struct retune *c, const struct f2fs_features_options *o)
{
	/* the first is there before any inode has it; label.c turns checksums on, when all inodes have one */
	const uint32_t first = F2FS_FEAT_EXTRA_ATTR, last = F2FS_FEAT_INODE_CHECKSUM;
	struct f2fs_volume *vol = c->vol;
	uint8_t uuid[16];
	int err = switch_features(c, c->on & first, 0, o);

	if (!err && turns(c->on, F2FS_FEAT_LOST_FOUND))
		err = make_lost_found(vol);
	if (!err)
		err = switch_features(c, 0, c->off, o);
	if (!err && c->moves.count)
		err = move_files(c);
	if (!err && (c->converts || c->erased || turns(c->on, F2FS_FEAT_FLEXIBLE_INLINE_XATTR)))
		err = rewrite_inodes(c);
	if (!err)
		err = switch_features(c, c->on & ~(first | last), 0, o);
	if (err || !turns(c->on, last))
		return err;
	memcpy(uuid, sb_uuid(vol->sb), sizeof(uuid));
	return f2fs_volume_set_uuid(vol, uuid, F2FS_UUID_FORCE | F2FS_UUID_CHECKSUM);
}

/* Do inodes decide about any of the features that change? */
static bool needs_walk(const struct retune *c)
{
	const uint32_t asks_inodes = F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CHECKSUM;
	bool is_needed = c->converts || c->erased || turns(c->on, asks_inodes);

	for (unsigned i = 0; i < FEATURES; i++)
		is_needed |= turns(c->off, table[i].feature) && table[i].uses;
	return is_needed;
}

static int run(struct retune *c, const struct f2fs_features_options *o)
{
	struct f2fs_volume *vol = c->vol;
	const size_t bs = vol->geo.block_size;
	int err = plan(c, o);

	c->result.before = vol->geo.feature;
	c->result.after = (vol->geo.feature | c->on) & ~c->off;
	if (err || !(c->on | c->off | c->erased | (uint32_t)c->converts))
		return err;
	if (c->converts && !turns(c->result.after, F2FS_FEAT_EXTRA_ATTR))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "inodes are converted on a volume with extra_attr");
	c->inodes.block = mem_alloc(vol->ctx, 3 * bs);
	if (!c->inodes.block)
		return F2FS_ERR_NOMEM;
	c->scratch = c->inodes.block + bs;
	vec_init(&c->moves, vol->ctx, sizeof(f2fs_nid_t));
	if (needs_walk(c))
		err = inode_walk_each(&c->inodes, judge_inode, c);
	if (!err && !o->dry_run)
		err = make(c, o);
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
	c.converts = o.convert;
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
