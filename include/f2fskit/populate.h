/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a volume from a directory of the host or from a tar archive. A directory's entries are taken in the order of
 * their names' bytes, an archive's in its own, so the same source gives the same volume. All changes become permanent
 * with one f2fs_volume_commit, which the caller makes.
 *
 * Memory: two megabytes, the running transaction's tables, and some forty bytes for each file with further links. Each
 * directory on the path to the current entry also takes an inode and the names in it. An archive takes some forty more
 * bytes for each entry.
 */
#ifndef F2FSKIT_POPULATE_H
#define F2FSKIT_POPULATE_H

#include <f2fskit/engine.h>
#include <f2fskit/mkfs.h>
#include <f2fskit/tree.h>
#include <f2fskit/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a stream of bytes comes from: the first of read, path and fd that is set. */
struct f2fs_input {
	/* Store up to length bytes in buffer and their number in *got, 0 at the end. Return 0, or an errno. */
	int (*read)(void *user, void *buffer, size_t length, size_t *got);
	void *user;	  /* passed to read */
	const char *path; /* file of the host */
	int fd;		  /* used when read and path are NULL; read from its current position, stays open */
};

/* Which regular files become compressed, and how; begin it with F2FS_SIZED. */
struct f2fs_populate_compression {
	uint32_t struct_size;	     /* F2FS_SIZED */
	struct f2fs_compression how; /* algorithm, level and cluster size */
	const char *names;	     /* extensions as in struct f2fs_write_options; NULL: all files */
	const char *except;	     /* extensions of files that stay uncompressed */
	uint8_t minimum_saved;	     /* blocks that compressing a cluster must save; 0: 1 */
	uint8_t release;	     /* release the saved blocks: the files cannot be written then */
};

/* Flags of f2fs_populate(). */
enum f2fs_populate_flag {
	/*
	 * Remove names that the source does not have, in the directories that it has. Names that patterns leave out
	 * stay, and so does lost+found. Unreadable parts of the source, which are problems, do not count as absent. A
	 * name that cannot be examined stays, and so does everything below a directory that cannot be read completely.
	 * Everything stays when an archive lacks its end mark or a manifest is empty.
	 */
	F2FS_POPULATE_DELETE = 1,
	/*
	 * Write from the start of the volume on: logs that hold nothing begin at the first free sections, and so does
	 * the node log of a volume with the feature ro. For images that are cut after their last used block. It has no
	 * effect when there are uncommitted changes.
	 */
	F2FS_POPULATE_PACK = 2,
	/* Walk a directory once beforehand, so that the progress has a total. */
	F2FS_POPULATE_TOTAL = 4
};

/* Attributes for entries whose path matches a pattern. */
struct f2fs_populate_rule {
	const char *pattern;   /* as of exclude */
	unsigned set;	       /* enum f2fs_set_flag: MODE, UID with GID, MTIME */
	uint32_t mode;	       /* permissions */
	uint32_t uid;	       /* user */
	uint32_t gid;	       /* group */
	struct f2fs_time time; /* with MTIME: all times */
};

/* Options of f2fs_populate; begin it with F2FS_SIZED. */
struct f2fs_populate_options {
	uint32_t struct_size; /* F2FS_SIZED */
	/* The source, one of the three; a manifest may have a directory with it. */
	const char *directory; /* of the host: its contents are copied */
	/*
	 * A tar archive (ustar, pax, GNU), compressed or not, read with libarchive: UNSUPPORTED when that is not built
	 * in. Leading slashes are removed; a name with ".." is refused. Directories that come after their entries or
	 * not at all are made (0755, owner uid:gid). An entry replaces an earlier entry of the archive with the same
	 * name. Hard links link to earlier entries, also without F2FS_KEEP_LINKS. Owners are taken from the numbers.
	 * Names are looked up on the host only for entries of ACLs, which may have no number.
	 */
	const struct f2fs_input *tar;

	/*
	 * A manifest: one line with a JSON object for each entry, as extraction writes it. Contents are those of the
	 * file "source" of the host or, without it, of the file of the entry's path below directory (NULL: files are
	 * empty).
	 */
	const struct f2fs_input *manifest;

	const char *target; /* directory of the volume, NULL: "/"; missing components are made (0755, owner of root) */
	unsigned keep;	    /* enum f2fs_keep; 0: F2FS_KEEP_DEFAULT. Without OWNER everything belongs to uid, gid. */
	uint32_t uid;	    /* with keep without OWNER: user of everything */
	uint32_t gid;	    /* and group */
	unsigned has_time;  /* all times are time; else those of the host (with F2FS_KEEP_TIMES), or the context's clock
			     */
	struct f2fs_time time; /* with has_time */
	/* Patterns as in struct f2fs_extract_options, held against the path below the source's top. */
	const char *const *include;
	unsigned include_count;	    /* length of include */
	const char *const *exclude; /* patterns of paths to leave out */
	unsigned exclude_count;	    /* length of exclude */
	/* NULL: by the settings of directories in the volume and the volume's write options. */
	const struct f2fs_populate_compression *compression;
	/*
	 * enum f2fs_existing. Directories are always entered, and get the source's attributes, except those that SKIP
	 * finds from before. A directory in the way of something else is replaced when it is empty, or with
	 * F2FS_POPULATE_DELETE, unless something in it stays (a problem). UPDATE compares times, so without
	 * F2FS_KEEP_TIMES, with has_time or a rule's time it is REPLACE. Of files with several names it reads the
	 * contents, too, and makes them one file or several as the source has them.
	 */
	int existing;
	unsigned flags; /* enum f2fs_populate_flag */

	/* Applied in order: of several that match the last one wins. Rules override keep and has_time. */
	const struct f2fs_populate_rule *rules;
	unsigned rule_count; /* length of rules */

	/*
	 * Android. fs_config: a file of lines "PATH UID GID MODE [capabilities=MASK] [selabel=CONTEXT]", MODE octal; a
	 * path without a line is a problem. file_contexts: files of lines "REGEX [TYPE] CONTEXT", extended regular
	 * expressions of POSIX that stand for the whole path; a path that none matches gets no label. The message of
	 * INVALID names the wrong line. Paths in both begin with mount_point.
	 */
	const char *fs_config;
	const char *const *file_contexts; /* files of the host, see fs_config */
	unsigned file_contexts_count;	  /* length of file_contexts */
	const char *mount_point;	  /* where the volume will be mounted, NULL: "/" */

	/* Called for each entry before it is copied; non-zero: stop (CANCELED). May be NULL. */
	int (*entry)(void *user, const char *path);
	/* Called when something could not be copied; the run continues. what: "", "contents" or an attribute's name.
	 * May be NULL. */
	int (*problem)(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail);
	void *user; /* passed to entry and problem */
	/* Of f2fs_populate_size: called for each volume that is tried, before it is filled, for example to make and
	 * encrypt the target. Returns 0 or a negative error that ends the search. May be NULL. */
	int (*prepare)(void *prepare_user, struct f2fs_volume *vol);
	void *prepare_user; /* passed to prepare */
	/* Of f2fs_populate_size: a size in bytes that is tried first. If it holds all, it is the answer, and the tree
	 * is read once. 0: the smallest one is wanted. */
	uint64_t enough;
};

/* Numbers of a copy; begin it with F2FS_SIZED. */
struct f2fs_populate_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t files;	      /* regular files copied */
	uint64_t directories; /* directories copied */
	uint64_t symlinks;    /* symbolic links copied */
	uint64_t specials;    /* devices, pipes and sockets copied */
	uint64_t links;	      /* further names of files */
	uint64_t bytes;	      /* of file contents */
	uint64_t problems;    /* entries or attributes that could not be copied */
	uint64_t skipped;     /* existing, left as they were (SKIP) */
	uint64_t kept;	      /* existing, with the same contents (UPDATE) */
	uint64_t replaced;    /* existing, removed and then made again */
	uint64_t deleted;     /* removed, since the source does not have them */
};

/*
 * Copy the tree. Fails with NOT_FOUND, ACCESS, NOSPC, IO (an archive that is damaged or cut short), CANCELED; the
 * changes made before can only be rolled back then. Returns INCOMPLETE when there were problems with entries; these
 * changes can be committed. An entry that cannot be made, or whose contents cannot be read to their end, is left out,
 * and an existing entry of its name stays. (With commit_when_full, engine.h, that entry is removed first.) result (NULL
 * allowed) is filled in any case.
 */
F2FS_API int f2fs_populate(struct f2fs_volume *vol, const struct f2fs_populate_options *options,
			   struct f2fs_populate_result *result);

/*
 * Find the smallest size in bytes of a volume on one device, made with the options of mkfs, that holds all that
 * f2fs_populate copies with these options. On such a volume f2fs_populate does not fail with NOSPC, as long as the
 * source stays the same. The tree is read at least twice, contents of files in a directory not at all. Streams by
 * read() and descriptors that cannot seek are refused (INVALID). Problems with entries are not reported. temporary: a
 * directory for an unnamed temporary file for data beyond 96 MiB of memory; NULL: fail with NOMEM then.
 */
F2FS_API int f2fs_populate_size(struct f2fs_context *ctx, const struct f2fs_mkfs_options *mkfs,
				const struct f2fs_populate_options *populate, const char *temporary, uint64_t *size);

#ifdef __cplusplus
}
#endif
#endif
