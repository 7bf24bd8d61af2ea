/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A line of a manifest: a JSON object with the members that extraction writes, and "source". Members with other names
 * are passed over.
 */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "source/manifestline.h"
#include "source/source.h"

enum kind { K_TEXT, K_HEX, K_U32, K_U64, K_TIME, K_MODE, K_TYPE, K_XATTRS };

/* Members: the destination of their values, and the data that they provide. */
static const struct member {
	const char *name;
	enum kind kind;
	size_t offset;
	unsigned given;
} members[] = {
#define AT(field) offsetof(struct manifest_entry, field)
	{ "path", K_TEXT, AT(path), 0 },
	{ "path_hex", K_HEX, AT(path), 0 },
	{ "type", K_TYPE, 0, 0 },
	{ "mode", K_MODE, 0, GIVEN_MODE },
	{ "uid", K_U32, AT(item.uid), GIVEN_OWNER },
	{ "gid", K_U32, AT(item.gid), GIVEN_OWNER },
	{ "size", K_U64, AT(item.size), 0 },
	{ "flags", K_U32, AT(item.flags), GIVEN_FLAGS },
	{ "projid", K_U32, AT(item.projid), GIVEN_PROJECT },
	{ "major", K_U32, AT(item.rdev_major), 0 },
	{ "minor", K_U32, AT(item.rdev_minor), 0 },
	{ "target", K_TEXT, AT(item.target), 0 },
	{ "target_hex", K_HEX, AT(item.target), 0 },
	{ "atime", K_TIME, AT(item.atime), GIVEN_ATIME },
	{ "mtime", K_TIME, AT(item.mtime), GIVEN_MTIME },
	{ "ctime", K_TIME, AT(item.ctime), GIVEN_CTIME },
	{ "crtime", K_TIME, AT(item.crtime), GIVEN_CRTIME },
	{ "xattrs", K_XATTRS, 0, 0 },
	{ "ino", K_U64, AT(item.ino), 0 },
	{ "nlink", K_U32, AT(nlink), 0 },
	{ "source", K_TEXT, AT(source), 0 },
	{ "source_hex", K_HEX, AT(source), 0 },
#undef AT
};

static const struct type_name {
	const char *name;
	uint32_t mode;
} types[] = {
	{ "file", MODE_REG },  { "directory", MODE_DIR }, { "symlink", MODE_LNK }, { "character", MODE_CHR },
	{ "block", MODE_BLK }, { "fifo", MODE_FIFO },	  { "socket", MODE_SOCK }, { "link", MODE_REG },
};

static bool is_word(const struct json *j, const char *word)
{
	return strlen(word) == j->length && memcmp(word, j->text, j->length) == 0;
}

/* Decode hexadecimal digits where they stand; -1 when there is anything else. */
static int decode_hex(char *text, size_t length)
{
	if (length % 2)
		return -1;
	for (size_t i = 0; i < length; i++) {
		const char c = text[i];
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (c >= 'A' && c <= 'F')
			digit = c - 'A' + 10;
		if (digit < 0)
			return -1;
		if (i % 2)
			text[i / 2] = (char)((unsigned char)text[i / 2] << 4 | digit);
		else
			text[i / 2] = (char)digit;
	}
	return 0;
}

/* A string token becomes a C string: its closing quote is the NUL's place. */
static const char *take_text(struct json *j, bool is_hex, const char **out)
{
	size_t n = j->length;

	if (is_hex) {
		if (decode_hex(j->text, n) != 0)
			return "is not hexadecimal";
		n /= 2;
	}
	if (memchr(j->text, 0, n))
		return "has a NUL in it";
	j->text[n] = '\0';
	*out = j->text;
	return NULL;
}

static const char *take_mode(const struct json *j, struct manifest_entry *entry)
{
	uint32_t mode = 0;

	if (j->length == 0 || j->length > 6)
		return "is not a string of octal digits";
	for (size_t i = 0; i < j->length; i++) {
		if (j->text[i] < '0' || j->text[i] > '7')
			return "is not a string of octal digits";
		mode = mode << 3 | (uint32_t)(j->text[i] - '0');
	}
	entry->item.mode = (entry->item.mode & MODE_TYPE) | (mode & 07777);
	return NULL;
}

static const char *take_type(const struct json *j, struct manifest_entry *entry)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!is_word(j, types[i].name))
			continue;
		entry->item.mode = (entry->item.mode & 07777) | types[i].mode;
		entry->is_link = is_word(j, "link");
		return NULL;
	}
	return "is not a type of file";
}

/* [seconds, nanoseconds] */
static const char *take_time(struct json *j, struct f2fs_time *t)
{
	static const char why[] = "is not [seconds, nanoseconds]";
	int64_t seconds, nanoseconds;

	if (json_next(j) != JSON_NUMBER || !json_integer(j, INT64_MIN, INT64_MAX, &seconds))
		return why;
	if (json_next(j) != JSON_NUMBER || !json_integer(j, 0, 999999999, &nanoseconds))
		return why;
	if (json_next(j) != JSON_CLOSE)
		return why;
	t->seconds = seconds;
	t->nanoseconds = (uint32_t)nanoseconds;
	return NULL;
}

/* {name: hexadecimal value, ...} */
static const char *take_xattrs(struct json *j, struct manifest_entry *entry)
{
	enum json_type type;

	while ((type = json_next(j)) == JSON_KEY) {
		struct manifest_attribute attribute, *slot;
		const char *why = take_text(j, false, &attribute.name);

		if (!why && (json_next(j) != JSON_STRING || decode_hex(j->text, j->length) != 0))
			why = "has a value that is not hexadecimal";
		if (why)
			return why;
		attribute.value = (const uint8_t *)j->text;
		attribute.size = j->length / 2;
		slot = vec_push(&entry->attributes, 1);
		if (!slot)
			return ""; /* the error is in the context */
		*slot = attribute;
	}
	return type == JSON_CLOSE ? NULL : "is not an object";
}

static const char *take_number(const struct json *j, const struct member *m, struct manifest_entry *entry)
{
	char *field = (char *)entry + m->offset;
	int64_t value;

	if (!json_integer(j, 0, m->kind == K_U32 ? UINT32_MAX : INT64_MAX, &value))
		return "is out of range";
	if (m->kind == K_U32)
		*(uint32_t *)(void *)field = (uint32_t)value;
	else
		*(uint64_t *)(void *)field = (uint64_t)value;
	if (strcmp(m->name, "ino") == 0)
		entry->has_ino = true;
	return NULL;
}

static enum json_type expected_type(enum kind kind)
{
	switch (kind) {
	case K_U32:
	case K_U64:
		return JSON_NUMBER;
	case K_TIME:
		return JSON_ARRAY;
	case K_XATTRS:
		return JSON_OBJECT;
	default:
		return JSON_STRING;
	}
}

/* Take the value of a member, whose token is current. Returns its fault, or NULL. */
static const char *take_value(struct json *j, enum json_type type, const struct member *m, struct manifest_entry *entry)
{
	char *field = (char *)entry + m->offset;

	if (type != expected_type(m->kind))
		return "has a value of another type";
	entry->item.given |= m->given;
	switch (m->kind) {
	case K_TEXT:
	case K_HEX:
		return take_text(j, m->kind == K_HEX, (const char **)(void *)field);
	case K_TIME:
		return take_time(j, (struct f2fs_time *)(void *)field);
	case K_MODE:
		return take_mode(j, entry);
	case K_TYPE:
		return take_type(j, entry);
	case K_XATTRS:
		return take_xattrs(j, entry);
	default:
		return take_number(j, m, entry);
	}
}

static const struct member *find_member(const struct json *j)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (is_word(j, members[i].name))
			return &members[i];
	return NULL;
}

static int wrong(struct f2fs_context *ctx, const struct json *j, const struct member *m, const char *why)
{
	if (why && !why[0])
		return F2FS_ERR_NOMEM;
	if (m && why && !j->why)
		return error_set(ctx, F2FS_ERR_INVALID, "\"%s\" %s", m->name, why);
	return error_set(ctx, F2FS_ERR_INVALID, "%s", j->why ? j->why : why ? why : "not a JSON object");
}

int manifest_parse(struct f2fs_context *ctx, char *text, size_t length, struct manifest_entry *entry)
{
	const struct member *m = NULL;
	const char *why = NULL;
	enum json_type type;
	struct json j;

	memset(&entry->item, 0, sizeof(entry->item));
	entry->item.mode = MODE_REG;
	entry->path = entry->source = NULL;
	entry->is_link = entry->has_ino = false;
	entry->nlink = 1;
	entry->attributes.count = 0;
	json_init(&j, text, length);
	if (json_next(&j) != JSON_OBJECT)
		return wrong(ctx, &j, NULL, NULL);
	while ((type = json_next(&j)) == JSON_KEY) {
		m = find_member(&j);
		type = json_next(&j);
		if (m)
			why = take_value(&j, type, m, entry);
		else if (!json_skip(&j, type))
			why = "a value is wrong"; /* j.why has the reason */
		if (why)
			return wrong(ctx, &j, m, why);
	}
	if (type != JSON_CLOSE || json_next(&j) != JSON_END)
		return wrong(ctx, &j, NULL, NULL);
	if (!entry->path)
		return wrong(ctx, &j, NULL, "there is no path");
	if (entry->item.target)
		entry->item.target_length = strlen(entry->item.target);
	entry->item.has_links = entry->has_ino && entry->nlink > 1 && (entry->item.mode & MODE_TYPE) != MODE_DIR;
	if (!entry->item.target && /* further names of a symbolic link have none */
	    (entry->is_link || ((entry->item.mode & MODE_TYPE) == MODE_LNK && !entry->item.has_links)))
		return wrong(ctx, &j, NULL, "there is no target");
	return 0;
}
