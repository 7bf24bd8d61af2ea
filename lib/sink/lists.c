/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Telling of the entries that are extracted: to the caller, and in lists, each a stream with one line for an entry.
 */
#include "sink/extract.h"

static const struct list {
	uint32_t output;
	const char *name; /* for messages */
	int (*add)(struct extract *x, struct extract_stream *s, const char *path, const struct extract_entry *entry);
} lists[EXTRACT_LISTS] = {
	{ F2FS_OUTPUT_MANIFEST, "the manifest", extract_manifest_add },
	{ F2FS_OUTPUT_FS_CONFIG, "fs_config", extract_fs_config_add },
	{ F2FS_OUTPUT_FILE_CONTEXTS, "file_contexts", extract_file_contexts_add },
};

int extract_lists_open(struct extract *x)
{
	const struct f2fs_extract_options *o = x->options;
	const struct f2fs_stream *const wanted[EXTRACT_LISTS] = { o->manifest, o->fs_config, o->file_contexts };
	int err = 0;

	for (unsigned i = 0; i < EXTRACT_LISTS && !err; i++)
		if (wanted[i])
			err = extract_stream_open(x, wanted[i], lists[i].output, lists[i].name, &x->lists[i]);
	return err;
}

bool extract_tells_entries(const struct extract *x)
{
	if (x->options->entry)
		return true;
	for (unsigned i = 0; i < EXTRACT_LISTS; i++)
		if (x->lists[i])
			return true;
	return false;
}

int extract_tell_entry(struct extract *x, const struct extract_entry *entry)
{
	const char *path;
	int err;

	x->inodes_done++;
	if (!extract_tells_entries(x))
		return 0;
	err = extract_full_path(x, &x->entry_path, entry->dir, entry->name);
	if (err)
		return err;
	path = x->entry_path.items;
	if (x->options->entry && x->options->entry(x->options->user, path, &entry->stat))
		return extract_stopped(x);
	for (unsigned i = 0; i < EXTRACT_LISTS && !err; i++)
		if (x->lists[i])
			err = lists[i].add(x, x->lists[i], path, entry);
	return err;
}

int extract_lists_close(struct extract *x, int err)
{
	for (unsigned i = 0; i < EXTRACT_LISTS; i++)
		if (err)
			extract_stream_drop(x->lists[i]);
		else
			err = extract_stream_close(x->lists[i]);
	return err;
}
