/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Features by the names of the format's table of flags.
 */
#include "cli/feature_list.h"

#include <stdio.h>
#include <string.h>

#include <f2fskit/format.h>

uint32_t cli_feature_find(const char *name, size_t n)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	for (unsigned i = 0; i < count; i++)
		if (strlen(flags[i].name) == n && memcmp(flags[i].name, name, n) == 0)
			return flags[i].mask;
	return 0;
}

const char *cli_feature_wish(struct f2fs_features_options *o, const char *name, size_t n, int off)
{
	const uint8_t large_nat = off ? F2FS_LARGE_NAT_OFF : F2FS_LARGE_NAT_ON;
	const uint32_t feature = cli_feature_find(name, n);

	*(off ? &o->off : &o->on) |= feature;
	if (feature)
		return NULL;
	if (n != strlen(CLI_LARGE_NAT) || memcmp(name, CLI_LARGE_NAT, n) != 0)
		return "is no feature that the list has";
	if (o->large_nat != F2FS_LARGE_NAT_KEEP && o->large_nat != large_nat)
		return "cannot be turned on and off at once";
	o->large_nat = large_nat;
	return NULL;
}

const char *cli_parse_features(const char *list, uint32_t settable, uint32_t *features)
{
	static const char separators[] = ", ";

	while (*(list += strspn(list, separators))) {
		size_t n = strcspn(list, separators);
		uint32_t feature = cli_feature_find(list, n);

		if (feature == F2FS_FEAT_BLKZONED && !(settable & feature))
			return "cannot be asked for: -m does it";
		if (!(feature & settable))
			return "has an unknown feature (encrypt extra_attr project_quota inode_checksum "
			       "flexible_inline_xattr quota inode_crtime lost_found verity sb_checksum casefold "
			       "compression ro packed_ssa)";
		*features |= feature;
		list += n;
	}
	return NULL;
}

static const char *take_flag(struct cli_encoding *out, const char *name, size_t n)
{
	static const struct {
		const char *name;
		uint8_t flag;
	} flags[] = { { "strict", 1 }, { "hashonly", 2 } };
	int clear = n > 2 && !memcmp(name, "no", 2);

	if (clear) {
		name += 2;
		n -= 2;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (strlen(flags[i].name) != n || memcmp(flags[i].name, name, n) != 0)
			continue;
		out->flags = (uint8_t)(clear ? out->flags & ~flags[i].flag : out->flags | flags[i].flag);
		out->has_hash_flag |= flags[i].flag == 2;
		return NULL;
	}
	return "has an unknown flag ([no]strict, [no]hashonly)";
}

const char *cli_parse_encoding(const char *text, struct cli_encoding *out)
{
	size_t n = strcspn(text, ":");

	if (n != strlen("utf8") || memcmp(text, "utf8", n) != 0)
		return "is not a known encoding (utf8)";
	text += n;
	while (*(text += strspn(text, ":,"))) {
		const char *why;

		n = strcspn(text, ",");
		why = take_flag(out, text, n);
		if (why)
			return why;
		text += n;
	}
	return NULL;
}

const char *cli_parse_encoding_flags(const char *text, uint32_t *flags)
{
	struct cli_encoding encoding = { 0 };
	char whole[64];

	if (snprintf(whole, sizeof(whole), "utf8:%s", text) >= (int)sizeof(whole) ||
	    cli_parse_encoding(whole, &encoding))
		return "is none of strict, hashonly";
	*flags = encoding.flags;
	return NULL;
}
