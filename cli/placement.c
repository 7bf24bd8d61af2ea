/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Placements from texts. */
#include "cli/placement.h"

#include <string.h>

#include "cli/size.h"

enum { ROOM = 32 };

/* A number that fits, in the type of a member. */
#define AS_MEMBER(member, number)                                                                                      \
	_Generic((member), uint8_t : (uint8_t)(number), uint32_t : (uint32_t)(number), uint64_t : (number))

/* Set the option that a key names. Returns NULL, or an error text. */
static const char *set(struct cli_placement *p, const char *key, const char *value)
{
	uint64_t number;

	if (strcmp(key, "victims") == 0) {
		const int policy = f2fs_gc_policy_find(value);

		p->victims = (uint32_t)policy;
		return policy < 0 ? "names an unknown GC policy as victims" : NULL;
	}
	/* a number is a size in bytes */
#define KEY(name, member, most, text)                                                                                  \
	if (strcmp(key, #name) == 0) {                                                                                 \
		if (cli_parse_size(value, 1, 512, &number) || number > (most))                                         \
			return "has an invalid value for its key";                                                 \
		p->options.member = AS_MEMBER(p->options.member, number);                                              \
		return NULL;                                                                                           \
	}
#include "cli/placement_keys.def"
#undef KEY
	return "has an unknown key";
}

const char *cli_parse_placement(const char *text, struct cli_placement *out)
{
	char part[ROOM], *equals;
	size_t n = strcspn(text, ":");
	int method;

	*out = (struct cli_placement){ .options = { F2FS_SIZED(f2fs_hotness_options) }, .victims = F2FS_GC_HOTNESS };
	if (n >= sizeof(part))
		return "names an unknown placement (m2h, death, lifespan, adaptive)";
	memcpy(part, text, n);
	part[n] = '\0';
	method = f2fs_hotness_find(part);
	if (method < 0)
		return "names an unknown placement (m2h, death, lifespan, adaptive)";
	out->options.method = (uint32_t)method;
	/* those two know ages of ranges and segments alone, which misleads victims by hotness */
	if (method == F2FS_HOTNESS_DEATH || method == F2FS_HOTNESS_LIFESPAN)
		out->victims = F2FS_GC_GREEDY;
	for (text += n; *text; text += n) {
		const char *why;

		text++; /* the colon or a comma */
		n = strcspn(text, ",");
		if (n >= sizeof(part))
			return "has a part that is not KEY=VALUE";
		memcpy(part, text, n);
		part[n] = '\0';
		equals = strchr(part, '=');
		if (!equals)
			return "has a part that is not KEY=VALUE";
		*equals = '\0';
		why = set(out, part, equals + 1);
		if (why)
			return why;
	}
	return NULL;
}
