/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fs-verity: the parameters of a file, and its contents held against them.
 */
#include <string.h>

#include "dump/session.h"
#include "dump/views.h"

int view_verity(struct dump *d, const char *argument)
{
	struct f2fs_inode *inode;
	struct f2fs_verity v;
	int rc = dump_open_inode(d, argument, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	rc = f2fs_verity_get(inode, &v);
	f2fs_inode_close(inode);
	if (rc)
		return dump_fail(d, rc, argument);
	cli_print_string(d->out, "hash_algorithm", v.hash_algorithm == 1 ? "sha256" : "sha512");
	cli_print_u64(d->out, "block_size", v.block_size);
	cli_print_digits(d->out, "salt", v.salt, v.salt_size);
	cli_print_digits(d->out, "root_hash", v.root_hash, v.digest_size);
	cli_print_digits(d->out, "file_digest", v.file_digest, v.digest_size);
	cli_print_u64(d->out, "tree_offset", v.tree_offset);
	cli_print_u64(d->out, "tree_size", v.tree_size);
	cli_print_u64(d->out, "descriptor_offset", v.descriptor_offset);
	cli_print_u64(d->out, "signature_size", v.signature_size);
	return 0;
}

int view_verify(struct dump *d, const char *argument)
{
	struct f2fs_inode *inode;
	int rc = dump_open_inode(d, argument, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	rc = f2fs_verity_verify(inode);
	f2fs_inode_close(inode);
	if (rc)
		dump_fail(d, rc, argument);
	cli_print_bytes(d->out, "path", argument, strlen(argument));
	cli_print_bool(d->out, "is_intact", rc == 0);
	return rc;
}
