/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write the manifest: one JSON object a line for each entry, with all fields of its inode, whether the host can keep
 * them or not. "source" has the path in the destination where that is another one. Names are strings when they are
 * UTF-8. Otherwise the wrong bytes are replaced and the exact ones follow in hex.
 */
#include "sink/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "sink/dir.h"

/* The stream keeps its first failure, so only the end of a line looks at it. */
static void put(struct sink_stream *s, const char *text)
{
	sink_stream_put(s, text, strlen(text));
}

static void put_number(struct sink_stream *s, const char *key, uint64_t value)
{
	char text[64];

	snprintf(text, sizeof(text), ",\"%s\":%" PRIu64, key, value);
	put(s, text);
}

static void put_hex(struct sink_stream *s, const void *data, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = data;

	put(s, "\"");
	for (size_t i = 0; i < length; i++) {
		const char pair[2] = { digits[bytes[i] >> 4], digits[bytes[i] & 15] };

		sink_stream_put(s, pair, 2);
	}
	put(s, "\"");
}

static void put_string(struct sink_stream *s, const char *text, size_t length)
{
	const uint8_t *bytes = (const uint8_t *)text;

	put(s, "\"");
	for (size_t i = 0; i < length;) {
		uint32_t cp;
		size_t n = utf8_decode(bytes + i, length - i, &cp);
		char escape[8];

		if (n == 0) {
			put(s, "\xEF\xBF\xBD");
			n = 1;
		} else if (cp < 0x20 || cp == 0x7F || cp == '"' || cp == '\\') {
			snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)cp);
			put(s, escape);
		} else {
			sink_stream_put(s, bytes + i, n);
		}
		i += n;
	}
	put(s, "\"");
}

/* Write ,"key":"text" and, for text that is no UTF-8, ,"key_hex":"..." */
static void put_name(struct sink_stream *s, const char *key, const char *text, size_t length)
{
	put(s, ",\"");
	put(s, key);
	put(s, "\":");
	put_string(s, text, length);
	if (utf8_is_valid((const uint8_t *)text, length))
		return;
	put(s, ",\"");
	put(s, key);
	put(s, "_hex\":");
	put_hex(s, text, length);
}

static void put_time(struct sink_stream *s, const char *key, const struct f2fs_time *t)
{
	char text[80];

	snprintf(text, sizeof(text), ",\"%s\":[%" PRId64 ",%" PRIu32 "]", key, t->seconds, t->nanoseconds);
	put(s, text);
}

static const char *type_name(uint32_t mode)
{
	switch (mode & MODE_TYPE) {
	case MODE_REG:
		return "file";
	case MODE_DIR:
		return "directory";
	case MODE_LNK:
		return "symlink";
	case MODE_CHR:
		return "character";
	case MODE_BLK:
		return "block";
	case MODE_FIFO:
		return "fifo";
	case MODE_SOCK:
		return "socket";
	default:
		return "unknown";
	}
}

static void put_xattrs(struct sink_stream *s, struct f2fs_inode *inode)
{
	int count = f2fs_xattr_count(inode);

	for (int i = 0; i < count; i++) {
		struct f2fs_xattr xattr;

		if (f2fs_xattr_at(inode, (unsigned)i, &xattr))
			break;
		put(s, i ? "," : ",\"xattrs\":{");
		put_string(s, xattr.name, strlen(xattr.name));
		put(s, ":");
		put_hex(s, xattr.value, xattr.value_size);
		if (i == count - 1)
			put(s, "}");
	}
}

static void put_features(struct sink_stream *s, const struct f2fs_stat *stat)
{
	if (stat->is_compressed) {
		put_number(s, "compress_algorithm", stat->compress_algorithm);
		put_number(s, "log_cluster_size", stat->log_cluster_size);
	}
	put(s, stat->is_encrypted ? ",\"encrypted\":true" : "");
	put(s, stat->is_verity ? ",\"verity\":true" : "");
	put(s, stat->is_casefold ? ",\"casefold\":true" : "");
}

int sink_manifest_add(struct sink *sink, struct sink_stream *s, const char *path, const struct sink_entry *entry)
{
	const struct f2fs_stat *stat = &entry->stat;
	const char *host_path;
	char text[64];
	int err = sink_host_path(sink, entry->dir, entry->name, entry->substitute, &host_path);

	if (err)
		return err;
	snprintf(text, sizeof(text), "{\"ino\":%" PRIu32, stat->ino);
	put(s, text);
	put_name(s, "path", path, strlen(path));
	if (host_path)
		put_name(s, "source", host_path, strlen(host_path));
	put(s, ",\"type\":\"");
	put(s, type_name(stat->mode));
	snprintf(text, sizeof(text), "\",\"mode\":\"%04o\"", (unsigned)(stat->mode & 07777));
	put(s, text);
	put_number(s, "uid", stat->uid);
	put_number(s, "gid", stat->gid);
	put_number(s, "nlink", stat->nlink);
	put_number(s, "size", stat->size);
	put_number(s, "flags", stat->flags);
	put_number(s, "projid", stat->projid);
	put_number(s, "generation", stat->generation);
	put_number(s, "advise", stat->advise);
	if ((stat->mode & MODE_TYPE) == MODE_CHR || (stat->mode & MODE_TYPE) == MODE_BLK) {
		put_number(s, "major", stat->rdev_major);
		put_number(s, "minor", stat->rdev_minor);
	}
	if (entry->target)
		put_name(s, "target", entry->target, entry->target_length);
	put_time(s, "atime", &stat->atime);
	put_time(s, "mtime", &stat->mtime);
	put_time(s, "ctime", &stat->ctime);
	if (stat->has_crtime)
		put_time(s, "crtime", &stat->crtime);
	put_features(s, stat);
	put_xattrs(s, entry->inode);
	return sink_stream_put(s, "}\n", 2) ? sink_stream_report(s) : 0;
}
