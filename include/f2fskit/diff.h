/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare a volume with another volume, a directory of the host, a tar archive or a manifest. The result lists added
 * and removed files, and changes in contents, metadata or place. Contents are compared byte by byte, holes count as
 * zeros.
 *
 * Memory: two megabytes, 16 bytes for each entry of the volume that the other side has, and eight for each directory.
 * For an archive also the memory named in populate.h.
 */
#ifndef F2FSKIT_DIFF_H
#define F2FSKIT_DIFF_H

#include <f2fskit/populate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of differences. */
enum f2fs_diff_kind {
	F2FS_DIFF_ADDED = 1,   /* only the other side has it */
	F2FS_DIFF_REMOVED = 2, /* only the volume has it */
	F2FS_DIFF_CHANGED = 3, /* both have it, and it differs */
	/* one side could not be read: neither it nor anything in it was compared */
	F2FS_DIFF_UNREADABLE = 4
};

/* Fields that changed. When the type differs, only TYPE is set. */
enum f2fs_diff_field {
	F2FS_DIFF_TYPE = 0x1,	    /* file, directory, link, ... */
	F2FS_DIFF_CONTENTS = 0x2,   /* of a regular file */
	F2FS_DIFF_TARGET = 0x4,	    /* of a symbolic link */
	F2FS_DIFF_DEVICE = 0x8,	    /* number of a device */
	F2FS_DIFF_MODE = 0x10,	    /* permissions */
	F2FS_DIFF_OWNER = 0x20,	    /* user or group */
	F2FS_DIFF_SIZE = 0x40,	    /* of a regular file */
	F2FS_DIFF_MTIME = 0x80,	    /* time of modification */
	F2FS_DIFF_LINKS = 0x100,    /* number of names, or which names belong to one file */
	F2FS_DIFF_XATTRS = 0x200,   /* attributes user.*, trusted.*, security.*, and ACLs */
	F2FS_DIFF_FLAGS = 0x400,    /* append-only, immutable, ...; between volumes all */
	F2FS_DIFF_PROJECT = 0x800,  /* project id */
	F2FS_DIFF_LAYOUT = 0x1000,  /* between volumes: the blocks of a regular file or directory are at other
				     * addresses */
	F2FS_DIFF_DEFAULT = 0x0FFF, /* all but the layout */
	F2FS_DIFF_ALL = 0x1FFF
};
/* Return the name of one bit of enum f2fs_diff_field ("contents", "mode"); NULL for other numbers. */
F2FS_API const char *f2fs_diff_field_name(unsigned field);

/*
 * Values of an entry of the other side. An archive cannot be asked for them later. Members whose field is not in known
 * are 0.
 */
struct f2fs_diff_side {
	unsigned known;	     /* enum f2fs_diff_field that the members below have */
	uint32_t mode;	     /* TYPE: the type; MODE: the permissions, too */
	uint32_t uid;	     /* OWNER */
	uint32_t gid;	     /* OWNER */
	uint32_t rdev_major; /* DEVICE */
	uint32_t rdev_minor; /* DEVICE */
	uint32_t nlink;	     /* LINKS: number of names; 0: see link */
	uint32_t flags;	     /* FLAGS */
	uint32_t projid;     /* PROJECT */
	uint64_t size;	     /* SIZE, in bytes */
	struct f2fs_time mtime; /* MTIME */
	const char *link;   /* LINKS: path below the top of the file that this is a further name of; NULL: none */
	const char *target; /* TARGET; not NUL-terminated */
	size_t target_length; /* bytes of target */
	/* XATTRS: for each attribute the length of the value in 4 bytes, little-endian, the name with its NUL, the
	 * value. Entries that only the other side has do not have it, nor TARGET. */
	const uint8_t *xattrs;
	size_t xattrs_length; /* bytes of xattrs */
};

/* A difference. Pointers are valid until the call returns. */
struct f2fs_difference {
	const char *path; /* "/a/b"; bytes as presented, NUL-terminated */
	int kind;	  /* enum f2fs_diff_kind */
	unsigned fields;  /* enum f2fs_diff_field; of CHANGED */
	uint8_t type;	  /* enum f2fs_file_type; of CHANGED that of the other side, of UNREADABLE unknown */
	const struct f2fs_error_detail *detail; /* of UNREADABLE: why; else NULL */
	const struct f2fs_diff_side *other; /* of ADDED and CHANGED: values of the other side; else NULL */
};

/* Options of f2fs_diff; begin it with F2FS_SIZED. */
struct f2fs_diff_options {
	uint32_t struct_size; /* F2FS_SIZED */
	/* The other side, one of these. A manifest may have a directory of contents with it; without one, and without
	 * a whole path as "source" in its lines, only sizes of files are compared. */
	struct f2fs_volume *volume;	   /* of this context or another one, which must not be used meanwhile */
	const char *directory;		   /* directory of the host; with manifest: of the contents */
	const struct f2fs_input *tar;	   /* a tar archive */
	const struct f2fs_input *manifest; /* lines as f2fs_extract() writes them */
	unsigned fields; /* enum f2fs_diff_field that are compared, as far as the other side knows them; 0: DEFAULT */
	/* Patterns as in struct f2fs_extract_options. */
	const char *const *include;
	unsigned include_count;	    /* length of include */
	const char *const *exclude; /* patterns of paths to leave out */
	unsigned exclude_count;	    /* length of exclude */
	/* Called for each difference, in the other side's order, then for each removed file; non-zero: stop (CANCELED).
	 * It may not call into the library with the same contexts. May be NULL. */
	int (*visit)(void *user, const struct f2fs_difference *difference);
	void *user; /* passed to visit */
};

/* Numbers of a comparison; begin it with F2FS_SIZED. */
struct f2fs_diff_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t compared;    /* entries that both have */
	uint64_t added;	      /* only the other side has them */
	uint64_t removed;     /* only the volume has them */
	uint64_t changed;     /* both have them, and they differ */
	uint64_t unreadable;  /* could not be compared */
	uint64_t bytes;	      /* of contents compared, without holes */
};

/*
 * Compare the volume with the other side; nothing is written. Returns 0 whether there are differences or not; *result,
 * filled in any case, has their numbers. Fails with INVALID (not one other side), NOT_FOUND, ACCESS, IO (the other side
 * cannot be opened, an archive is damaged), NOMEM, CANCELED. Differences reported before a failure are valid. Times in
 * archives that are whole seconds are compared by their seconds only, as most formats store no more.
 */
F2FS_API int f2fs_diff(struct f2fs_volume *vol, const struct f2fs_diff_options *options,
		       struct f2fs_diff_result *result);

#ifdef __cplusplus
}
#endif
#endif
