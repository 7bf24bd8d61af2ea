/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ioctls of fscrypt: add, remove and ask for keys; set and show the policies of directories.
 */
#include <f2fskit/key.h>
#include <linux/fscrypt.h>
#include <string.h>

#include "fuse/caller_memory.h"
#include "fuse/encryption.h"
#include "fuse/guard.h"
#include "fuse/ioctl.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

/* ---- keys ---- */

static int is_zero(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size > 0 && at[size - 1] == 0)
		size--;
	return size == 0;
}

/* The name of a key, which an argument gives. The length is 0 for one that is none. */
static const uint8_t *key_name(const struct fscrypt_key_specifier *spec, size_t *length)
{
	const uint8_t *bytes = (const uint8_t *)&spec->u;

	*length = spec->type == FSCRYPT_KEY_SPEC_TYPE_DESCRIPTOR   ? F2FS_KEY_DESCRIPTOR
		  : spec->type == FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER ? F2FS_KEY_IDENTIFIER
								   : 0;
	if (spec->__reserved != 0 || !is_zero(bytes + *length, sizeof(spec->u) - *length))
		*length = 0;
	return bytes;
}

/* The key follows the argument. */
static int fetch_key(struct ioctl_call *call)
{
	struct fscrypt_add_key_arg arg;

	memcpy(&arg, call->in, sizeof(arg));
	if (arg.key_id != 0 || arg.raw_size < F2FS_KEY_MIN || arg.raw_size > F2FS_KEY_MAX)
		return 0; /* add_key() refuses it */
	call->more_size = arg.raw_size;
	return caller_read(&call->caller, sizeof(arg), call->more, arg.raw_size);
}

static int add_key(struct ioctl_call *call)
{
	struct fscrypt_add_key_arg arg;
	struct f2fs_key key;
	const uint8_t *name;
	size_t length;
	int err;

	memcpy(&arg, call->in, sizeof(arg));
	name = key_name(&arg.key_spec, &length);
	if (!(f2fs_volume_geometry(call->m->vol)->feature & F2FS_FEAT_ENCRYPT))
		return F2FS_ERR_UNSUPPORTED;
	if (arg.key_id != 0) /* in a keyring of the kernel, which gives it to no program */
		return F2FS_ERR_UNSUPPORTED;
	if (length == 0 || call->more_size == 0 || !is_zero(arg.__reserved, sizeof(arg.__reserved)))
		return F2FS_ERR_INVALID;
	/* an identifier belongs to its key, and is the answer; a descriptor may be any */
	if (length == F2FS_KEY_IDENTIFIER)
		err = f2fs_volume_add_key(call->m->vol, call->more, call->more_size, NULL, 0, &key);
	else
		err = f2fs_volume_add_key(call->m->vol, call->more, call->more_size, name, length, &key);
	if (!err && length == F2FS_KEY_IDENTIFIER)
		memcpy(arg.key_spec.u.identifier, key.identifier, sizeof(key.identifier));
	memcpy(call->out, &arg, sizeof(arg));
	call->changes_keys = !err;
	return err;
}

/* Without a transaction, so that no change needs the key. */
static int remove_key(struct ioctl_call *call)
{
	struct fscrypt_remove_key_arg arg;
	const uint8_t *name;
	size_t length;
	int err;

	memcpy(&arg, call->in, sizeof(arg));
	name = key_name(&arg.key_spec, &length);
	if (length == 0 || !is_zero(arg.__reserved, sizeof(arg.__reserved)))
		return F2FS_ERR_INVALID;
	err = f2fs_volume_transaction(call->m->vol) == F2FS_TRANSACTION_NONE ? 0 : mount_checkpoint(call->m);
	if (!err)
		err = f2fs_volume_remove_key(call->m->vol, name, length);
	if (err == F2FS_ERR_NOT_FOUND)
		err = F2FS_ERR_ENCRYPTED; /* ENOKEY */
	arg.removal_status_flags = 0;
	memcpy(call->out, &arg, sizeof(arg));
	call->changes_keys = !err;
	return err;
}

static int get_key_status(struct ioctl_call *call)
{
	struct fscrypt_get_key_status_arg arg;
	const uint8_t *name;
	size_t length;

	memcpy(&arg, call->in, sizeof(arg));
	name = key_name(&arg.key_spec, &length);
	if (length == 0 || !is_zero(arg.__reserved, sizeof(arg.__reserved)))
		return F2FS_ERR_INVALID;
	arg.status = FSCRYPT_KEY_STATUS_ABSENT;
	arg.status_flags = arg.user_count = 0;
	if (encryption_has_key(call->m, name, length)) {
		arg.status = FSCRYPT_KEY_STATUS_PRESENT;
		arg.status_flags = length == F2FS_KEY_IDENTIFIER ? FSCRYPT_KEY_STATUS_FLAG_ADDED_BY_SELF : 0;
		arg.user_count = length == F2FS_KEY_IDENTIFIER;
	}
	memcpy(call->out, &arg, sizeof(arg));
	return 0;
}

/* ---- policies ---- */

static size_t policy_size(uint8_t version)
{
	return version == FSCRYPT_POLICY_V1   ? sizeof(struct fscrypt_policy_v1)
	       : version == FSCRYPT_POLICY_V2 ? sizeof(struct fscrypt_policy_v2)
					      : 0;
}

/* Write the policy of the inode as the kernel's structs have it. */
static int put_policy(struct ioctl_call *call, uint8_t *out, size_t *size)
{
	struct encryption_context context;
	int err = encryption_read(call->inode, &context);
	const uint8_t *raw = context.bytes;

	if (err)
		return err;
	/* a stored context is a policy and, after it, a nonce; versions 1 differ in their number */
	*size = policy_size(raw[0] == 1 ? FSCRYPT_POLICY_V1 : raw[0]);
	if (*size == 0 || context.size < *size)
		return F2FS_ERR_INVALID;
	memcpy(out, raw, *size);
	out[0] = raw[0] == 1 ? FSCRYPT_POLICY_V1 : raw[0];
	return 0;
}

static int fetch_policy(struct ioctl_call *call)
{
	int code = caller_read(&call->caller, 0, call->more, 1);

	call->more_size = policy_size(call->more[0]);
	if (code || call->more_size == 0) /* set_policy() refuses it */
		return code;
	return caller_read(&call->caller, 0, call->more, call->more_size);
}

static int take_policy(const uint8_t *bytes, struct f2fs_policy *out)
{
	struct fscrypt_policy_v1 one;
	struct fscrypt_policy_v2 two;

	*out = (struct f2fs_policy){ .version = 1 };
	if (bytes[0] == FSCRYPT_POLICY_V1) {
		memcpy(&one, bytes, sizeof(one));
		out->contents_mode = one.contents_encryption_mode;
		out->filenames_mode = one.filenames_encryption_mode;
		out->flags = one.flags;
		memcpy(out->key.descriptor, one.master_key_descriptor, sizeof(one.master_key_descriptor));
		return 0;
	}
	memcpy(&two, bytes, sizeof(two));
	out->version = 2;
	out->contents_mode = two.contents_encryption_mode;
	out->filenames_mode = two.filenames_encryption_mode;
	out->flags = two.flags;
	out->log_data_unit = two.__reserved[0]; /* its name in newer headers is log2_data_unit_size */
	memcpy(out->key.identifier, two.master_key_identifier, sizeof(two.master_key_identifier));
	return is_zero(two.__reserved + 1, sizeof(two.__reserved) - 1) ? 0 : F2FS_ERR_INVALID;
}

static int set_policy(struct ioctl_call *call)
{
	struct f2fs_policy policy;
	uint8_t there[sizeof(struct fscrypt_policy_v2)];
	size_t size;
	int err = call->more_size > 0 ? take_policy(call->more, &policy) : F2FS_ERR_INVALID;

	if (!err)
		err = f2fs_inode_encrypt(call->inode, &policy);
	if (err == F2FS_ERR_EXISTS && put_policy(call, there, &size) == 0 && size == call->more_size &&
	    !memcmp(there, call->more, size))
		return 0;
	if (!err)
		call->known->is_encrypted = 1;
	return err;
}

/* The argument names the room for a policy, which follows it; the answer its size. */
static int get_policy_ex(struct ioctl_call *call)
{
	uint64_t room;
	int err = put_policy(call, call->more + sizeof(room), &call->more_size);
	uint64_t size = call->more_size;

	memcpy(&room, call->in, sizeof(room));
	if (err)
		return err;
	if (room < size)
		return MOUNT_OVERFLOW;
	memcpy(call->more, &size, sizeof(size));
	call->more_size += sizeof(size);
	memcpy(call->out, call->more, call->out_size);
	return 0;
}

static int get_policy(struct ioctl_call *call)
{
	int err = put_policy(call, call->more, &call->more_size);

	return !err && call->more[0] != FSCRYPT_POLICY_V1 ? F2FS_ERR_INVALID : err;
}

static int deliver_policy(struct ioctl_call *call)
{
	return caller_write(&call->caller, 0, call->more, call->more_size);
}

static int get_nonce(struct ioctl_call *call)
{
	struct encryption_context context;
	int err = encryption_read(call->inode, &context);

	if (!err && context.size < call->out_size)
		return F2FS_ERR_INVALID;
	if (!err)
		memcpy(call->out, context.bytes + context.size - call->out_size, call->out_size);
	return err;
}

#define ADD_KEY_BYTES sizeof(struct fscrypt_add_key_arg)
#define REMOVE_KEY_BYTES sizeof(struct fscrypt_remove_key_arg)
#define STATUS_BYTES sizeof(struct fscrypt_get_key_status_arg)

const struct ioctl_kind ioctls_of_keys[] = {
	IOCTL_WITH_MEMORY(FS_IOC_ADD_ENCRYPTION_KEY, IOCTL_ADMIN, ADD_KEY_BYTES, ADD_KEY_BYTES, add_key,
	      fetch_key, NULL),
	IOCTL_WITH_MEMORY(FS_IOC_REMOVE_ENCRYPTION_KEY, IOCTL_ADMIN, REMOVE_KEY_BYTES, REMOVE_KEY_BYTES,
	      remove_key, encryption_forget, NULL),
	IOCTL_WITH_MEMORY(FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS, IOCTL_ADMIN, REMOVE_KEY_BYTES,
	      REMOVE_KEY_BYTES, remove_key, encryption_forget, NULL),
	IOCTL(FS_IOC_GET_ENCRYPTION_KEY_STATUS, 0, STATUS_BYTES, STATUS_BYTES, get_key_status),
	IOCTL_WITH_MEMORY(FS_IOC_SET_ENCRYPTION_POLICY, IOCTL_CHANGES | IOCTL_OWNER, 0, 0, set_policy,
	      fetch_policy, NULL),
	IOCTL_WITH_MEMORY(FS_IOC_GET_ENCRYPTION_POLICY, 0, 0, 0, get_policy, NULL, deliver_policy),
	IOCTL_WITH_MEMORY(FS_IOC_GET_ENCRYPTION_POLICY_EX, 0, 9, 9, get_policy_ex, NULL, deliver_policy),
	IOCTL(FS_IOC_GET_ENCRYPTION_NONCE, 0, 0, 16, get_nonce),
	{ 0 },
};
