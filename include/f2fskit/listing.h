/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listings: the names below a directory and their inodes as one table in memory, for hosts where a call per file costs
 * more than the file.
 */
#ifndef F2FSKIT_LISTING_H
#define F2FSKIT_LISTING_H

#include <f2fskit/file.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_listing;

/* Flags of f2fs_listing_read(). */
enum f2fs_listing_flag {
	F2FS_LISTING_FLAT = 1, /* the entries of the directory only, not those below them */
	/* also inodes in use in the NAT of the last commit that have no name below the directory. Has no effect on a
	 * view of the past, which has no NAT */
	F2FS_LISTING_UNNAMED = 2
};

/* Row number that stands for no row. */
#define F2FS_NO_ROW 0xFFFFFFFFu

/*
 * One name and its inode, in host byte order. Rows have the order of f2fs_walk(): row 0 is the directory itself,
 * parents come before children. An inode with several names has a row for each.
 */
struct f2fs_listing_row {
	struct f2fs_stat stat; /* only ino is set when the inode cannot be read */
	uint64_t name;	       /* offset of the name in the text; "" for row 0 and for inodes without a name */
	uint64_t position;     /* the kernel's directory position, see struct f2fs_dirent */
	uint32_t parent;       /* row of the directory; F2FS_NO_ROW for row 0 and for inodes without a name */
	uint32_t hash;	       /* of the name as stored */
	int32_t error;	       /* enum f2fs_error of opening the inode or reading the directory; 0 if all is well */
	uint32_t name_length;  /* bytes, without the NUL */
	uint32_t raw_length;   /* bytes of the name as stored; 0: the same as the name. It follows the name's NUL */
	uint8_t type;	       /* enum f2fs_file_type of the entry; 0 for row 0 and for inodes without a name */
	uint8_t reserved[3];   /* 0 */
};

/*
 * List everything below a directory, in one walk.
 *
 * start: the directory; it stays the caller's.
 * flags: enum f2fs_listing_flag.
 * out: the listing, to be freed with f2fs_listing_free() before the context.
 *
 * A damaged inode or directory does not make the call fail: its row has the error. Fails with INVALID (unknown flags;
 * an old version of a directory), STATE (a dead handle), CANCELED, NOMEM; with UNNAMED also when the NAT cannot be
 * read. A row takes some 180 bytes and its name.
 */
F2FS_API int f2fs_listing_read(struct f2fs_inode *start, unsigned flags, struct f2fs_listing **out);
/* Return the rows and their number; they stay until the listing is freed. */
F2FS_API const struct f2fs_listing_row *f2fs_listing_rows(const struct f2fs_listing *listing, size_t *count);
/* Return the text that rows refer to, and its length: each name with a NUL after it. */
F2FS_API const char *f2fs_listing_text(const struct f2fs_listing *listing, size_t *length);
/* Free a listing; NULL is allowed. */
F2FS_API void f2fs_listing_free(struct f2fs_listing *listing);

#ifdef __cplusplus
}
#endif
#endif
