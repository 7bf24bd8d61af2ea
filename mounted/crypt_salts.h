/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The salts of one call: from words of the command line, and from the superblocks of mounted volumes.
 */
#ifndef F2FSKIT_MOUNTED_CRYPT_SALTS_H
#define F2FSKIT_MOUNTED_CRYPT_SALTS_H

#include "mounted/crypt_call.h"

/* Take the value of -S. Returns 0, or -1 after a message. */
int crypt_take_salt(struct crypt_call *call, const char *word);
/* Add the salt of the volume that a path is on. Returns 0, or -1 after a message. */
int crypt_add_volume(struct crypt_call *call, const char *path);
/* Add the salts of all mounted volumes that can be encrypted. Returns 0, or -1 after a message. */
int crypt_add_mounted(struct crypt_call *call);
/* Find the salt of the volume that a directory is on. Returns NULL after a message. */
const struct crypt_salt *crypt_salt_of(struct crypt_call *call, const char *path);

#endif
