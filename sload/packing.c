/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of compression: algorithm and level, size of clusters, which names.
 */
#include "sload/packing.h"

#include <string.h>

#include "cli/compression.h"
#include "cli/size.h"

const char *sload_compress_algorithm(struct sload_compress *c, const char *value)
{
	c->has_other = 1;
	return cli_parse_compression(value, &c->options.how);
}

const char *sload_compress_cluster(struct sload_compress *c, const char *value)
{
	uint32_t n = 0;
	const char *why = cli_parse_u32(value, 2, 8, &n);

	c->has_other = 1;
	c->options.how.log_cluster = (uint8_t)n;
	return why;
}

const char *sload_compress_minimum(struct sload_compress *c, const char *value)
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

const char *sload_compress_name(struct sload_compress *c, const char *value)
{
	c->has_other = 1;
	return add_name(c->names, sizeof(c->names), value);
}

const char *sload_compress_except(struct sload_compress *c, const char *value)
{
	c->has_other = 1;
	return add_name(c->except, sizeof(c->except), value);
}

const char *sload_compress_finish(struct sload_compress *c, struct f2fs_populate_options *options)
{
	if (!c->is_on)
		return c->has_other ? "options of compression need -c" : NULL;
	if (c->names[0] && c->except[0])
		return "-i and -x exclude each other";
	c->options.struct_size = sizeof(c->options);
	c->options.names = c->names[0] ? c->names : NULL;
	c->options.except = c->except[0] ? c->except : NULL;
	options->compression = &c->options;
	return NULL;
}
