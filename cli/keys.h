/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of encrypted files, from files and directories that options name (keys.def).
 */
#ifndef F2FSKIT_CLI_KEYS_H
#define F2FSKIT_CLI_KEYS_H

#include <f2fskit/key.h>

#include "cli/host.h"

enum { CLI_MAX_KEYS = 64 };

struct cli_keys {
	const char *paths[CLI_MAX_KEYS];
	unsigned char is_passphrase[CLI_MAX_KEYS];
	unsigned count;
};

/* Take the option for a key. Returns NULL, or an error text. */
const char *cli_keys_take(struct cli_keys *keys, const char *path);
/* The same for a file with a passphrase. */
const char *cli_keys_take_passphrase(struct cli_keys *keys, const char *path);
/* Add all keys to a volume. Returns 0, or a negative error after a message. */
int cli_keys_add(struct cli *cli, const struct cli_keys *keys, struct f2fs_context *ctx, struct f2fs_volume *vol);
/* Overwrite a secret. */
void cli_wipe(void *secret, size_t n);

#endif
