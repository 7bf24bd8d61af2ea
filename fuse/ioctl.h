/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ioctls: a table of commands, and functions that serve them. The kernel copies as many bytes from and to the caller as
 * the number of a command says, which is right for commands without pointers, and for the two of fs-verity. Others read
 * and write the caller's memory themselves (caller_memory.h), before and after the request holds the lock.
 */
#ifndef F2FSKIT_FUSE_IOCTL_H
#define F2FSKIT_FUSE_IOCTL_H

#include "fuse/caller_memory.h"
#include "fuse/mount.h"

enum { IOCTL_BYTES = 512 };

/* One request, under the lock. */
struct ioctl_call {
	struct mount *m;
	struct known *known;
	struct f2fs_inode *inode;
	struct f2fs_stat st; /* of the inode, before the call */
	const uint8_t *in;   /* as long as the row of the table says, or longer */
	size_t in_size;
	uint8_t out[IOCTL_BYTES]; /* zeros before the call */
	size_t out_size;	  /* as the row says */
	size_t room;		  /* bytes that the caller takes */
	struct caller caller;
	uint8_t more[IOCTL_BYTES]; /* bytes that fetch() has read from the caller */
	size_t more_size;
	uid_t user;
	int changes_keys; /* the cache of the kernel has old data of encrypted files afterwards */
	int drops_writes; /* the same for files of atomic writes */
};

enum ioctl_need {
	IOCTL_CHANGES = 1, /* changes the volume */
	IOCTL_OWNER = 2,   /* for the owner of the file and the superuser */
	IOCTL_ADMIN = 4,   /* for the user who has mounted, and the superuser */
	IOCTL_REGULAR = 8  /* for regular files */
};

/* A row of the table. */
struct ioctl_kind {
	unsigned command;
	unsigned needs; /* enum ioctl_need */
	size_t in, out; /* bytes */
	int (*serve)(struct ioctl_call *call); /* returns an error of the library, or one of enum mount_error */
	/* Called without the lock, before and after that; an errno. NULL where the kernel's copies are enough. */
	int (*fetch)(struct ioctl_call *call);
	int (*deliver)(struct ioctl_call *call);
};

/* A row, and one of a command for which the kernel's copies are enough. */
#define IOCTL_WITH_MEMORY(command, needs, in, out, serve, fetch, deliver)                                             \
	{                                                                                                             \
		(unsigned)(command), (needs), (in), (out), (serve), (fetch), (deliver)                                \
	}
#define IOCTL(command, needs, in, out, serve) IOCTL_WITH_MEMORY(command, needs, in, out, serve, NULL, NULL)

/* Tables of the groups of commands; each ends with a row without a function. */
extern const struct ioctl_kind ioctls_of_flags[], ioctls_of_files[], ioctls_of_volumes[], ioctls_of_keys[],
	ioctls_of_atomic_files[];

#endif
