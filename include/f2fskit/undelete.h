/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bring deleted files back: into a directory of the host, or into the volume that they were deleted from. A search
 * (forensics.h) decides how much of a file is left, and which bytes are certainly its own.
 */
#ifndef F2FSKIT_UNDELETE_H
#define F2FSKIT_UNDELETE_H

#include <f2fskit/forensics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NAME, number (persistent), text. Below 16: the file is not brought back. From 16 on: it is, and something of it is
 * missing. */
#define F2FS_UNDELETE_TABLE(X)                                                                                         \
	X(DONE, 0, "it is back")                                                                                       \
	X(ONLY_NAME, 1, "only the name is left")                                                                       \
	X(NO_CONTENTS, 2, "nothing of its contents is left")                                                           \
	X(BLANK, 3, "its blocks are blank, probably discarded")                                                        \
	X(PARTLY_BLANK, 4, "parts of it are blank, probably discarded")                                                \
	X(OVERWRITTEN, 5, "parts of it were written over")                                                             \
	X(ENCRYPTED, 6, "it is encrypted, and its key was not given")                                                  \
	X(OTHER_POLICY, 7, "it was encrypted, and its directory is not, or otherwise")                                 \
	X(TOO_BIG, 8, "no file is that large")                                                                         \
	X(UNREADABLE, 9, "it cannot be read")                                                                          \
	X(REFUSED, 10, "it cannot be made")                                                                            \
	X(HOLES, 16, "blocks are lost or were written by others: they are holes")                                      \
	X(BLANK_HOLES, 17, "blocks are blank, probably discarded: they are holes")                                     \
	X(BLANK_KEPT, 18, "blocks are blank, probably discarded: they are copied as they are")                         \
	X(NO_ATTRIBUTE, 19, "an extended attribute is lost")                                                           \
	X(NO_LINK, 20, "a further name cannot be made")

/* Outcome for a deleted file, or a missing part of it. */
enum f2fs_undelete_outcome {
#define F2FS_UNDELETE_ENUM(name, number, text) F2FS_UNDELETE_##name = (number),
	F2FS_UNDELETE_TABLE(F2FS_UNDELETE_ENUM)
#undef F2FS_UNDELETE_ENUM
};

/* Return the text of an outcome; static string, NULL for other numbers. */
F2FS_API const char *f2fs_undelete_text(unsigned outcome);

/* One report. A file has one with DONE or another below 16; those from 16 on come before it. */
struct f2fs_undelete_report {
	const char *path;			/* of the file as it was deleted, or of a further name (NO_LINK) */
	unsigned outcome;			/* enum f2fs_undelete_outcome */
	uint64_t count;				/* HOLES, BLANK_HOLES, BLANK_KEPT: blocks */
	const char *what;			/* NO_ATTRIBUTE: its name, "" when not known; else "" */
	const struct f2fs_error_detail *detail; /* the failure that caused it; NULL: there is none */
};

/* Flags of f2fs_undelete(). */
enum f2fs_undelete_flag {
	F2FS_UNDELETE_PARTS = 1,    /* also files of which parts are lost; the lost parts become holes */
	F2FS_UNDELETE_AS_BLANK = 2, /* blank blocks are contents as they are, zeros or 0xFF; else they are lost */
	F2FS_UNDELETE_UNREAD = 4    /* into the volume: also when reads failed, which may hide newer versions */
};

/* Options of f2fs_undelete(); begin it with F2FS_SIZED. */
struct f2fs_undelete_options {
	uint32_t struct_size; /* F2FS_SIZED */
	unsigned flags;	      /* enum f2fs_undelete_flag */
	/* The destination. directory: of the host; made when it does not exist (its parent must). into: a directory of
	 * the volume. With both NULL: the volume's root. */
	const char *directory;
	const char *into; /* directory of the volume */
	/* Into the volume: directory of the host for an unnamed temporary file, for data beyond 64 MiB of memory. NULL:
	 * NOMEM then. */
	const char *temporary;
	struct f2fs_time now; /* into the volume: creation time of the new files */
	/* Block address of an inode: only this version, under the name "inode-NUMBER". 0: the newest of each file. */
	f2fs_blk_t addr;
	/* Returns non-zero if the file is wanted. NULL: all are. It may not call into the library. */
	int (*choose)(void *user, const struct f2fs_deleted *file);
	/* Called for each report as soon as it is known; non-zero: stop (CANCELED). May be NULL. It may not call into
	 * the library, except for names and texts. */
	int (*report)(void *user, const struct f2fs_undelete_report *report);
	void *user; /* passed to choose and report */
};

/* Result of f2fs_undelete(): numbers of files, directories and links included; begin it with F2FS_SIZED. */
struct f2fs_undelete_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t found;	      /* wanted files */
	uint64_t whole;	      /* brought back completely */
	uint64_t likely;      /* brought back, with no evidence against it */
	uint64_t part;	      /* brought back, with blocks or attributes missing */
	uint64_t left_out;    /* not back */
	uint64_t blank;	      /* with blank blocks, brought back or not */
};

/*
 * Bring deleted files back. past is a search of all inodes, and the volume must not have been changed since.
 *
 * To the host: nothing that exists is overwritten, and no symbolic link is followed. If a path exists already, ".~" and
 * the address of the inode are appended. Bytes that others have written since are never copied. Owners are kept as far
 * as the host permits, modes without setuid and setgid.
 *
 * Into the volume: contents are copied to the temporary file first, as the first change may write over them. Then files
 * are made as a part of the running transaction, which the caller commits or rolls back; past can only be closed then.
 * A directory that exists is entered. Files of an encrypted directory come back only where the policy is the same.
 *
 * result (NULL allowed) is filled in any case. Returns 0; INCOMPLETE when something was left out or is missing, after
 * everything else was brought back; or an error that ended the run: NOT_FOUND (no wanted file; a directory), STATE (a
 * transaction runs, a change since the search), READ_ONLY, IO (reads failed, and UNREAD is not set; the temporary
 * file), ACCESS and others of the directory, NOSPC, NOMEM, CANCELED.
 */
F2FS_API int f2fs_undelete(struct f2fs_past *past, const struct f2fs_undelete_options *options,
			   struct f2fs_undelete_result *result);

#ifdef __cplusplus
}
#endif
#endif
