/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse --state.
 */
#include "cli/state.h"

#include <string.h>

#include "cli/size.h"

static const char *take_pack(struct cli_image *image, const char *number)
{
	uint32_t pack = 0;
	const char *why = cli_parse_u32(number, 1, 2, &pack);

	image->pack = (int)pack;
	return why;
}

static const char *take_as_of(struct cli_image *image, const char *version)
{
	uint32_t number;

	image->as_of = version;
	return cli_parse_u32(version + (version[0] == '-'), 0, UINT32_MAX, &number);
}

static const char *take_word(struct cli_image *image, const char *word)
{
	if (!strcmp(word, "recovered"))
		image->recover = F2FS_RECOVER_VIEW;
	else if (!strcmp(word, "repaired"))
		image->is_repaired = 1;
	else if (!strcmp(word, "rescue"))
		image->mode = F2FS_MODE_RESCUE;
	else if (strcmp(word, "current") != 0)
		return "is none of current, pack=1, pack=2, recovered, repaired, rescue, as-of=VERSION";
	return NULL;
}

const char *cli_state_take(struct cli_image *image, const char *value)
{
	if (image->has_state)
		return "is a second state: the option can be given once";
	image->has_state = 1;
	if (!strncmp(value, "pack=", 5))
		return take_pack(image, value + 5);
	if (!strncmp(value, "as-of=", 6))
		return take_as_of(image, value + 6);
	return take_word(image, value);
}

int cli_state_is_fixed(const struct cli_image *image)
{
	return image->is_repaired || image->as_of || image->mode == F2FS_MODE_RESCUE;
}

int cli_state_is_current(const struct cli_image *image)
{
	return !cli_state_is_fixed(image) && !image->recover && !image->pack && image->mode == F2FS_MODE_TOLERANT;
}

const char *cli_state_conflict(const struct cli_image *image)
{
	const int others = image->as_of || image->mode != F2FS_MODE_TOLERANT || image->pack || image->recover;

	return image->is_repaired && others
		       ? "a repaired volume (--state=repaired) does not go with another state, nor with --strict"
		       : NULL;
}
