/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judge changes of features by their table, and by what an inode needs.
 */
#include "tune/feature_rules.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/inode.h"
#include "format/evidence.h"
#include "format/superblock.h"

#define ANY_XATTR (FLAG_i_inline_inline_xattr | FLAG_i_inline_inline_dentry)
#define ENCODING_FLAGS (FLAG_s_encoding_flags_strict | FLAG_s_encoding_flags_hashonly)

enum { EXTRA_END_project = 8 };

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

bool inode_has_extra_attr(const uint8_t *inode)
{
	return inode_has_inline(inode, FLAG_i_inline_extra_attr);
}

static bool has_project(const uint8_t *inode)
{
	return (inode_i_flags(inode) & FLAG_i_flags_projinherit) ||
	       (inode_has_extra(inode, EXTRA_END_project) && extra_i_projid(inode_extra(inode)));
}

uint32_t inode_usual_xattr_words(const uint8_t *inode)
{
	return inode_has_inline(inode, ANY_XATTR) ? INODE_DEFAULT_XATTR_WORDS : 0;
}

bool inode_has_other_xattr_words(const uint8_t *inode)
{
	return extra_i_inline_xattr_size(inode_extra(inode)) != inode_usual_xattr_words(inode);
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

const char *feature_name(uint32_t feature)
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

/* The lowest of several features. */
static uint32_t first_of(uint32_t features)
{
	return features & (~features + 1);
}

/* Name all features that need one that is to be off. */
static int refuse_need(struct f2fs_context *ctx, uint32_t after, uint32_t missing)
{
	char names[200] = "";

	for (unsigned i = 0; i < FEATURES; i++) {
		const size_t n = strlen(names);

		if (turns(after, table[i].feature) && turns(table[i].needs, missing))
			snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", feature_name(table[i].feature));
	}
	return error_set(ctx, F2FS_ERR_UNSUPPORTED, "%s is needed by %s: turn them off, too, or none",
			 feature_name(first_of(missing)), names);
}

int feature_rules_plan(struct f2fs_context *ctx, uint32_t now, const struct f2fs_features_options *o, uint32_t *on,
		       uint32_t *off)
{
	uint32_t after;

	if ((o->on | o->off) & ~(uint32_t)FEATURES_KNOWN)
		return error_set(ctx, F2FS_ERR_INVALID, "unknown features: 0x%x", (unsigned)(o->on | o->off));
	if (o->on & o->off)
		return error_set(ctx, F2FS_ERR_INVALID, "%s cannot be turned on and off at once",
				 feature_name(first_of(o->on & o->off)));
	if (o->encoding_flags & ~(unsigned)ENCODING_FLAGS)
		return error_set(ctx, F2FS_ERR_INVALID, "unknown flags of an encoding");
	*on = o->on & ~now;
	*off = o->off & now;
	for (unsigned i = 0; i < FEATURES; i++)
		*on |= turns(*on, table[i].feature) ? table[i].needs & ~(now | o->off) : 0;
	after = (now | *on) & ~*off;
	for (unsigned i = 0; i < FEATURES; i++) {
		const struct feature_rule *f = &table[i];

		if ((turns(*on, f->feature) && !f->on) || (turns(*off, f->feature) && !f->off))
			return error_set(ctx, F2FS_ERR_UNSUPPORTED, "%s stays as it is: %s", feature_name(f->feature),
					 f->why);
		if (turns(after, f->feature) && (f->needs & ~after))
			return refuse_need(ctx, after, f->needs & ~after);
	}
	return 0;
}

uint32_t feature_needed(uint32_t features, const uint8_t *inode)
{
	for (unsigned i = 0; i < FEATURES; i++)
		if (turns(features, table[i].feature) && table[i].uses && table[i].uses(inode))
			return table[i].feature;
	return 0;
}

bool feature_is_for_inodes(uint32_t features)
{
	for (unsigned i = 0; i < FEATURES; i++)
		if (turns(features, table[i].feature) && table[i].uses)
			return true;
	return false;
}
