/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look up contexts and keys of encrypted inodes, and drop the cache of the kernel when keys change.
 */

#include <errno.h>
#include <f2fskit/key.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/encryption.h"
#include "fuse/ioctl.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

enum { NAME_INDEX = 9 /* of the attribute that stores a context */ };
enum { KEY_NAME_AT_V1 = 4, KEY_NAME_AT_V2 = 8 };

int encryption_read(struct f2fs_inode *inode, struct encryption_context *out)
{
	struct f2fs_xattr x;
	unsigned i = 0;
	int err;

	out->size = 0;
	while ((err = f2fs_xattr_at(inode, i++, &x)) == 0)
		if (x.name_index == NAME_INDEX && x.value_size > 0 && x.value_size <= sizeof(out->bytes)) {
			memcpy(out->bytes, x.value, x.value_size);
			out->size = x.value_size;
			return 0;
		}
	return err;
}

int encryption_has_key(struct mount *m, const uint8_t *name, size_t length)
{
	struct f2fs_key key;

	for (unsigned i = 0; f2fs_volume_key_at(m->vol, i, &key) == 0; i++)
		if (!memcmp(length == F2FS_KEY_DESCRIPTOR ? key.descriptor : key.identifier, name, length))
			return 1;
	return 0;
}

int encryption_hides_names(struct mount *m, const struct known *dir)
{
	struct encryption_context context;

	if (!dir->is_encrypted || !dir->inode || encryption_read(dir->inode, &context) != 0)
		return 0;
	if (context.bytes[0] == 1)
		return !encryption_has_key(m, context.bytes + KEY_NAME_AT_V1, F2FS_KEY_DESCRIPTOR);
	return !encryption_has_key(m, context.bytes + KEY_NAME_AT_V2, F2FS_KEY_IDENTIFIER);
}

/* List the encrypted inodes that the kernel knows; NULL: there is none, or no memory. */
static fuse_ino_t *list(struct mount *m, size_t *count)
{
	const struct known_table *t = &m->known;
	fuse_ino_t *numbers = malloc((t->count ? t->count : 1) * sizeof(*numbers));

	*count = 0;
	for (size_t i = 0; numbers && i < t->bucket_count; i++)
		for (const struct known *k = t->buckets[i]; k; k = k->next)
			if (k->is_encrypted)
				numbers[(*count)++] = known_number(m, k->space, k->ino);
	return numbers;
}

int encryption_forget(struct ioctl_call *call)
{
	struct mount *m = call->m;
	fuse_ino_t *numbers;
	size_t count;

	pthread_mutex_lock(&m->lock);
	numbers = list(m, &count);
	mount_leave(m);
	for (size_t i = 0; numbers && i < count; i++)
		fuse_lowlevel_notify_inval_inode(m->session, numbers[i], 0, 0);
	free(numbers);
	return numbers ? 0 : ENOMEM;
}
