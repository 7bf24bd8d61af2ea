/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of an inode as the program of f2fs-tools shows them: names as stored, without the prefix that the
 * index stands for, so that clients find the encryption context (9, "c") and the verity attribute (11, "v").
 */
#include <stdio.h>
#include <string.h>

#include "dump/classic_xattr.h"
#include "dump/fields.h"
#include "dump/session.h"

enum { ADVISE_INDEX = 7, ENCRYPTION_INDEX = 9 };

/* ACLs as the kernel gives them: version, then tag, permissions and id of each entry. */
static void put_acl(const struct f2fs_xattr *x)
{
	for (size_t at = 4; at + 8 <= x->value_size; at += 8) {
		unsigned tag = x->value[at] | (unsigned)x->value[at + 1] << 8;
		unsigned perm = x->value[at + 2] | (unsigned)x->value[at + 3] << 8;
		uint32_t id = dump_word(x->value + at + 4);

		printf("tag:0x%x perm:0x%x", tag, perm);
		if (tag == 0x02)
			printf(" uid:%u", id);
		if (tag == 0x08)
			printf(" gid:%u", id);
		putchar('\n');
	}
}

static int is_acl(const struct f2fs_xattr *x)
{
	return x->name_index == 2 || x->name_index == 3;
}

/* Size as stored: ACL entries without an id are shorter there. */
static size_t stored_size(const struct f2fs_xattr *x)
{
	size_t size = 4;

	if (!is_acl(x))
		return x->value_size;
	for (size_t at = 4; at + 8 <= x->value_size; at += 8)
		size += x->value[at] == 0x02 || x->value[at] == 0x08 ? 8 : 4;
	return size;
}

static void put_hex(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%02X", bytes[i]);
	putchar('\n');
}

/* An encryption context of version 1 field by field, as the other program does; returns 0 for any other value. */
static int put_context(const struct f2fs_xattr *x)
{
	static const char *const labels[] = { "format: %u\n", "contents_encryption_mode: 0x%x\n",
					      "filenames_encryption_mode: 0x%x\n", "flags: 0x%x\n" };
	const struct f2fs_struct *type = dump_struct("fscrypt_v1");

	if (x->name_index != ENCRYPTION_INDEX || x->value_size != type->size || x->value[0] != 1)
		return 0;
	for (unsigned i = 0; i < 4; i++)
		printf(labels[i], x->value[i]);
	fputs("master_key_descriptor: ", stdout);
	put_hex(x->value + f2fs_field_find(type, "key_descriptor")->offset, 8);
	fputs("nonce: ", stdout);
	put_hex(x->value + f2fs_field_find(type, "nonce")->offset, 16);
	return 1;
}

/* Return the name as stored: the part after the prefix that the index stands for. */
static const char *stored_name(const struct f2fs_xattr *x)
{
	const char *end = strchr(x->name, '.');

	if (is_acl(x))
		return "";
	if (end && !strncmp(x->name, "f2fs.", 5)) /* an index that nobody knows: f2fs.INDEX.NAME */
		end = strchr(end + 1, '.');
	return end ? end + 1 : x->name;
}

static void put_xattr(const struct f2fs_xattr *x)
{
	const char *name = stored_name(x);
	char text[4 * 255 + 1];

	f2fs_text_printable(name, strlen(name), text, sizeof(text));
	printf("\nxattr: e_name_index:%u e_name:%s e_name_len:%zu e_value_size:%zu e_value:\n", x->name_index, text,
	       strlen(name), stored_size(x));
	if (is_acl(x))
		put_acl(x);
	else if (!put_context(x))
		put_hex(x->value, x->value_size);
}

void classic_xattrs(struct dump *d, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	struct f2fs_xattr x;
	int rc = f2fs_inode_open(d->vol, ino, &inode), count;

	if (rc) {
		dump_fail(d, rc, NULL);
		return;
	}
	count = f2fs_xattr_count(inode);
	if (count < 0)
		dump_fail(d, count, "extended attributes");
	for (int i = 0; i < count; i++) {
		rc = f2fs_xattr_at(inode, (unsigned)i, &x);
		if (rc)
			dump_fail(d, rc, "extended attribute");
		else if (x.name_index != ADVISE_INDEX) /* not stored, but made from i_advise */
			put_xattr(&x);
	}
	f2fs_inode_close(inode);
	putchar('\n');
}
