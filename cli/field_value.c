/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The value of a field, as its way to be shown says.
 */
#include "cli/field_value.h"

#include <string.h>

static void put_bytes(struct cli_print *out, const char *name, const struct f2fs_inject_value *v)
{
	char text[3 * 512 + 1];

	switch (v->field.show) {
	case F2FS_SHOW_UUID:
		cli_print_uuid(out, name, v->bytes);
		break;
	case F2FS_SHOW_TEXT:
		cli_print_bytes(out, name, v->bytes, strnlen((const char *)v->bytes, v->size));
		break;
	case F2FS_SHOW_UTF16:
		f2fs_text_from_utf16(v->bytes, v->size / 2, text, sizeof(text));
		cli_print_bytes(out, name, text, strlen(text));
		break;
	default:
		cli_print_digits(out, name, v->bytes, v->size);
	}
}

void cli_put_field(struct cli_print *out, const char *name, const struct f2fs_inject_value *v)
{
	const struct f2fs_flag *flags;
	unsigned count = 0;

	if (v->size) {
		put_bytes(out, name, v);
		return;
	}
	switch (v->field.show) {
	case F2FS_SHOW_HEX:
		cli_print_hex(out, name, v->number);
		break;
	case F2FS_SHOW_FLAGS:
		flags = f2fs_flags_find(v->field.name, &count);
		cli_print_flags(out, name, (uint32_t)v->number, flags, flags ? count : 0);
		break;
	case F2FS_SHOW_TIME:
		cli_print_time(out, name, (int64_t)v->number);
		break;
	case F2FS_SHOW_MODE:
		cli_print_octal(out, name, (uint32_t)v->number);
		break;
	default:
		if (v->field.type == F2FS_FIELD_S64)
			cli_print_s64(out, name, (int64_t)v->number);
		else
			cli_print_u64(out, name, v->number);
	}
}
