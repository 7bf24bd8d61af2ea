/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of compression: algorithm and level, size of clusters, which names.
 */
#include "cli/packing.h"

#include <string.h>

#include "cli/compression.h"
#include "cli/size.h"

const char *cli_packing_algorithm(struct cli_packing *c, const char *value)
{
	c->has_other = 1;
	return cli_parse_compression(value, &c->options.how);
}

const char *cli_packing_cluster(struct cli_packing *c, const char *value)
{
	uint32_t n = 0;
	const char *why = cli_parse_u32(value, 2, 8, &n);

	c->has_other = 1;
	c->options.how.log_cluster = (uint8_t)n;
	return why;
}

const char *cli_packing_minimum(struct cli_packing *c, const char *value)
{
	uint32_t n = 0;
	const char *why = cli_parse_u32(value, 1, 255, &n);

	c->has_other = 1;
	c->options.minimum_saved = (uint8_t)n;
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

const char *cli_packing_name(struct cli_packing *c, const char *value)
{
	c->has_other = 1;
	return add_name(c->names, sizeof(c->names), value);
}

const char *cli_packing_except(struct cli_packing *c, const char *value)
{
	c->has_other = 1;
	return add_name(c->except, sizeof(c->except), value);
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
