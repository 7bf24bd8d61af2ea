/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extract whole trees: copy files of a volume to a directory of the host or into a tar stream.
 *
 * The copy is the same as through a mount: contents with their holes, modes, owners, times in nanoseconds, hard links,
 * symbolic links, extended attributes, ACLs, devices. Parts that the image cannot supply (damage, no key) or the host
 * does not accept (no permission, no such feature) are reported entry by entry. The rest is extracted.
 *
 * An image is never trusted. With any names, links and sizes in it, nothing outside the destination is touched and
 * nothing is written through a symbolic link. Work and memory are bounded by the actual contents of the image.
 *
 * Memory: F2FS_EXTRACT_MEMORY, and F2FS_EXTRACT_MEMORY_THREAD for each thread (four times that with 16 KiB blocks); the
 * volume's cache; about 250 bytes and the name for each level of directories the walk is in, of which there may be
 * as many as the volume has inodes; about 150 bytes and the name for each file with further links not yet met, 200 for
 * each directory above it; eight to sixteen bytes for each directory of the tree; the longest path.
 */
#ifndef F2FSKIT_TREE_H
#define F2FSKIT_TREE_H

#include <f2fskit/file.h>

#ifdef __cplusplus
extern "C" {
#endif

#define F2FS_EXTRACT_MEMORY 8388608u	    /* bytes */
#define F2FS_EXTRACT_MEMORY_THREAD 4194304u /* bytes */
#define F2FS_PROBLEM_PATH 4096u		    /* bytes of a path in a problem */

/* Where a stream of bytes goes: the first of write, path and fd that is set. */
struct f2fs_stream {
	/* Take all length bytes; return 0, or an errno, which ends the run. */
	int (*write)(void *user, const void *data, size_t length);
	void *user;	  /* passed to write */
	const char *path; /* file of the host; made, or emptied when it exists */
	int fd;		  /* used when write and path are NULL; stays open */
};

/* Properties of a file that are kept besides type, name and contents. */
enum f2fs_keep {
	F2FS_KEEP_MODE = 0x001,	    /* permissions, sticky; setuid and setgid when root extracts and the file got the
				     * image's owner, or when it is required, or with SETID; without MODE the umask
				     * decides */
	F2FS_KEEP_OWNER = 0x002,    /* user and group */
	F2FS_KEEP_TIMES = 0x004,    /* times of access and modification */
	F2FS_KEEP_LINKS = 0x008,    /* hard links; else each name becomes a separate file */
	F2FS_KEEP_HOLES = 0x010,    /* else they take space */
	F2FS_KEEP_SPECIAL = 0x020,  /* devices, FIFOs, sockets; else they are left out */
	F2FS_KEEP_USER = 0x040,	    /* attributes user.* */
	F2FS_KEEP_TRUSTED = 0x080,  /* attributes trusted.* */
	F2FS_KEEP_SECURITY = 0x100, /* attributes security.*: labels, capabilities */
	F2FS_KEEP_ACL = 0x200,	    /* access and default ACLs */
	F2FS_KEEP_FLAGS = 0x400,    /* append-only, immutable, nodump, noatime, sync, dirsync */
	F2FS_KEEP_PROJECT = 0x800,  /* project ids */
	F2FS_KEEP_SETID = 0x1000,   /* with MODE: setuid and setgid, no matter which user extracts the file and owns
				     * it afterwards */
	F2FS_KEEP_NOTHING = 0x8000, /* none of these */
	F2FS_KEEP_XATTRS = 0x1C0,
	F2FS_KEEP_DEFAULT = 0x3FF,   /* all but flags and project ids */
	F2FS_KEEP_EVERYTHING = 0xFFF /* all but SETID, which must be set explicitly */
};

/* What happens to existing entries at the destination. Directories are always entered. */
enum f2fs_existing {
	F2FS_EXISTING_REFUSE = 0, /* it stays, and is a problem (EXISTS) */
	F2FS_EXISTING_SKIP = 1,	  /* it stays, silently */
	F2FS_EXISTING_REPLACE =
		2, /* it is removed first (never written into); directories get the image's attributes */
	/* Of f2fs_populate only: an entry that differs in type, size, time of modification, target or device number is
	 * replaced. The rest keeps its contents and gets the source's attributes. */
	F2FS_EXISTING_UPDATE = 3
};

/* What happens to encrypted files. Their contents cannot be read without the key. */
enum f2fs_encrypted {
	F2FS_ENCRYPTED_REPORT = 0, /* left out, each is a problem (ENCRYPTED, with the policy) */
	F2FS_ENCRYPTED_SKIP = 1,   /* left out, counted only */
	/* Contents are the ciphertext, whole blocks (of compressed files there is none: those are left out as a
	 * problem); link targets in their no-key form. */
	F2FS_ENCRYPTED_RAW = 2
};

/* Flags of f2fs_extract(). */
enum f2fs_extract_flag {
	/* Names start with the last component of each path, not with the root of the volume. */
	F2FS_EXTRACT_RELATIVE = 1,
	/* The destination directory takes the attributes of the volume's root although it existed. (When it is made it
	 * takes them anyway.) */
	F2FS_EXTRACT_ROOT_ATTRIBUTES = 2,
	/* Make everything durable (fsync) before the call returns. */
	F2FS_EXTRACT_SYNC = 4
};

/* Ids first .. first + count - 1 of the image become to .. on the host. An id that no entry covers stays itself. */
struct f2fs_id_map {
	uint32_t first; /* of the image */
	uint32_t to;	/* of the host */
	uint32_t count; /* length of the range */
};

/* Kinds of problems of an extraction. */
enum f2fs_extract_problem_kind {
	F2FS_PROBLEM_UNREADABLE = 1, /* the image: not there, or not all of it; what could not be read is a hole */
	F2FS_PROBLEM_NOT_MADE = 2,   /* the host: the entry could not be made or written; not counted if it is only
				      * in the manifest */
	F2FS_PROBLEM_ENCRYPTED = 3,  /* left out or written as ciphertext, see enum f2fs_encrypted */
	F2FS_PROBLEM_ATTRIBUTE = 4,  /* the host does not accept an attribute; counted only if it is in require */
	F2FS_PROBLEM_NAME = 5	     /* the host does not accept the name: made under a substitute, which the manifest
				      * has as "source"; not counted */
};

/* One problem of an extraction. */
struct f2fs_extract_problem {
	int kind;	/* enum f2fs_extract_problem_kind */
	int is_counted; /* counts as a problem: the run ends with INCOMPLETE */
	/* In the volume, "/a/b"; bytes as presented, NUL-terminated. A path longer than F2FS_PROBLEM_PATH is cut to its
	 * end, with "..." before it, so that 100,000 nested levels do not take 25 MB for each problem. */
	const char *path;
	const char *what; /* attribute ("owner", "user.color"), or part of the file; "" when it is the entry itself */
	f2fs_nid_t ino;	  /* F2FS_NO_NID when not known */
	const struct f2fs_error_detail *detail; /* the error; NULL: none */
};

/* Options of f2fs_extract; begin it with F2FS_SIZED. */
struct f2fs_extract_options {
	uint32_t struct_size; /* F2FS_SIZED */
	/* The destination, one of the two. */
	const char *directory;	       /* of the host; made when it does not exist (its parent must) */
	const struct f2fs_stream *tar; /* a tar archive, pax format */
	/* Compression of it by libarchive's name ("gzip", "xz", "zstd", ...); NULL: none. UNSUPPORTED for an unknown
	 * one, and when libarchive is not built in. */
	const char *tar_filter;

	/* The paths in the volume to extract, "/" or none at all for everything. Links in the middle are followed, a
	 * link at the end is extracted as such. A path below another one is not extracted twice. */
	const char *const *paths;
	unsigned path_count; /* length of paths */
	/* Patterns with * ? [a-z] and ** (which crosses slashes). One without a slash is held against the last
	 * component, any other against the whole path from the volume's root. An excluded directory is not entered. An
	 * included one is extracted with everything in it. Without include everything is extracted. */
	const char *const *include;
	unsigned include_count;	    /* length of include */
	const char *const *exclude; /* patterns of paths to leave out */
	unsigned exclude_count;	    /* length of exclude */
	unsigned strip; /* leading components to remove from each name; entries with no component left are left out */
	unsigned flags; /* enum f2fs_extract_flag */

	/* How to extract. */
	unsigned keep;	  /* enum f2fs_keep; 0: F2FS_KEEP_DEFAULT. Properties that the host does not accept are
			   * reported as ATTRIBUTE. */
	unsigned require; /* those of keep whose loss counts as a problem */
	int existing;	  /* enum f2fs_existing */
	int encrypted;	  /* enum f2fs_encrypted */
	const struct f2fs_id_map *uid_map; /* user ids of the host for those of the image */
	unsigned uid_map_count;		   /* length of uid_map */
	const struct f2fs_id_map *gid_map; /* group ids of the host for those of the image */
	unsigned gid_map_count;		   /* length of gid_map */
	unsigned threads;		   /* 0: one for each processor; 1: only the calling one */
	uint64_t max_bytes;		   /* end with TOO_BIG rather than write more contents than this; 0: no limit */

	/* Gets one line with a JSON object for each entry extracted: path, type, stat, flags and attributes, with
	 * values in hexadecimal; as "source" the path below directory, if it is another one. NULL: none. */
	const struct f2fs_stream *manifest;

	/* Called for each entry once it is planned, in the order of the walk; non-zero: stop (CANCELED). It may not
	 * call into the library with the same context. May be NULL. */
	int (*entry)(void *user, const char *path, const struct f2fs_stat *stat);
	/* Called for each problem, as entry. */
	int (*problem)(void *user, const struct f2fs_extract_problem *problem);
	void *user; /* passed to entry and problem */

	/*
	 * Android's lists, as f2fs_populate takes them: fs_config has a line "PATH UID GID MODE [capabilities=MASK]"
	 * for each entry, file_contexts a line "REGEX CONTEXT" for each that has a label. They have the image's own
	 * values, regardless of keep and the maps of ids. A value that a list cannot express is a problem (ATTRIBUTE,
	 * with the list's name). NULL: none.
	 */
	const struct f2fs_stream *fs_config;
	const struct f2fs_stream *file_contexts; /* labels, as fs_config */
	const char *mount_point;		 /* prefix of the paths in both; NULL: "/" */
};

/* Outputs of an extraction. */
enum f2fs_output {
	F2FS_OUTPUT_TAR = 1,
	F2FS_OUTPUT_MANIFEST = 2,
	F2FS_OUTPUT_FS_CONFIG = 4,
	F2FS_OUTPUT_FILE_CONTEXTS = 8,
};

/* Numbers of an extraction. */
struct f2fs_extract_result {
	uint32_t struct_size;	  /* F2FS_SIZED */
	uint64_t files;		  /* regular files; further hard links not counted */
	uint64_t directories;	  /* made, or entered when they existed */
	uint64_t symlinks;	  /* symbolic links */
	uint64_t specials;	  /* devices, pipes, sockets */
	uint64_t links;		  /* further names of files */
	uint64_t bytes;		  /* of contents written, without holes */
	uint64_t skipped;	  /* left out as asked: existing, encrypted, special */
	uint64_t problems;	  /* entries or attributes that could not be extracted */
	uint64_t attributes_lost; /* refused by the host */
	uint32_t left_in_part;	  /* enum f2fs_output: files that were there before, are emptied, and did not become
				   * whole. A file that was made for the stream is removed instead. */
	uint64_t only_listed;	  /* entries that the host refused to make and that the manifest has: special files,
				   * symbolic links, further names. They are no problems. */
	uint64_t renamed;	  /* entries with a substitute name, because the host refuses theirs or takes it for
				   * another one's. The manifest has both. They are no problems. */
};

/*
 * Extract files, and directories with everything in them. result (NULL allowed) is filled in any case. Returns 0;
 * INCOMPLETE when there were problems, after everything else was extracted; or an error that ended the run: INVALID,
 * NOT_FOUND (a path that does not exist, found before anything is written), NOSPC, IO and others of the destination,
 * NOMEM, CANCELED, TOO_BIG. Modes do not depend on the umask. Times and modes of directories are set after everything
 * in them was written. Any user may call this: operations that only root may do are tried, and reported when they fail.
 */
F2FS_API int f2fs_extract(struct f2fs_volume *vol, const struct f2fs_extract_options *options,
			  struct f2fs_extract_result *result);

#ifdef __cplusplus
}
#endif
#endif
