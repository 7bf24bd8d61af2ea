/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands about the storage of contents: preallocation and pinning, fs-verity, and free space given back to the
 * device.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"
#include "edit/storage.h"
#include "edit/xattrs.h"

enum { INLINE_PIN_FILE = 0x40 };

int edit_on_each(struct edit *e, const struct edit_call *call,
		 int (*change)(struct edit *e, struct f2fs_inode *inode, const char *name, void *user), void *user)
{
	int rc = 0;

	for (int i = 0; i < call->count && !rc; i++) {
		struct f2fs_inode *inode;

		rc = edit_open(e, call->operands[i], F2FS_LOOKUP_FOLLOW, &inode);
		if (rc)
			return rc;
		rc = change(e, inode, call->operands[i], user);
		if (rc)
			rc = edit_fail(e, rc, call->operands[i]);
		f2fs_inode_close(inode);
	}
	return rc;
}

static int pin(struct edit *e, struct f2fs_inode *inode, const char *name, void *user)
{
	const struct f2fs_stat values = { .inline_flags = user ? 0 : INLINE_PIN_FILE };

	(void)e;
	(void)name;
	return f2fs_inode_set(inode, F2FS_SET_PIN, &values);
}

int do_pin(struct edit *e, const struct edit_call *call)
{
	return edit_on_each(e, call, pin, edit_has(call, 'u') ? e : NULL);
}

int do_fallocate(struct edit *e, const struct edit_call *call)
{
	static const struct {
		char letter;
		unsigned flags;
	} ways[] = { { 'd', F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE },
		     { 'c', F2FS_FALLOCATE_COLLAPSE_RANGE },
		     { 'i', F2FS_FALLOCATE_INSERT_RANGE },
		     { 'z', F2FS_FALLOCATE_ZERO_RANGE },
		     { 'k', F2FS_FALLOCATE_KEEP_SIZE } };
	const char *operand = call->operands[0], *why;
	struct f2fs_inode *inode;
	uint64_t offset, length;
	unsigned flags = 0;
	int rc;

	why = cli_parse_size(call->operands[1], 1, 512, &offset);
	if (why)
		return edit_usage(e, "offset", call->operands[1], why);
	why = cli_parse_size(call->operands[2], 1, 512, &length);
	if (why)
		return edit_usage(e, "length", call->operands[2], why);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		flags |= edit_has(call, ways[i].letter) ? ways[i].flags : 0;
	rc = edit_open(e, operand, F2FS_LOOKUP_FOLLOW, &inode);
	if (rc)
		return rc;
	rc = f2fs_fallocate(inode, flags, offset, length);
	rc = rc ? edit_fail(e, rc, operand) : edit_drop_capability(e, inode, operand);
	f2fs_inode_close(inode);
	return rc;
}

/* The bytes of a hexadecimal text; their number, -1 when it is none or has more than room. */
static int parse_hex(const char *text, uint8_t *out, size_t room)
{
	size_t n = strlen(text);

	if (n % 2 != 0 || n / 2 > room || strspn(text, "0123456789abcdefABCDEF") != n)
		return -1;
	for (size_t i = 0; i < n / 2; i++) {
		const char two[3] = { text[2 * i], text[2 * i + 1], '\0' };

		out[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return (int)(n / 2);
}

static int seal(struct edit *e, struct f2fs_inode *inode, const char *name, void *user)
{
	static const char *const names[] = { "", "sha256", "sha512" };
	char digest[2 * 64 + 1];
	struct f2fs_verity verity;
	struct cli_print *out;
	int rc = f2fs_verity_enable(inode, user);

	if (!rc)
		rc = f2fs_verity_get(inode, &verity);
	if (rc)
		return rc;
	for (unsigned i = 0; i < verity.digest_size; i++)
		snprintf(digest + (size_t)2 * i, 3, "%02x", verity.file_digest[i]);
	if (!e->is_json) {
		printf("%s:%s ", names[verity.hash_algorithm], digest);
		edit_put_name(name, strlen(name));
		putchar('\n');
		return 0;
	}
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_bytes(out, "name", name, strlen(name));
	cli_print_string(out, "algorithm", names[verity.hash_algorithm]);
	cli_print_string(out, "digest", digest);
	cli_print_end(out);
	return edit_print_close(e, out);
}

int do_seal(struct edit *e, const struct edit_call *call)
{
	struct f2fs_verity_params params = { F2FS_SIZED(f2fs_verity_params), .hash_algorithm = 1 };
	const char *why = NULL;
	uint8_t salt[32];
	uint64_t size = 0;
	int n = 0;

	if (edit_has(call, 'h') && strcmp(call->options['h'], "sha512") == 0)
		params.hash_algorithm = 2;
	else if (edit_has(call, 'h') && strcmp(call->options['h'], "sha256") != 0)
		return edit_usage(e, "seal -h", call->options['h'], "is neither sha256 nor sha512");
	if (edit_has(call, 'b'))
		why = cli_parse_size(call->options['b'], 1, 512, &size);
	if (why || size > 65536)
		return edit_usage(e, "seal -b", call->options['b'], why ? why : "is too large");
	if (edit_has(call, 's'))
		n = parse_hex(call->options['s'], salt, sizeof(salt));
	if (n < 0)
		return edit_usage(e, "seal -s", call->options['s'], "is not up to 32 bytes in hexadecimal");
	params.block_size = (uint32_t)size;
	params.salt = salt;
	params.salt_size = (size_t)n;
	return edit_on_each(e, call, seal, &params);
}

int do_trim(struct edit *e, const struct edit_call *call)
{
	struct cli_print *out;
	uint64_t bytes = 0;
	char text[24];
	int rc;

	(void)call;
	rc = edit_commit(e); /* blocks freed by it are trimmed, too */
	if (rc)
		return rc;
	rc = f2fs_volume_trim(e->vol, 0, &bytes);
	if (rc)
		return edit_fail(e, rc, "trim");
	if (!e->is_json) {
		printf("%s discarded\n", cli_format_size(bytes, text));
		return 0;
	}
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_u64(out, "discarded", bytes);
	cli_print_end(out);
	return edit_print_close(e, out);
}
