/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command encrypt: directories get a policy of encryption, with a key of the option --key.
 */
#include <stdio.h>
#include <string.h>

#include "cli/crypt_policy.h"
#include "cli/hex.h"
#include "cli/keys.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/paths.h"

enum { PADDING_BITS = 3 }; /* of the flags of a policy */

/* -p N is the word pad-N. */
static const char *choose_padding(const char *text, struct f2fs_policy *policy)
{
	char word[16];

	if (strlen(text) > 2 || strchr(text, ','))
		return "is none of 4, 8, 16, 32";
	snprintf(word, sizeof(word), "pad-%s", text);
	return cli_policy_take(policy, word) ? "is none of 4, 8, 16, 32" : NULL;
}

/* Does a list of words have one that begins so? */
static int has_word(const char *words, const char *begin)
{
	for (const char *at = words; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (!strncmp(at, begin, strlen(begin)))
			return 1;
	return 0;
}

/* The key of that name, or the only one there is. */
static int choose_key(struct edit *e, const char *text, struct f2fs_policy *policy)
{
	uint8_t name[F2FS_KEY_IDENTIFIER];
	const size_t n = text ? strlen(text) / 2 : 0;
	struct f2fs_key key;
	const char *why;

	if (text && ((n != F2FS_KEY_IDENTIFIER && n != F2FS_KEY_DESCRIPTOR) || cli_parse_hex(text, 2 * n, name)))
		return edit_usage(e, "encrypt -k", text, "is neither an identifier nor a descriptor");
	for (unsigned i = 0; f2fs_volume_key_at(e->vol, i, &key) == 0; i++) {
		if (text && memcmp(n == F2FS_KEY_IDENTIFIER ? key.identifier : key.descriptor, name, n) != 0)
			continue;
		policy->key = key;
		if (text || f2fs_volume_key_at(e->vol, 1, &key) != 0)
			return 0;
		return edit_fail(e,
				 f2fs_context_fail(e->ctx, F2FS_ERR_INVALID, "several keys: choose one with -k"),
				 "encrypt");
	}
	why = text ? "-k names none of the keys that were given with --key" :
		     "needs the key for the directory: f2fs --key=FILE ...";
	return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_ENCRYPTED, why), "encrypt");
}

int do_encrypt(struct edit *e, const struct edit_call *call)
{
	struct f2fs_policy policy;
	const char *words = call->options['c'], *padding = call->options['p'], *why = NULL;
	unsigned given;
	int rc;

	cli_policy_init(&policy);
	if (words && (why = cli_policy_take(&policy, words)) != NULL)
		return edit_usage(e, "encrypt -c", words, why);
	given = policy.flags & PADDING_BITS;
	if (padding && (why = choose_padding(padding, &policy)) != NULL)
		return edit_usage(e, "encrypt -p", padding, why);
	if (padding && has_word(words, "pad-") && (policy.flags & PADDING_BITS) != given)
		return edit_usage(e, "encrypt -p", padding, "contradicts the padding of -c");
	if (edit_has(call, '1') && has_word(words, "v2"))
		return edit_usage(e, "encrypt -c", words, "has v2, which contradicts -1");
	if (edit_has(call, '1'))
		policy.version = 1;
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
