/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encryption policies by words: "adiantum,v1,direct-key".
 */
#ifndef F2FSKIT_CLI_CRYPT_POLICY_H
#define F2FSKIT_CLI_CRYPT_POLICY_H

#include <f2fskit/key.h>

#define CLI_POLICY_WORDS                                                                                            \
	"aes-256 (AES-256-XTS and -CBC-CTS, the default), aes-256-hctr2 (names by HCTR2), aes-128 "                 \
	"(AES-128-CBC-ESSIV and -CBC-CTS), adiantum, sm4; v1, v2 (the default): the version; pad-4, pad-8, pad-16, " \
	"pad-32 (the default): bytes that names are padded to; direct-key, ino-lblk-64, ino-lblk-32: one key for "  \
	"all files, as the flags of that name; unit-512, unit-1024 and so on: bytes that are enciphered at once (a " \
	"block)"

/* Version 2, AES-256, names padded to 32 bytes, no key. */
void cli_policy_init(struct f2fs_policy *policy);
/* Change a policy by words, separated by commas, one of each kind but flags. Returns NULL, or an error text. */
const char *cli_policy_take(struct f2fs_policy *policy, const char *words);

#endif
