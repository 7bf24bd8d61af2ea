/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the wanted attributes of an inode.
 */
#include "sink/xattr.h"

#include <string.h>

#include "base/bytes.h"
#include "format/xattr.h"

/* Return the enum f2fs_keep bit of an attribute's class, 0 for one that cannot be set. */
static unsigned xattr_class(const struct f2fs_xattr *xattr)
{
	static const struct {
		const char *prefix;
		unsigned bit;
	} classes[] = {
		{ "user.", F2FS_KEEP_USER },
		{ "trusted.", F2FS_KEEP_TRUSTED },
		{ "security.", F2FS_KEEP_SECURITY },
		{ "system.posix_acl_", F2FS_KEEP_ACL },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strncmp(xattr->name, classes[i].prefix, strlen(classes[i].prefix)))
			return classes[i].bit;
	return 0;
}

bool sink_has_xattrs(const struct f2fs_inode *inode)
{
	const uint8_t *area = inode->block + inode->layout.xattr_offset;

	if (inode_i_xattr_nid(inode->block))
		return true;
	/* the kernel gives new files a header without entries: nothing is lost */
	return inode->layout.xattr_size >= xhead_SIZE + 4 && get_le32(area + xhead_SIZE);
}

int sink_xattr_next(struct sink *sink, struct f2fs_inode *inode, unsigned *index, struct f2fs_xattr *out, unsigned *bit)
{
	int err;

	if (*index == 0 && !sink_has_xattrs(inode))
		return F2FS_ERR_NO_ATTR;
	while ((err = f2fs_xattr_at(inode, (*index)++, out)) == 0) {
		*bit = xattr_class(out);
		if (!out->is_internal && sink_keeps(sink, *bit))
			return 0;
	}
	if (err == F2FS_ERR_NO_ATTR && (err = f2fs_xattr_count(inode)) >= 0)
		err = F2FS_ERR_NO_ATTR;
	return err;
}
