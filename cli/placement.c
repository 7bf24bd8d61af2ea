/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Placements from texts. */
#include "cli/placement.h"

#include <stddef.h>
#include <string.h>

#include "cli/size.h"

enum { ROOM = 32 };

static const struct {
	const char *name;
	size_t offset, size;
	uint64_t most;
} keys[] = {
#define KEY(name, member, most, text)                                                                                  \
	{ #name, offsetof(struct f2fs_hotness_options, member),                                                       \
	  sizeof(((struct f2fs_hotness_options *)NULL)->member), most },
#include "cli/placement_keys.def"
#undef KEY
};

/* Put a number into a member of that size. */
static void put(void *member, size_t size, uint64_t number)
{
	const uint8_t byte = (uint8_t)number;
	const uint32_t word = (uint32_t)number;

	if (size == sizeof(byte))
		memcpy(member, &byte, size);
	else if (size == sizeof(word))
		memcpy(member, &word, size);
	else
		memcpy(member, &number, sizeof(number));
}

/* Set the option that a key names; what is wrong, or NULL. */
static const char *set(struct cli_placement *p, const char *key, const char *value)
{
	uint64_t number;

	if (strcmp(key, "victims") == 0) {
		const int policy = f2fs_clean_policy_find(value);

		p->victims = (uint32_t)policy;
		return policy < 0 ? "names no policy of cleaning as victims" : NULL;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].name, key) != 0)
			continue;
		/* a number is a size in bytes */
		if (cli_parse_size(value, 1, 512, &number) || number > keys[i].most)
			return "has a value that its key cannot have";
		put((char *)&p->options + keys[i].offset, keys[i].size, number);
		return NULL;
	}
	return "has a key that there is not";
}

const char *cli_parse_placement(const char *text, struct cli_placement *out)
{
	char part[ROOM], *equals;
	size_t n = strcspn(text, ":");
	int method;

	*out = (struct cli_placement){ .victims = F2FS_CLEAN_HOTNESS };
	if (n >= sizeof(part))
		return "names no placement (m2h, death, lifespan, adaptive)";
	memcpy(part, text, n);
	part[n] = '\0';
	method = f2fs_hotness_find(part);
	if (method < 0)
		return "names no placement (m2h, death, lifespan, adaptive)";
	out->options.method = (uint32_t)method;
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
