/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check and repair a volume. f2fs_check() reads everything that is in use once and compares it with every invariant of
 * the format (docs/CHECKS.md lists them). It recomputes derived data, and reports each difference as a problem with a
 * persistent number. Nothing on the image is trusted: the check ends on any bytes, within the bound of memory.
 */
#ifndef F2FSKIT_CHECK_H
#define F2FSKIT_CHECK_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How bad a problem is. */
enum f2fs_severity {
	F2FS_SEVERITY_NOTE = 0,	  /* worth knowing, nothing is wrong */
	F2FS_SEVERITY_STALE = 1,  /* derived data is wrong; user data is not affected */
	F2FS_SEVERITY_DAMAGE = 2, /* a structure is wrong; user data may be affected */
	F2FS_SEVERITY_LOSS = 3	  /* user data, or the way to it, is lost */
};

/* A row of the table of problems. Numbers and names are persistent and never reused. Strings are static. */
struct f2fs_problem_info {
	unsigned id;		 /* persistent number */
	int severity;		 /* enum f2fs_severity */
	const char *name;	 /* "LINKS_FILE" */
	const char *group;	 /* "links": the pass that finds it */
	const char *message;	 /* template of the message */
	const char *fix;	 /* how a repair corrects it */
	const char *explanation; /* for people who see it */
};
/* Return row number index in table order, NULL past the last. */
F2FS_API const struct f2fs_problem_info *f2fs_problem_at(unsigned index);
/* Return the row of a number ("604", "P604") or a name; NULL when there is none. */
F2FS_API const struct f2fs_problem_info *f2fs_problem_find(const char *id_or_name);
/* Does a word choose this row: its number ("604", "P604"), its name, or its group ("links")? 1 or 0. */
F2FS_API int f2fs_problem_matches(const struct f2fs_problem_info *info, const char *word);
/* Which decisions a problem allows. */
enum f2fs_repair_kind {
	F2FS_REPAIR_NONE = 0, /* nothing can be done, or nothing is wrong */
	/* It is derived from the rest, or everything else depends on it, so every repair that writes corrects it. The
	 * only decision is whether it is a reason to write. */
	F2FS_REPAIR_COMMON = 1,
	F2FS_REPAIR_CHOICE = 2 /* each finding by itself is corrected or left as it is */
};
/* Return the enum f2fs_repair_kind of a row. */
F2FS_API int f2fs_problem_repair_kind(const struct f2fs_problem_info *info);
/* Return "note", "stale", "damage", "loss"; "?" for other numbers. */
F2FS_API const char *f2fs_severity_name(int severity);

/* Fate of a finding. */
enum f2fs_problem_action {
	F2FS_ACTION_NONE = 0, /* left as it is */
	F2FS_ACTION_FIXED = 1 /* of a repair: corrected, unless the callback decides otherwise */
};

/* "No value" of segno and slot. */
#define F2FS_NO_NUMBER 0xFFFFFFFFu

/* One finding. Strings are valid during the callback, never NULL, empty where they do not apply. */
struct f2fs_problem {
	const struct f2fs_problem_info *info; /* row of the table of problems */
	f2fs_nid_t nid;			      /* node it was found in, 0: not about one */
	f2fs_nid_t ino;			      /* inode that node belongs to, 0: none */
	uint64_t block;			      /* block address, F2FS_NO_BLOCK: none */
	uint32_t segno;			      /* segment, F2FS_NO_NUMBER: none */
	uint32_t slot;	     /* copy, pack, slot of a directory block or index of a pointer; F2FS_NO_NUMBER: none */
	int has_values;	     /* found and expected mean something */
	int action;	     /* enum f2fs_problem_action */
	uint64_t found;	     /* wrong value, with has_values */
	uint64_t expected;   /* value that the rest of the volume gives */
	const char *path;    /* of ino, printable, where a path from the root to it is known */
	const char *name;    /* directory entry, attribute or field, printable */
	const char *rule;    /* structural rule that the finding breaks (f2fs_rule_find) */
	const char *message; /* a sentence for a person, printable */
};

/* How a repair treats a finding. A check without repair obeys only STOP: it reports no further findings. */
enum f2fs_decision {
	F2FS_DECIDE_SKIP = 0, /* leave it; of F2FS_REPAIR_COMMON: it is no reason to write */
	F2FS_DECIDE_FIX = 1,
	F2FS_DECIDE_STOP = 2 /* repair nothing at all: earlier decisions are dropped, too */
};

/* How much f2fs_check() reads. */
enum f2fs_check_depth {
	F2FS_CHECK_FULL = 0,   /* all metadata */
	F2FS_CHECK_CONTENT = 1 /* also decompress clusters and verify fs-verity trees */
};

/* Options of f2fs_check; begin it with F2FS_SIZED. */
struct f2fs_check_options {
	uint32_t struct_size; /* F2FS_SIZED */
	int depth;	      /* enum f2fs_check_depth */
	/* Repair the findings; the device must be writable. They are reported first, as the first check found them.
	 * Each round of repair is one commit: a power cut leaves the volume as before it or after it. */
	int repair;
	/* Length in bytes of a volume that was cut short (at most that of its devices). Everything after it is lost: a
	 * repair drops it and reports each file as FILE_CUT or DENTRY_CUT. Nothing is written past that length, so the
	 * volume can be shrunk (f2fs_resize), or its device made longer, afterwards. Until then DEVICE_SHORT is left.
	 * On a device that is long enough again DEVICE_SHORT is repaired, too. 0: the missing part is reported, and
	 * nothing is repaired. */
	uint64_t cut_at;
	/* Of a repair: words that choose problems (f2fs_problem_matches), NULL after the last. With only NULL all are
	 * chosen, with except NULL none is excluded. Findings not matched by only, or matched by except, are skipped
	 * without asking problem(). INVALID when a word matches nothing. */
	const char *const *only;
	const char *const *except; /* problems that are skipped, as only */
	/* Called for each finding, in a fixed order, after all passes. Returns enum f2fs_decision, or a negative enum
	 * f2fs_error, which ends the check and is returned. A repair also calls it for choices that show only once
	 * other damage is repaired. NULL: everything that only and except leave is repaired. */
	int (*problem)(void *user, const struct f2fs_problem *problem);
	void *user; /* passed to problem */
	/*
	 * Findings past this number are only counted, and repaired without asking; 0: 1,000,000 (some 64 bytes each).
	 */
	uint32_t max_findings;
	unsigned threads; /* 0: one for each processor, at most two */
	/* How to open the volume: offset, devices, open_device; NULL for the defaults. mode and pack are not used. */
	const struct f2fs_open_options *open;
};

/* State of the volume at the end of f2fs_check(). */
enum f2fs_check_state {
	F2FS_CHECK_SOUND = 0,	   /* no problem */
	F2FS_CHECK_LEFT = 1,	   /* problems were found and left */
	F2FS_CHECK_IMPOSSIBLE = 2, /* no superblock or no checkpoint: only the readable parts could be checked */
	F2FS_CHECK_REPAIRED = 3	   /* everything that was found was repaired */
};

/* Result of f2fs_check(); begin it with F2FS_SIZED. */
struct f2fs_check_result {
	uint32_t struct_size; /* F2FS_SIZED */
	int state;	      /* enum f2fs_check_state */
	int is_unmounted;     /* the checkpoint was the last of an unmount */
	uint64_t found;	      /* problems, notes not counted */
	uint64_t fixed;	      /* of a repair: those that are gone */
	uint64_t left;	      /* and those that are still there */
	uint64_t rounds;      /* of a repair: commits that it took */
	/* of a repair: recovered before it (recover.h) */
	uint64_t recovered_nodes;   /* nodes written by fsync */
	uint32_t recovered_inodes;  /* number of inodes that they belong to */
	uint32_t recovered_orphans; /* unlinked inodes, deleted */
	uint64_t notes;		    /* findings of severity note */
	uint64_t severity[4];	    /* findings by enum f2fs_severity */
	uint64_t pending;	    /* nodes of fsync that a mount would roll forward */
	/* totals, as the check counted them */
	uint64_t files;		/* regular files */
	uint64_t hard_links;	/* of these, files that have several names */
	uint64_t directories;	/* the root included */
	uint64_t symlinks;	/* symbolic links */
	uint64_t specials;	/* devices, pipes, sockets */
	uint64_t orphans;	/* unlinked inodes that were open */
	uint64_t inodes;	/* all of them, hidden ones included */
	uint64_t nodes;		/* inodes included */
	uint64_t blocks;	/* of the main area, nodes and reserved ones included */
	uint64_t free_segments; /* segments without a block in use */
	uint64_t end_block;	/* first block after all blocks in use */
	uint64_t memory;	/* bytes of facts at the end */
};

/*
 * Check the volume on dev, which is only read unless options ask for a repair. The call opens the volume itself,
 * because nothing on it may be trusted. A repair reports the findings, recovers data that was fsynced after the last
 * checkpoint, then repairs. A check reports the same findings as a repair. When it finds damage, it rehearses the
 * repair in memory, as some damage shows only once other damage is repaired. That takes about as long as the repair,
 * and memory for the blocks it would write (beyond 64 MiB a file in open->spill_dir, if there is one). A volume without
 * damage is read only once. Returns 0 whenever the check itself was completed, with or without findings. Fails with
 * NOT_F2FS when there is no trace of a volume, IO only when nothing at all can be read, NOMEM, CANCELED, INVALID.
 */
F2FS_API int f2fs_check(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
			struct f2fs_check_result *result);

#ifdef __cplusplus
}
#endif
#endif
