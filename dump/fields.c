/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print structures from the tables of the format. Fields, their form and the names of bits come from the library. Only
 * structures within a field are known here by name.
 */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "dump/fields.h"

const struct f2fs_struct *dump_struct(const char *name)
{
	const struct f2fs_struct *type = f2fs_struct_find(name);

	assert(type);
	return type;
}

uint32_t dump_word(const uint8_t *raw)
{
	return raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
}

uint64_t dump_get(const struct f2fs_struct *type, const uint8_t *raw, const char *field, uint32_t index)
{
	const struct f2fs_field *f = f2fs_field_find(type, field);

	assert(f);
	return f2fs_field_get(f, raw, index);
}

static size_t text_length(const uint8_t *bytes, size_t room)
{
	const uint8_t *end = memchr(bytes, 0, room);

	return end ? (size_t)(end - bytes) : room;
}

/* ---- plain fields ---- */

static void put_bytes(struct cli_print *out, const struct f2fs_field *f, const uint8_t *raw)
{
	const uint8_t *bytes = raw + f->offset;
	char text[3 * 512 + 1];

	switch (f->show) {
	case F2FS_SHOW_UUID:
		cli_print_uuid(out, f->name, bytes);
		break;
	case F2FS_SHOW_TEXT:
		cli_print_bytes(out, f->name, bytes, text_length(bytes, f->count));
		break;
	case F2FS_SHOW_UTF16:
		f2fs_text_from_utf16(bytes, f->count / 2, text, sizeof(text));
		cli_print_bytes(out, f->name, text, strlen(text));
		break;
	default:
		cli_print_digits(out, f->name, bytes, f->count);
	}
}

static void put_number(struct cli_print *out, const struct f2fs_field *f, const char *name, uint64_t value)
{
	const struct f2fs_flag *flags;
	unsigned count = 0;

	switch (f->show) {
	case F2FS_SHOW_HEX:
		cli_print_hex(out, name, value);
		break;
	case F2FS_SHOW_FLAGS:
		flags = f2fs_flags_find(f->name, &count);
		cli_print_flags(out, name, (uint32_t)value, flags, flags ? count : 0);
		break;
	case F2FS_SHOW_TIME:
		cli_print_time(out, name, (int64_t)value);
		break;
	case F2FS_SHOW_MODE:
		cli_print_octal(out, name, (uint32_t)value);
		break;
	default:
		if (f->type == F2FS_FIELD_S64)
			cli_print_s64(out, name, (int64_t)value);
		else
			cli_print_u64(out, name, value);
	}
}

/* ---- fields that hold structures ---- */

static void put_extensions(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw)
{
	const uint8_t *list = raw + f2fs_field_find(type, "extension_list")->offset;
	uint64_t count = dump_get(type, raw, "extension_count", 0) + dump_get(type, raw, "hot_ext_count", 0);

	cli_print_begin_array(out, "extension_list");
	for (unsigned i = 0; i < 64 && i < count; i++)
		cli_print_bytes(out, NULL, list + 8 * i, text_length(list + 8 * i, 8));
	cli_print_end_array(out);
}

static void put_devices(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw)
{
	const struct f2fs_struct *device = dump_struct("sb_device");
	const uint8_t *devs = raw + f2fs_field_find(type, "devs")->offset;

	cli_print_begin_array(out, "devs");
	for (unsigned i = 0; i < 8 && devs[i * device->size]; i++) {
		cli_print_begin(out, NULL);
		dump_fields(out, device, devs + i * device->size, device->size);
		cli_print_end(out);
	}
	cli_print_end_array(out);
}

/* Bits of the first four bytes, the lowest first. */
static void put_errors(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw)
{
	const struct f2fs_field *f = f2fs_field_find(type, "s_errors");
	const struct f2fs_field word = { f->name, f->offset, 1, F2FS_FIELD_U32, F2FS_SHOW_FLAGS, "" };

	put_number(out, &word, f->name, f2fs_field_get(&word, raw, 0));
	for (uint32_t i = 4; i < f->count; i++)
		if (raw[f->offset + i]) {
			cli_print_digits(out, "s_errors_all", raw + f->offset, f->count);
			break;
		}
}

/* The counters that are not zero, by name. */
static void put_stop_reasons(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw)
{
	const struct f2fs_field *f = f2fs_field_find(type, "s_stop_reason");
	unsigned named;
	const struct f2fs_flag *names = f2fs_flags_find(f->name, &named);

	cli_print_begin(out, f->name);
	for (unsigned i = 0; i < f->count; i++) {
		uint64_t count = f2fs_field_get(f, raw, i);
		char number[24];

		snprintf(number, sizeof(number), "reason_%u", i);
		if (count)
			cli_print_u64(out, i < named ? names[i].name : number, count);
	}
	cli_print_end(out);
}

static const struct {
	const char *structure, *field;
	void (*put)(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw);
} nested[] = {
	{ "superblock", "extension_list", put_extensions },
	{ "superblock", "devs", put_devices },
	{ "superblock", "s_errors", put_errors },
	{ "superblock", "s_stop_reason", put_stop_reasons },
};

static int put_nested(struct cli_print *out, const struct f2fs_struct *type, const struct f2fs_field *f,
		      const uint8_t *raw)
{
	for (size_t i = 0; i < sizeof(nested) / sizeof(nested[0]); i++)
		if (!strcmp(nested[i].structure, type->name) && !strcmp(nested[i].field, f->name)) {
			nested[i].put(out, type, raw);
			return 1;
		}
	return 0;
}

static void put_field(struct cli_print *out, const struct f2fs_struct *type, const struct f2fs_field *f,
		      const uint8_t *raw)
{
	if (put_nested(out, type, f, raw))
		return;
	if (f->type == F2FS_FIELD_BYTES) {
		put_bytes(out, f, raw);
	} else if (f->count == 1) {
		put_number(out, f, f->name, f2fs_field_get(f, raw, 0));
	} else {
		cli_print_begin_array(out, f->name);
		for (uint32_t i = 0; i < f->count; i++)
			put_number(out, f, NULL, f2fs_field_get(f, raw, i));
		cli_print_end_array(out);
	}
}

void dump_fields(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw, size_t size)
{
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct f2fs_field *f = &type->fields[i];

		if (f->offset + (size_t)f->count * f2fs_field_width(f) <= size)
			put_field(out, type, f, raw);
	}
}

/* ---- words ---- */

const char *dump_source_name(unsigned source)
{
	static const char *const names[] = { "copy0", "copy1", "journal", "scan" };

	return source < sizeof(names) / sizeof(names[0]) ? names[source] : "?";
}
