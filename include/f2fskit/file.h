/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read files: inodes, directories, contents, extents, extended attributes. They are as in the last checkpoint or, while
 * the volume is being changed (write.h), as in the running transaction. Names are bytes, as stored; in encrypted
 * directories without key the printable no-key form (FORMAT files 9.1).
 */
#ifndef F2FSKIT_FILE_H
#define F2FSKIT_FILE_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_inode;
struct f2fs_dir;

/* Room for the longest name returned: a no-key name of 255 bytes of ciphertext in printable form, and a NUL. */
#define F2FS_NAME_ROOM 260u

/* Open an inode by number. Fails with NOT_FOUND (free or not an inode), CORRUPT (with rule), IO. */
F2FS_API int f2fs_inode_open(struct f2fs_volume *vol, f2fs_nid_t ino, struct f2fs_inode **out);
/* Close an inode, and free it when its last name and handle are gone. NULL is allowed. */
F2FS_API void f2fs_inode_close(struct f2fs_inode *inode);
/* Return the inode number of a handle, also of a dead one. */
F2FS_API f2fs_nid_t f2fs_inode_number(const struct f2fs_inode *inode);
/* Return the volume that a handle was opened on. */
F2FS_API struct f2fs_volume *f2fs_inode_volume(const struct f2fs_inode *inode);
/*
 * Is the handle dead? A handle belongs to one inode, not to its number. It dies when a rollback (f2fs_volume_rollback()
 * of write.h) drops the changes that made the inode, and when a recovery frees the inode. Calls with a dead handle
 * fail with STATE, even if another inode has the number by then. Only closing and the handle's own number, volume, raw
 * block and address still work. After a rollback, handles of older inodes show them as the last checkpoint has them.
 */
F2FS_API int f2fs_inode_is_dead(const struct f2fs_inode *inode);
/*
 * Count how often removals and rollbacks have freed inode numbers since the volume was opened. As long as the count
 * stays the same, an inode number still belongs to the same inode.
 */
F2FS_API uint64_t f2fs_inode_numbers_freed(const struct f2fs_volume *vol);
/*
 * Return the raw inode block, one block long, as it was when the handle was last used; f2fs_inode_stat() brings it up
 * to date. It belongs to the handle and keeps its address until the handle is closed.
 */
F2FS_API const uint8_t *f2fs_inode_raw(const struct f2fs_inode *inode);

/* Is this an inode as it once was (f2fs_inode_open_at of forensics.h)? It reads like any other; changes are refused. */
F2FS_API int f2fs_inode_is_past(const struct f2fs_inode *inode);
/*
 * Return the block address that the inode was read from. If a running transaction has changed it, that is its earlier
 * address.
 */
F2FS_API f2fs_blk_t f2fs_inode_address(const struct f2fs_inode *inode);

/* A time since 1970, UTC. */
struct f2fs_time {
	int64_t seconds;      /* since 1970 */
	uint32_t nanoseconds; /* 0 to 999,999,999 */
};

/* File types in the mode of an inode (FORMAT files 2.1): POSIX numbers, whatever the host's are. */
enum f2fs_mode_type {
	F2FS_MODE_TYPE = 0170000, /* the bits of the type */
	F2FS_MODE_FIFO = 0010000,
	F2FS_MODE_CHR = 0020000,
	F2FS_MODE_DIR = 0040000,
	F2FS_MODE_BLK = 0060000,
	F2FS_MODE_REG = 0100000,
	F2FS_MODE_LNK = 0120000,
	F2FS_MODE_SOCK = 0140000
};

/* The numbers of stat(2), and more. */
struct f2fs_stat {
	f2fs_nid_t ino;		    /* inode number */
	uint32_t mode;		    /* enum f2fs_mode_type, and permissions as POSIX numbers */
	uint32_t nlink;		    /* number of names */
	uint32_t uid;		    /* user */
	uint32_t gid;		    /* group */
	uint32_t rdev_major;	    /* major number of a device */
	uint32_t rdev_minor;	    /* minor number of a device */
	uint32_t projid;	    /* project id; 0 without the feature */
	uint32_t flags;		    /* i_flags */
	uint32_t generation;	    /* random number of this use of the inode number */
	uint64_t size;		    /* bytes; of an encrypted symlink: of the target presented */
	uint64_t blocks;	    /* 512-byte units, as the kernel counts them */
	struct f2fs_time atime;	    /* last access */
	struct f2fs_time mtime;	    /* last change of the contents */
	struct f2fs_time ctime;	    /* last change of the inode */
	struct f2fs_time crtime;    /* creation */
	uint8_t has_crtime;	    /* crtime is stored */
	uint8_t advise;		    /* i_advise */
	uint8_t inline_flags;	    /* i_inline */
	uint8_t is_encrypted;	    /* contents and names are encrypted */
	uint8_t is_verity;	    /* fs-verity is enabled */
	uint8_t is_compressed;	    /* it may have compressed clusters */
	uint8_t is_casefold;	    /* directory that ignores the case of names */
	uint8_t is_inline;	    /* contents or entries are in the inode */
	uint8_t compress_algorithm; /* when is_compressed */
	uint8_t log_cluster_size;   /* when is_compressed: blocks of a cluster as a power of two */
};
/* Fill *out with the numbers of stat(2), and more. Fails with STATE (a dead handle), CORRUPT, IO, NOMEM. */
F2FS_API int f2fs_inode_stat(struct f2fs_inode *inode, struct f2fs_stat *out);

/*
 * Read up to length bytes of a file's contents from offset. *done gets the number of bytes read, less than length only
 * at the end of the file. Compressed clusters are decompressed, holes are zeros, verity metadata is not included. Fails
 * with IS_DIR, ENCRYPTED (the message names the policy), DAMAGED_DATA, UNSUPPORTED (the message names the algorithm
 * that is not built in), CORRUPT, IO.
 */
F2FS_API int f2fs_inode_read(struct f2fs_inode *inode, uint64_t offset, void *buffer, size_t length, size_t *done);
/* Digests of contents, for lists that other programs compare. */
enum f2fs_digest {
	F2FS_DIGEST_MD5 = 1,
	F2FS_DIGEST_SHA1 = 2,
	F2FS_DIGEST_SHA256 = 4,
	F2FS_DIGEST_SHA512 = 8,
	F2FS_DIGEST_ALL = 15
};
/* Digests of a file's contents. */
struct f2fs_digests {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t bytes;	      /* of contents, holes included */
	uint8_t md5[16];      /* zeros: not asked for */
	uint8_t sha1[20];     /* as md5 */
	uint8_t sha256[32];   /* as md5 */
	uint8_t sha512[64];   /* as md5 */
	uint32_t crc32;	      /* of zlib; always computed */
};
/* Can these (bits of enum f2fs_digest) be computed? All but SHA-256 need a library that is built with OpenSSL. */
F2FS_API int f2fs_digest_available(unsigned wanted);
/*
 * Compute digests of a regular file's contents in one pass; wanted: bits of enum f2fs_digest. Fails as
 * f2fs_inode_read(), with CANCELED (by the progress callback), and with UNSUPPORTED when one is not available.
 */
F2FS_API int f2fs_inode_digest(struct f2fs_inode *inode, unsigned wanted, struct f2fs_digests *out);
/* Digests of many files by several threads. */
struct f2fs_digest_queue;
/*
 * Open a queue for files of a volume. wanted: bits of enum f2fs_digest. threads: the caller's included, 0 for as many
 * as are useful; one is used if several may not read the device at once. The volume must not change while files wait.
 *
 * done takes the digests of a file, within the calls below, in the order in which files were added. tag: as it was
 * added. error: 0, or as f2fs_inode_digest() fails, recorded; CANCELED for files that are left when the queue ends.
 * digests are valid during the call. It returns 0, or an error that ends the queue. It may not add files.
 *
 * Fails with INVALID (no such digest), UNSUPPORTED (as f2fs_inode_digest()), NOMEM.
 */
F2FS_API int f2fs_digest_queue_open(struct f2fs_volume *vol, unsigned wanted, unsigned threads,
				    int (*done)(void *user, void *tag, int error, const struct f2fs_digests *digests),
				    void *user, struct f2fs_digest_queue **out);
/*
 * Add a file, which the caller may close then. tag is the caller's, for done. Fails with the error of done, CANCELED
 * (by the progress callback), INVALID (a file of another volume), STATE (a dead handle, or within done), CORRUPT, IO,
 * NOMEM; then this file was not added.
 */
F2FS_API int f2fs_digest_queue_add(struct f2fs_digest_queue *queue, struct f2fs_inode *inode, void *tag);
/* Wait for all files that were added. Fails as f2fs_digest_queue_add(); else the last error stays as it was. */
F2FS_API int f2fs_digest_queue_flush(struct f2fs_digest_queue *queue);
/* Close a queue, before its volume. done gets the files that are left. NULL is allowed. */
F2FS_API void f2fs_digest_queue_close(struct f2fs_digest_queue *queue);
/*
 * Read as f2fs_inode_read() does, but blocks as they are stored, also beyond the end of the file: verity metadata,
 * ciphertext. Blocks of compressed clusters are decompressed. Fails as f2fs_inode_read(), without ENCRYPTED.
 */
F2FS_API int f2fs_inode_read_raw(struct f2fs_inode *inode, uint64_t offset, void *buffer, size_t length, size_t *done);
/*
 * Read a symlink's target into buffer of size bytes, NUL-terminated; *length gets its length. Fails with WRONG_TYPE (no
 * symlink), RANGE (it does not fit; 4097 bytes always fit at 4 KiB blocks), CORRUPT, IO, NOMEM.
 */
F2FS_API int f2fs_inode_readlink(struct f2fs_inode *inode, char *buffer, size_t size, size_t *length);

/* Kinds of extents of a file. */
enum f2fs_extent_kind {
	F2FS_EXTENT_HOLE = 0,
	F2FS_EXTENT_DATA = 1,	  /* count blocks at addr */
	F2FS_EXTENT_RESERVED = 2, /* allocated, never written: zeros */
	F2FS_EXTENT_COMPRESSED =
		3, /* one cluster: count file blocks held by stored blocks at addr.. (not always consecutive) */
	F2FS_EXTENT_INLINE = 4, /* inside the inode */
	F2FS_EXTENT_WAITING = 5 /* written by the running transaction, still in memory: no place on the device yet */
};
/* A run of file blocks of one kind. */
struct f2fs_file_extent {
	uint64_t file_block; /* first file block */
	uint64_t count;	     /* file blocks */
	f2fs_blk_t addr;     /* DATA: first block; COMPRESSED: first stored block; else 0 */
	uint32_t stored;     /* COMPRESSED: blocks that hold the data */
	int kind;	     /* enum f2fs_extent_kind */
};
/*
 * Find the extent that holds a file block, from that block on; runs are as long as possible. Within a compressed
 * cluster it is the rest of the cluster, with the stored blocks of all of it. NOT_FOUND past the last block of size and
 * tree.
 */
F2FS_API int f2fs_inode_extent(struct f2fs_inode *inode, uint64_t file_block, struct f2fs_file_extent *out);
/*
 * Get the block address of one file block from its slot: 0 for a hole, F2FS_NEW_ADDR, or F2FS_COMPRESS_ADDR. For a
 * block that waits in memory it is F2FS_NEW_ADDR. Fails with STATE (a dead handle), TOO_BIG, CORRUPT, IO.
 */
F2FS_API int f2fs_inode_block(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t *addr);
/* A node of a file. */
struct f2fs_node_info {
	f2fs_nid_t nid;	      /* node id */
	f2fs_blk_t addr;      /* block address */
	uint32_t node_offset; /* FORMAT files 1.4; 0x1FFFFFFF for the xattr node */
};
/*
 * Call visit for each node of the file: the inode first, then by place in the tree, the xattr node last. visit returns
 * 0 or a negative error that ends the run. Fails with that, STATE (a dead handle), CORRUPT, IO.
 */
F2FS_API int f2fs_inode_list_nodes(struct f2fs_inode *inode,
				   int (*visit)(void *user, const struct f2fs_node_info *node), void *user);

/* File types of directory entries (FORMAT files 5.1). */
enum f2fs_file_type {
	F2FS_TYPE_UNKNOWN = 0,
	F2FS_TYPE_REGULAR = 1,
	F2FS_TYPE_DIRECTORY = 2,
	F2FS_TYPE_CHARACTER = 3,
	F2FS_TYPE_BLOCK = 4,
	F2FS_TYPE_FIFO = 5,
	F2FS_TYPE_SOCKET = 6,
	F2FS_TYPE_SYMLINK = 7
};
/* Return the type of a mode (enum f2fs_file_type), F2FS_TYPE_UNKNOWN if it has none. */
F2FS_API unsigned f2fs_type_of_mode(uint32_t mode);
/* Return the bits of a type in a mode (enum f2fs_mode_type), 0 for a number that is no type. */
F2FS_API uint32_t f2fs_mode_of_type(unsigned type);
/* An entry of a directory (FORMAT files 5.1). */
struct f2fs_dirent {
	f2fs_nid_t ino;		   /* inode number */
	uint32_t hash;		   /* of the name as stored (FORMAT files 5.7, 5.8) */
	uint64_t position;	   /* block * entries per block + slot: the kernel's directory position */
	uint16_t name_len;	   /* of name */
	uint16_t raw_len;	   /* of raw_name */
	uint8_t type;		   /* enum f2fs_file_type */
	char name[F2FS_NAME_ROOM]; /* as presented, NUL-terminated; may hold any byte but NUL and slash */
	uint8_t raw_name[256];	   /* as stored: ciphertext in encrypted directories */
};
/*
 * Open a directory for reading in the kernel's order. The inode must stay open until the directory reader is closed.
 * The directory may be changed meanwhile. A name that stays in it is returned exactly once, one that is added or
 * removed meanwhile may be returned or not. Fails with NOT_DIR, STATE (a dead handle), NOMEM.
 */
F2FS_API int f2fs_dir_open(struct f2fs_inode *inode, struct f2fs_dir **out);
/*
 * Get the next entry, "." and ".." included; NOT_FOUND after the last. A damaged entry fails with CORRUPT, and the next
 * call continues after it.
 */
F2FS_API int f2fs_dir_next(struct f2fs_dir *dir, struct f2fs_dirent *out);
/*
 * Continue with the first entry whose position (struct f2fs_dirent) is at least that; 0: from the start. A name keeps
 * its position as long as it is in the directory. So position + 1 of the last entry is a bookmark that stays valid
 * across changes and handles. The directory is read as it is now. Fails with NOT_DIR, STATE (a dead handle), CORRUPT,
 * IO.
 */
F2FS_API int f2fs_dir_seek(struct f2fs_dir *dir, uint64_t position);
/* Close a reader of a directory. NULL is allowed. */
F2FS_API void f2fs_dir_close(struct f2fs_dir *dir);

/*
 * Look up one name (bytes, as presented) in a directory, by hash as the kernel does. Fails with ENCRYPTED in an
 * encrypted directory without key, if the name is not in the no-key form.
 */
F2FS_API int f2fs_dir_lookup(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out);
/* Flags of f2fs_lookup(). */
enum f2fs_lookup_flag { F2FS_LOOKUP_FOLLOW = 1 /* follow a symlink in the last component */ };
/* Open the inode of a path from the root; symlinks in the middle are followed within the volume. Fails as
 * f2fs_dir_lookup() does. */
F2FS_API int f2fs_lookup(struct f2fs_volume *vol, const char *path, unsigned flags, struct f2fs_inode **out);
/* Find a path of an inode by its parents (i_pino, i_name; checked against the directories); NOT_FOUND for orphans. */
F2FS_API int f2fs_inode_path(struct f2fs_inode *inode, char *buffer, size_t size);

/* One extended attribute: full name ("user.color"), value as getxattr(2) gives it (ACLs in their system call form). */
struct f2fs_xattr {
	const char *name;     /* NUL-terminated */
	const uint8_t *value; /* not NUL-terminated */
	size_t value_size;    /* bytes */
	uint8_t name_index;   /* as stored */
	uint8_t is_internal; /* not shown by listxattr(2): encryption context, verity descriptor location, system.advise
			      */
};
/*
 * Return the number of extended attributes, internal ones included. Fails with a negative error: STATE (a dead handle),
 * CORRUPT, IO, NOMEM.
 */
F2FS_API int f2fs_xattr_count(struct f2fs_inode *inode);
/*
 * Get attribute number index; its pointers stay valid until the inode is closed or changed. Fails with NO_ATTR past the
 * last, and as f2fs_xattr_count().
 */
F2FS_API int f2fs_xattr_at(struct f2fs_inode *inode, unsigned index, struct f2fs_xattr *out);
/* Get an attribute by full name; NO_ATTR when there is none. */
F2FS_API int f2fs_xattr_get(struct f2fs_inode *inode, const char *name, struct f2fs_xattr *out);

/* fs-verity parameters of a file (FORMAT files 9.2); NO_ATTR when verity is not enabled. */
struct f2fs_verity {
	uint8_t hash_algorithm;	    /* 1 SHA-256, 2 SHA-512 */
	uint8_t digest_size;	    /* bytes of a digest */
	uint8_t salt_size;	    /* bytes of the salt */
	uint32_t block_size;	    /* of the tree, bytes */
	uint8_t root_hash[64];	    /* of the tree; the first digest_size bytes */
	uint8_t salt[32];	    /* the first salt_size bytes */
	uint8_t file_digest[64];    /* what FS_IOC_MEASURE_VERITY gives */
	uint64_t tree_offset;	    /* byte of the file, past its end, where the tree begins */
	uint64_t tree_size;	    /* bytes of the tree */
	uint64_t descriptor_offset; /* byte of the file where the descriptor begins */
	uint32_t signature_size;    /* bytes; 0: not signed */
};
/* Get the fs-verity parameters of a file. Fails with NO_ATTR (verity is not enabled), CORRUPT, IO, NOMEM. */
F2FS_API int f2fs_verity_get(struct f2fs_inode *inode, struct f2fs_verity *out);
/* Check the file's contents against its Merkle tree; CORRUPT (rule VERITY_DIGEST) names the first block that differs.
 */
F2FS_API int f2fs_verity_verify(struct f2fs_inode *inode);

/* One entry, as f2fs_walk() reports it. */
struct f2fs_walk_entry {
	const char *path; /* from the start, "" for the start itself; components are names as presented */
	const struct f2fs_dirent *dirent; /* NULL for the start */
	struct f2fs_inode *inode;	  /* NULL when it could not be opened */
	unsigned depth;			  /* 0 for the start */
	int error;			  /* error of opening the inode or reading the directory; 0 if all is well */
	uint8_t is_last;		  /* no further entry in its directory */
	size_t path_length;		  /* bytes of path, which may be long */
	size_t parent_length;		  /* of them the path of its directory, before "/name"; 0 without dirent */
};
/* How f2fs_walk() continues after an entry. */
enum f2fs_walk_action { F2FS_WALK_GO = 0, F2FS_WALK_SKIP = 1 /* do not descend */, F2FS_WALK_STOP = 2 };
/*
 * Visit a tree in directory order, parents before children. Damage is reported to visit and the walk continues. visit
 * returns an enum f2fs_walk_action or a negative error that ends the walk. No recursion; directory loops are reported,
 * not followed. There may be as many levels as the volume has inodes. A level takes some 64 bytes and its name, and the
 * deepest 32 are open. Each directory that was entered takes 8 to 16 bytes.
 */
F2FS_API int f2fs_walk(struct f2fs_inode *start, int (*visit)(void *user, const struct f2fs_walk_entry *entry),
		       void *user);

/* One entry of a quota file. */
struct f2fs_quota {
	uint32_t id;		 /* user, group or project */
	uint64_t space_bytes;	 /* space in use */
	uint64_t space_hard_kib; /* limit of space; 0: none */
	uint64_t space_soft_kib; /* limit that may be exceeded for the time of grace; 0: none */
	uint64_t inodes;	 /* inodes in use */
	uint64_t inodes_hard;	 /* limit of inodes; 0: none */
	uint64_t inodes_soft;	 /* limit that may be exceeded for the time of grace; 0: none */
	uint64_t space_grace;	 /* end of grace, seconds since 1970; 0: none */
	uint64_t inode_grace;	 /* end of grace, seconds since 1970; 0: none */
};
/* Call visit for each entry of the quota file of kind 0 user, 1 group, 2 project; NOT_FOUND when the volume has none.
 */
F2FS_API int f2fs_quota_list(struct f2fs_volume *vol, unsigned kind,
			     int (*visit)(void *user, const struct f2fs_quota *quota), void *user);

#ifdef __cplusplus
}
#endif
#endif
