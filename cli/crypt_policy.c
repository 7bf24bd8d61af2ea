/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The words that make an encryption policy. Whether a kernel takes what comes of it, the library checks.
 */
#include "cli/crypt_policy.h"

#include <string.h>

enum { PADDING = 3 }; /* bits of the flags */

enum word_kind { CIPHERS, VERSION, PADS, FLAG, UNIT };

static const struct word {
	const char *name;
	enum word_kind kind;
	uint8_t value, names; /* names: the cipher of names */
} words[] = {
	{ "aes-256", CIPHERS, 1, 4 },  { "aes-256-hctr2", CIPHERS, 1, 10 }, { "aes-128", CIPHERS, 5, 6 },
	{ "adiantum", CIPHERS, 9, 9 }, { "sm4", CIPHERS, 7, 8 },	    { "v1", VERSION, 1, 0 },
	{ "v2", VERSION, 2, 0 },       { "pad-4", PADS, 0, 0 },		    { "pad-8", PADS, 1, 0 },
	{ "pad-16", PADS, 2, 0 },      { "pad-32", PADS, 3, 0 },	    { "direct-key", FLAG, 4, 0 },
	{ "ino-lblk-64", FLAG, 8, 0 }, { "ino-lblk-32", FLAG, 16, 0 },	    { "unit-512", UNIT, 9, 0 },
	{ "unit-1024", UNIT, 10, 0 },  { "unit-2048", UNIT, 11, 0 },	    { "unit-4096", UNIT, 12, 0 },
	{ "unit-8192", UNIT, 13, 0 },  { "unit-16384", UNIT, 14, 0 },
};

void cli_policy_init(struct f2fs_policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	policy->version = 2;
	policy->contents_mode = 1;
	policy->filenames_mode = 4;
	policy->flags = 3;
}

static void apply(struct f2fs_policy *policy, const struct word *word)
{
	switch (word->kind) {
	case CIPHERS:
		policy->contents_mode = word->value;
		policy->filenames_mode = word->names;
		break;
	case VERSION:
		policy->version = word->value;
		break;
	case PADS:
		policy->flags = (uint8_t)((policy->flags & ~PADDING) | word->value);
		break;
	case FLAG:
		policy->flags |= word->value;
		break;
	case UNIT:
		policy->log_data_unit = word->value;
		break;
	}
}

static const struct word *find(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == n && memcmp(words[i].name, name, n) == 0)
			return &words[i];
	return NULL;
}

const char *cli_policy_take(struct f2fs_policy *policy, const char *text)
{
	unsigned chosen = 0; /* bits: kinds of which a policy has one */

	for (;;) {
		const size_t n = strcspn(text, ",");
		const struct word *word = find(text, n);

		if (!word)
			return "has an unknown policy word (see the manual page)";
		if (word->kind != FLAG && chosen & 1u << word->kind)
			return "has two words for ciphers, version, padding or unit";
		chosen |= 1u << word->kind;
		apply(policy, word);
		if (!text[n])
			return NULL;
		text += n + 1;
	}
}
