/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of purposes. Options beside --for add to what it chooses; those that would defeat the purpose are refused.
 */
#include "purpose.h"

#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "cli/compression.h"

struct purpose {
	const char *name;
	uint32_t features;
	const char *algorithm; /* of the contents; NULL: they stay as they are */
	int releases;
	const char *meaning;
};

static const struct purpose purposes[] = {
#define PURPOSE(name, features, algorithm, releases, meaning) { name, features, algorithm, releases, meaning },
#include "mkfs/purposes.def"
#undef PURPOSE
};

const char *purpose_find(const char *name, const struct purpose **out)
{
	for (unsigned i = 0; i < sizeof(purposes) / sizeof(purposes[0]); i++)
		if (strcmp(name, purposes[i].name) == 0) {
			*out = &purposes[i];
			return NULL;
		}
	if (strcmp(name, "u-boot") == 0)
		return "is not possible: U-Boot has no reader of F2FS";
	return "is none of grub, safe, sd-card, archive, android-ro";
}

/* GRUB's reader knows one layout (docs/CHOOSING.md). */
static const char *judge_grub(const struct arguments *a)
{
	if (a->options.feature & F2FS_FEAT_EXTRA_ATTR)
		return "--for=grub: GRUB cannot read volumes with extra_attr, and what needs it";
	if (a->options.block_size && a->options.block_size != 4096)
		return "--for=grub: GRUB reads blocks of 4096 bytes only";
	if (a->options.large_nat)
		return "--for=grub: GRUB cannot read volumes with a large NAT bitmap (-i)";
	return NULL;
}

void purpose_apply(const struct purpose *purpose, struct arguments *a)
{
	a->options.feature |= purpose->features;
	if (purpose->features & F2FS_FEAT_RO) {
		a->options.root_uid = a->owner_given ? a->options.root_uid : 0;
		a->options.root_gid = a->owner_given ? a->options.root_gid : 0;
	}
	if (purpose->algorithm && a->in.source) {
		if (!a->packing.is_on && !a->packing.has_other) {
			cli_parse_compression(purpose->algorithm, &a->packing.options.how);
			a->packing.options.release = (uint8_t)purpose->releases;
		}
		a->packing.is_on = 1;
	}
}

const char *purpose_judge(const struct purpose *purpose, const struct arguments *a)
{
	return strcmp(purpose->name, "grub") == 0 ? judge_grub(a) : NULL;
}

void purpose_print(const struct purpose *purpose, const struct arguments *a)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	printf("Info: for %s: %s (", purpose->name, purpose->meaning);
	if (!purpose->features)
		printf("no features");
	else
		printf("-O ");
	for (unsigned i = 0, n = 0; i < count; i++)
		if (purpose->features & flags[i].mask)
			printf("%s%s", n++ ? "," : "", flags[i].name);
	if (a->packing.is_on)
		printf(" --compress --compress-algorithm=%s%s", f2fs_compress_name(a->packing.options.how.algorithm),
		       a->packing.options.release ? " --release" : "");
	printf(")\n");
}
