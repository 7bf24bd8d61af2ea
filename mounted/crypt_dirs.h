/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of f2fscrypt on directories, which the table of commands names.
 */
#ifndef F2FSKIT_MOUNTED_CRYPT_DIRS_H
#define F2FSKIT_MOUNTED_CRYPT_DIRS_H

#include "mounted/crypt_call.h"

int crypt_add_key(struct crypt_call *call);
int crypt_get_policy(struct crypt_call *call);
int crypt_set_policy(struct crypt_call *call);

#endif
