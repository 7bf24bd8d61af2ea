/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of f2fscrypt, and the text of descriptors.
 */
#include "mounted/crypt_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int crypt_fail(const struct crypt_call *call, const char *subject, const char *what)
{
	cli_error(call->cli, "%s %s: %s failed: %s", call->command, subject, what, strerror(errno));
	return -1;
}

int crypt_refuse(const struct crypt_call *call, const char *word, const char *why)
{
	cli_error(call->cli, "%s: '%s' %s (f2fscrypt help %s explains)", call->command, word, why, call->command);
	return -1;
}

const char *crypt_descriptor(const uint8_t descriptor[F2FS_KEY_DESCRIPTOR], char text[DESCRIPTOR_TEXT])
{
	for (unsigned i = 0; i < F2FS_KEY_DESCRIPTOR; i++)
		snprintf(text + (size_t)2 * i, 3, "%02x", descriptor[i]);
	return text;
}
