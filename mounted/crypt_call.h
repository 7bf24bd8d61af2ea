/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One call of a command of f2fscrypt: values of options, and operands. A function prints its lines and returns 0, or
 * -1 after a message.
 */
#ifndef F2FSKIT_MOUNTED_CRYPT_CALL_H
#define F2FSKIT_MOUNTED_CRYPT_CALL_H

#include <f2fskit/key.h>

#include "cli/host.h"

enum { CRYPT_SALTS = 64, DESCRIPTOR_TEXT = 2 * F2FS_KEY_DESCRIPTOR + 1 };

/* A salt, and the key that it makes of the passphrase. */
struct crypt_salt {
	uint8_t bytes[F2FS_SALT_MAX];
	size_t length;
	uint8_t key[F2FS_KEY_MAX];
	uint8_t descriptor[F2FS_KEY_DESCRIPTOR];
};

struct crypt_call {
	struct cli *cli;
	const char *command;
	char **words; /* operands */
	int count;
	const char *keyring; /* NULL: the default one */
	uint64_t padding;    /* of names, in bytes */
	int is_verbose, is_quiet;
	struct crypt_salt salts[CRYPT_SALTS];
	unsigned salt_count;
};

/* Write a message about errno: command, subject, the part that failed, cause. Returns -1. */
int crypt_fail(const struct crypt_call *call, const char *subject, const char *what);
/* Write a message about a word of the command line. Returns -1. */
int crypt_refuse(const struct crypt_call *call, const char *word, const char *why);
/* Write a descriptor as text. Returns text. */
const char *crypt_descriptor(const uint8_t descriptor[F2FS_KEY_DESCRIPTOR], char text[DESCRIPTOR_TEXT]);

#endif
