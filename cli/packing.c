/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of compression: algorithm and level, size of clusters, which names.
 */
#include "cli/packing.h"

#include <string.h>

#include "cli/compression.h"
#include "cli/size.h"

static const char *take_number(const char *value, uint32_t least, uint32_t most, uint8_t *out)
{
	uint32_t n = 0;
	const char *why = cli_parse_u32(value, least, most, &n);

	*out = (uint8_t)n;
	return why;
}

static const char *add_name(char *list, size_t room, const char *value)
{
	size_t at = strlen(list), n = strlen(value);

	if (n == 0 || strpbrk(value, ", ./"))
		return "is no extension";
	if (at + n + 2 > room)
		return "is one extension too many";
	if (at)
		list[at++] = ',';
	memcpy(list + at, value, n + 1);
	return NULL;
}

const char *cli_packing_take(struct cli_packing *c, int id, const char *value)
{
	if (id == CLI_PACKING_compress) {
		c->is_on = 1;
		return NULL;
	}
	c->has_other = 1;
	switch (id) {
	case CLI_PACKING_algorithm:
		return cli_parse_compression(value, &c->options.how);
	case CLI_PACKING_cluster:
		return take_number(value, 2, 8, &c->options.how.log_cluster);
	case CLI_PACKING_name:
		return add_name(c->names, sizeof(c->names), value);
	case CLI_PACKING_plain:
		return add_name(c->except, sizeof(c->except), value);
	case CLI_PACKING_minimum:
		return take_number(value, 1, 255, &c->options.minimum_saved);
	default: /* CLI_PACKING_release */
		c->options.release = 1;
		return NULL;
	}
}

const char *cli_packing_finish(struct cli_packing *c, struct f2fs_populate_options *options)
{
	if (!c->is_on)
		return c->has_other ? "options of compression need --compress" : NULL;
	if (c->names[0] && c->except[0])
		return "--compress-extension and --plain-extension exclude each other";
	c->options.struct_size = sizeof(c->options);
	c->options.names = c->names[0] ? c->names : NULL;
	c->options.except = c->except[0] ? c->except : NULL;
	options->compression = &c->options;
	return NULL;
}
