/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write fs_config and file_contexts of the extracted entries, in the form that populating a volume reads
 * (base/android.h). Data that a list cannot express is a problem: a blank in a path or a label, capabilities that are
 * no mask.
 */
#include "sink/android_lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/android.h"
#include "base/error.h"
#include "sink/report.h"

#define BLANKS " \t\r\n\v\f"

/* The stream keeps its first failure, so only the end of a line looks at it. */
static void put(struct sink_stream *s, const char *text)
{
	sink_stream_put(s, text, strlen(text));
}

static int put_end(struct sink_stream *s)
{
	return sink_stream_put(s, "\n", 1) ? sink_stream_report(s) : 0;
}

/* Report that the list has less than all data of an entry. */
static int leave_out(struct sink *sink, const struct sink_entry *entry, const char *list, const char *why)
{
	const struct sink_place place = {
		.dir = entry->dir, .name = entry->name, .ino = entry->stat.ino, .what = list
	};

	error_set(sink->ctx, F2FS_ERR_UNSUPPORTED, "%s", why);
	return sink_problem(sink, F2FS_PROBLEM_ATTRIBUTE, &place);
}

/* Find an attribute of the entry, kept elsewhere or not. Returns 0, NO_ATTR, or an error, which the sink reports. */
static int find_attribute(const struct sink_entry *entry, const char *name, struct f2fs_xattr *out)
{
	int err = 0;

	for (unsigned i = 0; !err; i++) {
		err = f2fs_xattr_at(entry->inode, i, out);
		if (!err && strcmp(out->name, name) == 0)
			return 0;
	}
	return err;
}

int sink_fs_config_add(struct sink *sink, struct sink_stream *s, const char *path, const struct sink_entry *entry)
{
	struct f2fs_xattr xattr;
	uint64_t mask = 0;
	char text[80];
	const char *mounted;
	int err = android_mount_path(&sink->mounted, sink->opt.mount_point, path + strspn(path, "/"), &mounted);

	if (err)
		return err;
	mounted++;
	if (mounted[strcspn(mounted, BLANKS)] != '\0')
		return leave_out(sink, entry, "fs_config", "a path with a blank cannot stand in this list");
	if (find_attribute(entry, "security.capability", &xattr) == 0 &&
	    !android_capability_decode(xattr.value, xattr.value_size, &mask)) {
		err = leave_out(sink, entry, "fs_config",
				"its capabilities are more than a mask that is both permitted and effective");
		if (err)
			return err;
	}
	put(s, mounted);
	snprintf(text, sizeof(text), " %" PRIu32 " %" PRIu32 " %04o", entry->stat.uid, entry->stat.gid,
		 (unsigned)(entry->stat.mode & 07777));
	put(s, text);
	if (mask) {
		snprintf(text, sizeof(text), " capabilities=0x%" PRIx64, mask);
		put(s, text);
	}
	return put_end(s);
}

/* Write a regular expression that only this path matches. It cannot distinguish the kinds of blanks. */
static void put_regex(struct sink_stream *s, const char *path)
{
	for (; *path; path++) {
		if (strchr(BLANKS, *path)) {
			put(s, "[[:space:]]");
			continue;
		}
		if (strchr(".^$?*+|[](){}\\", *path))
			put(s, "\\");
		sink_stream_put(s, path, 1);
	}
}

int sink_file_contexts_add(struct sink *sink, struct sink_stream *s, const char *path, const struct sink_entry *entry)
{
	struct f2fs_xattr xattr;
	const char *mounted, *label;
	size_t length;
	int err;

	if (find_attribute(entry, "security.selinux", &xattr))
		return 0;
	label = (const char *)xattr.value;
	for (length = 0; length < xattr.value_size && (unsigned char)label[length] > ' '; length++)
		;
	if (length == 0 || length + 1 < xattr.value_size || (length < xattr.value_size && label[length]))
		return leave_out(sink, entry, "file_contexts", "its label is no word");
	err = android_mount_path(&sink->mounted, sink->opt.mount_point, path + strspn(path, "/"), &mounted);
	if (err)
		return err;
	put_regex(s, mounted);
	put(s, " ");
	sink_stream_put(s, label, length);
	return put_end(s);
}
