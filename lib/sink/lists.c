/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report the extracted entries: to the caller, and in lists, each a stream with one line for an entry.
 */
#include "sink/lists.h"
#include "sink/android_lists.h"
#include "sink/dir.h"
#include "sink/manifest.h"
#include "sink/report.h"
#include "sink/sink.h"

static const struct list {
	uint32_t output;
	const char *name; /* for messages */
	int (*add)(struct sink *sink, struct sink_stream *s, const char *path, const struct sink_entry *entry);
} lists[SINK_LISTS] = {
	{ F2FS_OUTPUT_MANIFEST, "the manifest", sink_manifest_add },
	{ F2FS_OUTPUT_FS_CONFIG, "fs_config", sink_fs_config_add },
	{ F2FS_OUTPUT_FILE_CONTEXTS, "file_contexts", sink_file_contexts_add },
};

int sink_lists_open(struct sink *sink)
{
	const struct sink_options *o = &sink->opt;
	const struct f2fs_stream *const wanted[SINK_LISTS] = { o->manifest, o->fs_config, o->file_contexts };
	int err = 0;

	for (unsigned i = 0; i < SINK_LISTS && !err; i++)
		if (wanted[i])
			err = sink_stream_open(sink, wanted[i], lists[i].output, lists[i].name, &sink->lists[i]);
	return err;
}

bool sink_tells_entries(const struct sink *sink)
{
	if (sink->opt.entry)
		return true;
	for (unsigned i = 0; i < SINK_LISTS; i++)
		if (sink->lists[i])
			return true;
	return false;
}

bool sink_has_manifest(const struct sink *sink)
{
	return sink->opt.manifest != NULL;
}

int sink_tell_entry(struct sink *sink, const struct sink_entry *entry, bool is_made)
{
	const char *path;
	int err;

	if (!sink_tells_entries(sink))
		return 0;
	err = sink_full_path(sink, &sink->entry_path, entry->dir, entry->name);
	if (err)
		return err;
	path = sink->entry_path.items;
	if (is_made && sink->opt.entry && sink->opt.entry(sink->opt.user, path, &entry->stat))
		return sink_stopped(sink);
	for (unsigned i = 0; i < SINK_LISTS && !err; i++)
		if (sink->lists[i])
			err = lists[i].add(sink, sink->lists[i], path, entry);
	return err;
}

int sink_lists_close(struct sink *sink, int err)
{
	for (unsigned i = 0; i < SINK_LISTS; i++)
		if (err)
			sink_stream_drop(sink->lists[i]);
		else
			err = sink_stream_close(sink->lists[i]);
	return err;
}
