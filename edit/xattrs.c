/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/paths.h"
#include "edit/xattrs.h"

static int show_all(struct edit *e, struct f2fs_inode *inode, const char *operand)
{
	static const struct cli_column columns[] = { { "name", -32 }, { "size", 5 }, { "value", -1 } };
	int count = f2fs_xattr_count(inode), rc = 0, closed;
	struct cli_print *out;

	if (count < 0)
		return edit_fail(e, count, operand);
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_begin_table(out, "xattrs", columns, 3);
	for (int i = 0; !rc && i < count; i++) {
		struct f2fs_xattr x;

		rc = f2fs_xattr_at(inode, (unsigned)i, &x);
		if (rc) {
			edit_fail(e, rc, operand);
			break;
		}
		cli_print_begin(out, NULL);
		cli_print_bytes(out, "name", x.name, strlen(x.name));
		cli_print_u64(out, "size", x.value_size);
		cli_print_bytes(out, "value", x.value, x.value_size);
		cli_print_bool(out, "is_internal", x.is_internal);
		cli_print_end(out);
	}
	cli_print_end_array(out);
	cli_print_end(out);
	closed = edit_print_close(e, out);
	return rc ? rc : closed;
}

/* The value of one attribute: its bytes, nothing else. */
static int show_value(struct edit *e, const struct edit_call *call, const struct f2fs_xattr *x)
{
	struct cli_print *out;

	if (!e->is_json) {
		fwrite(x->value, 1, x->value_size, stdout);
		return 0;
	}
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_bytes(out, "path", call->operands[0], strlen(call->operands[0]));
	cli_print_bytes(out, "name", call->operands[1], strlen(call->operands[1]));
	cli_print_bytes(out, "value", x->value, x->value_size);
	cli_print_end(out);
	return edit_print_close(e, out);
}

int do_getfattr(struct edit *e, const struct edit_call *call)
{
	struct f2fs_inode *inode;
	struct f2fs_xattr x;
	int rc = edit_open(e, call->operands[0], edit_has(call, 'h') ? 0 : F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	if (call->count == 1) {
		rc = show_all(e, inode, call->operands[0]);
	} else {
		rc = f2fs_xattr_get(inode, call->operands[1], &x);
		if (rc)
			edit_fail(e, rc, call->operands[0]);
		else
			rc = show_value(e, call, &x);
	}
	f2fs_inode_close(inode);
	return rc;
}

int edit_drop_capability(struct edit *e, struct f2fs_inode *inode, const char *what)
{
	static const char name[] = "security.capability";
	struct f2fs_xattr x;
	int rc;

	if (f2fs_xattr_get(inode, name, &x) != 0)
		return 0; /* an unreadable capability gives no privilege */
	rc = f2fs_xattr_remove(inode, name);
	return rc ? edit_fail(e, rc, what) : 0;
}

static int digit64(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Decode digits of `bits` bits each, the highest first. Left-over bits at the end must be zero. */
static int decode(const char *text, unsigned bits, uint8_t *out, size_t *size)
{
	uint32_t held = 0;
	unsigned have = 0;

	for (*size = 0; *text && *text != '='; text++) {
		int digit = bits == 6					     ? digit64(*text)
			    : *text >= '0' && *text <= '9'		     ? *text - '0'
			    : (*text | 0x20) >= 'a' && (*text | 0x20) <= 'f' ? (*text | 0x20) - 'a' + 10
									     : -1;

		if (digit < 0)
			return -1;
		held = held << bits | (uint32_t)digit;
		have += bits;
		if (have >= 8) {
			have -= 8;
			out[(*size)++] = (uint8_t)(held >> have);
			held &= (1U << have) - 1;
		}
	}
	return held || (bits == 4 && (have || *text)) ? -1 : 0;
}

/* The bytes of a value as written; free them. NULL after a message. */
static uint8_t *parse_value(struct edit *e, const char *text, size_t *size)
{
	uint8_t *bytes = malloc(strlen(text) + 1);
	int is_hex = !strncmp(text, "0x", 2), is_base64 = !strncmp(text, "0s", 2);

	if (!bytes) {
		edit_no_memory(e);
	} else if (!is_hex && !is_base64) {
		*size = strlen(text);
		memcpy(bytes, text, *size + 1);
	} else if (decode(text + 2, is_hex ? 4 : 6, bytes, size)) {
		edit_usage(e, "setfattr", text, is_hex ? "is not hexadecimal" : "is not base64");
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

int do_setfattr(struct edit *e, const struct edit_call *call)
{
	const char *name = call->operands[1];
	struct f2fs_inode *inode;
	uint8_t *value = NULL;
	size_t size = 0;
	int rc;

	if (edit_has(call, 'x') && call->count == 3)
		return edit_usage(e, "setfattr", call->operands[2], "is not needed with -x");
	if (!edit_has(call, 'x')) {
		value = parse_value(e, call->count == 3 ? call->operands[2] : "", &size);
		if (!value)
			return F2FS_ERR_INVALID;
	}
	rc = edit_open(e, call->operands[0], edit_has(call, 'h') ? 0 : F2FS_LOOKUP_FOLLOW, &inode);
	if (!rc) {
		rc = value ? f2fs_xattr_set(inode, name, value, size) : f2fs_xattr_remove(inode, name);
		if (rc)
			edit_fail(e, rc, call->operands[0]);
		f2fs_inode_close(inode);
	}
	free(value);
	return rc;
}
