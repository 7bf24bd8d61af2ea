/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passphrases, and keyrings of the kernel.
 */
#ifndef F2FSKIT_MOUNTED_CRYPT_KEYS_H
#define F2FSKIT_MOUNTED_CRYPT_KEYS_H

#include "mounted/crypt_call.h"

/* Ask for a passphrase on the standard input. Returns 0, or -1 after a message. The caller wipes it. */
int crypt_ask(struct crypt_call *call, char passphrase[F2FS_PASSPHRASE_MAX + 1], size_t *length);
/* Find the keyring of the call. Returns its number, or 0 after a message. */
int32_t crypt_keyring(const struct crypt_call *call);
/* Derive the key of a salt, and add it to a keyring unless it is there. Returns 0, or -1 after a message. */
int crypt_insert(struct crypt_call *call, int32_t keyring, struct crypt_salt *salt, const char *passphrase,
		 size_t length);
/* The command new_session. */
int crypt_new_session(struct crypt_call *call);

#endif
