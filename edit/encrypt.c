/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command encrypt: directories get a policy of encryption, with a key of the option --key.
 */
#include <string.h>

#include "cli/keys.h"
#include "edit/edit.h"

/* Ciphers of contents and names that go together, by the name of the pair. */
static const struct {
	const char *name;
	uint8_t contents, names;
} pairs[] = {
	{ "aes-256", 1, 4 }, { "aes-256-hctr2", 1, 10 }, { "aes-128", 5, 6 }, { "adiantum", 9, 9 }, { "sm4", 7, 8 },
};

static const char *choose_ciphers(const char *name, struct f2fs_policy *policy)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (strcmp(pairs[i].name, name) != 0)
			continue;
		policy->contents_mode = pairs[i].contents;
		policy->filenames_mode = pairs[i].names;
		return NULL;
	}
	return "is none of aes-256, aes-256-hctr2, aes-128, adiantum, sm4";
}

static const char *choose_padding(const char *text, struct f2fs_policy *policy)
{
	static const char *const paddings[] = { "4", "8", "16", "32" };

	for (uint8_t i = 0; i < 4; i++) {
		if (strcmp(paddings[i], text) != 0)
			continue;
		policy->flags = i;
		return NULL;
	}
	return "is none of 4, 8, 16, 32";
}

/* The key of that name, or the only one there is. */
static int choose_key(struct edit *e, const char *text, struct f2fs_policy *policy)
{
	uint8_t name[F2FS_KEY_IDENTIFIER];
	const size_t n = text ? strlen(text) / 2 : 0;
	struct f2fs_key key;

	if (text && ((n != F2FS_KEY_IDENTIFIER && n != F2FS_KEY_DESCRIPTOR) || cli_parse_hex(text, 2 * n, name)))
		return edit_usage(e, "-k", text, "is neither an identifier nor a descriptor");
	for (unsigned i = 0; f2fs_volume_key_at(e->vol, i, &key) == 0; i++) {
		if (text && memcmp(n == F2FS_KEY_IDENTIFIER ? key.identifier : key.descriptor, name, n) != 0)
			continue;
		policy->key = key;
		if (text || f2fs_volume_key_at(e->vol, 1, &key) != 0)
			return 0;
		return edit_usage(e, "encrypt", NULL, "there are several keys: -k says which");
	}
	return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_ENCRYPTED, "no such key was given with --key"),
			 "encrypt");
}

int do_encrypt(struct edit *e, const struct edit_call *call)
{
	struct f2fs_policy policy = { .version = 2, .contents_mode = 1, .filenames_mode = 4, .flags = 3 };
	const char *ciphers = call->options['c'], *padding = call->options['p'], *why = NULL;
	int rc;

	if (ciphers && (why = choose_ciphers(ciphers, &policy)) != NULL)
		return edit_usage(e, "-c", ciphers, why);
	if (padding && (why = choose_padding(padding, &policy)) != NULL)
		return edit_usage(e, "-p", padding, why);
	policy.version = edit_has(call, '1') ? 1 : 2;
	rc = choose_key(e, call->options['k'], &policy);
	for (int i = 0; !rc && i < call->count; i++) {
		struct f2fs_inode *dir;

		rc = edit_open(e, call->operands[i], 0, &dir);
		if (rc)
			break;
		rc = f2fs_inode_encrypt(dir, &policy);
		if (rc)
			rc = edit_fail(e, rc, call->operands[i]);
		f2fs_inode_close(dir);
	}
	return rc;
}
