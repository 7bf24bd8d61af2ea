/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse the options of copying out: properties to keep, maps of ids, compression by the name of the archive.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/size.h"
#include "dump/copy_options.h"

static const struct keep_name {
	const char *name;
	unsigned bits;
} keep_names[] = {
	{ "mode", F2FS_KEEP_MODE },	    { "owner", F2FS_KEEP_OWNER },
	{ "times", F2FS_KEEP_TIMES },	    { "links", F2FS_KEEP_LINKS },
	{ "holes", F2FS_KEEP_HOLES },	    { "special", F2FS_KEEP_SPECIAL },
	{ "user", F2FS_KEEP_USER },	    { "trusted", F2FS_KEEP_TRUSTED },
	{ "security", F2FS_KEEP_SECURITY }, { "acl", F2FS_KEEP_ACL },
	{ "flags", F2FS_KEEP_FLAGS },	    { "project", F2FS_KEEP_PROJECT },
	{ "xattrs", F2FS_KEEP_XATTRS },	    { "default", F2FS_KEEP_DEFAULT },
	{ "all", F2FS_KEEP_EVERYTHING },    { "none", 0 },
	{ "setid", F2FS_KEEP_SETID },
};

const char *copy_parse_keep(const char *text, unsigned *bits)
{
	unsigned found = 0;

	while (*text) {
		size_t n = strcspn(text, ","), i = 0;
		int is_off = text[0] == '-';

		for (; i < sizeof(keep_names) / sizeof(keep_names[0]); i++)
			if (strlen(keep_names[i].name) == n - (size_t)is_off &&
			    !memcmp(keep_names[i].name, text + is_off, n - (size_t)is_off))
				break;
		if (i == sizeof(keep_names) / sizeof(keep_names[0]))
			return "has a word that is none of mode, owner, times, links, holes, special, user, trusted, "
			       "security, acl, flags, project, xattrs, default, all, none, setid";
		found = is_off ? found & ~keep_names[i].bits : found | keep_names[i].bits;
		text += n;
		text += *text == ',';
	}
	*bits = found ? found : F2FS_KEEP_NOTHING;
	return NULL;
}

static const char *parse_word(const char *text, const char *const *words, int count, const char *why, int *out)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(text, words[i])) {
			*out = i;
			return NULL;
		}
	return why;
}

const char *copy_parse_existing(const char *text, int *out)
{
	static const char *const words[] = { "refuse", "skip", "replace" };

	return parse_word(text, words, 3, "is none of refuse, skip, replace", out);
}

const char *copy_parse_encrypted(const char *text, int *out)
{
	static const char *const words[] = { "report", "skip", "raw" };

	return parse_word(text, words, 3, "is none of report, skip, raw", out);
}

/* "FIRST:TO" or "FIRST:TO:COUNT" */
const char *copy_parse_id_map(const char *text, struct f2fs_id_map *out)
{
	static const char why[] = "is not FIRST:TO or FIRST:TO:COUNT";
	uint32_t numbers[3] = { 0, 0, 1 };
	char part[16];
	int i = 0;

	for (; *text && i < 3; i++) {
		size_t n = strcspn(text, ":");

		if (n == 0 || n >= sizeof(part))
			return why;
		memcpy(part, text, n);
		part[n] = '\0';
		if (cli_parse_u32(part, 0, UINT32_MAX, &numbers[i]))
			return why;
		text += n;
		text += *text == ':';
	}
	if (i < 2 || *text || numbers[2] == 0)
		return why;
	*out = (struct f2fs_id_map){ numbers[0], numbers[1], numbers[2] };
	return NULL;
}

const char *copy_filter_of_name(const char *path)
{
	static const struct {
		const char *suffix, *filter;
	} rows[] = {
		{ ".gz", "gzip" },   { ".tgz", "gzip" },  { ".xz", "xz" },   { ".txz", "xz" },	 { ".zst", "zstd" },
		{ ".tzst", "zstd" }, { ".bz2", "bzip2" }, { ".lz4", "lz4" }, { ".lzo", "lzop" },
	};
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t m = strlen(rows[i].suffix);

		if (n > m && !strcmp(path + n - m, rows[i].suffix))
			return rows[i].filter;
	}
	return NULL;
}

unsigned copy_lists_to_stdout(const struct copy_options *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < COPY_LISTS; i++)
		count += c->list_paths[i] && !strcmp(c->list_paths[i], "-");
	return count;
}

/* ---- options one by one ---- */

static const char *take_number(const char *value, uint32_t max, unsigned *out)
{
	uint32_t number;
	const char *why = cli_parse_u32(value, 0, max, &number);

	if (!why)
		*out = number;
	return why;
}

int copy_options_init(struct copy_options *c, int argc)
{
	size_t n = (size_t)argc + 1;

	memset(c, 0, sizeof(*c));
	c->extract.struct_size = sizeof(c->extract);
	c->include = calloc(n, sizeof(c->include[0]));
	c->exclude = calloc(n, sizeof(c->exclude[0]));
	c->uid_map = calloc(n, sizeof(c->uid_map[0]));
	c->gid_map = calloc(n, sizeof(c->gid_map[0]));
	return c->include && c->exclude && c->uid_map && c->gid_map ? 0 : -1;
}

void copy_options_fini(struct copy_options *c)
{
	free(c->include);
	free(c->exclude);
	free(c->uid_map);
	free(c->gid_map);
}

const char *copy_take_option(struct copy_options *c, enum copy_option option, const char *value)
{
	struct f2fs_extract_options *o = &c->extract;

	switch (option) {
	case COPY_INCLUDE:
		c->include[o->include_count++] = value;
		return NULL;
	case COPY_EXCLUDE:
		c->exclude[o->exclude_count++] = value;
		return NULL;
	case COPY_UID_MAP:
		return copy_parse_id_map(value, &c->uid_map[o->uid_map_count++]);
	case COPY_GID_MAP:
		return copy_parse_id_map(value, &c->gid_map[o->gid_map_count++]);
	case COPY_KEEP:
		return copy_parse_keep(value, &o->keep);
	case COPY_REQUIRE:
		return copy_parse_keep(value, &o->require);
	case COPY_EXISTING:
		return copy_parse_existing(value, &o->existing);
	case COPY_ENCRYPTED:
		return copy_parse_encrypted(value, &o->encrypted);
	case COPY_STRIP:
		return take_number(value, 4096, &o->strip);
	case COPY_THREADS:
		return take_number(value, 1024, &o->threads);
	case COPY_MAX_BYTES:
		return cli_parse_size(value, 1, 512, &o->max_bytes);
	case COPY_COMPRESS:
		o->tar_filter = value;
		return NULL;
	case COPY_MANIFEST:
	case COPY_FS_CONFIG:
	case COPY_FILE_CONTEXTS:
		c->list_paths[option - COPY_MANIFEST] = value;
		return NULL;
	case COPY_MOUNT_POINT:
		o->mount_point = value;
		return NULL;
	case COPY_RELATIVE:
		o->flags |= F2FS_EXTRACT_RELATIVE;
		return NULL;
	case COPY_SYNC:
		o->flags |= F2FS_EXTRACT_SYNC;
		return NULL;
	default:
		return NULL;
	}
}
