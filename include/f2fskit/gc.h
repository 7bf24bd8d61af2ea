/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Garbage collection (GC): move the blocks that are in use out of sections that hold few of them, so that whole
 * sections become free (FORMAT files 11; the paper's section 2.5). What a volume holds does not change, only where it
 * lies.
 */
#ifndef F2FSKIT_GC_H
#define F2FSKIT_GC_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which section is cleaned first: a row number of lib/clean/policies.def. */
enum f2fs_gc_policy {
	F2FS_GC_GREEDY = 0,		    /* the fewest blocks in use: the kernel's foreground GC */
	F2FS_GC_COST_BENEFIT = 1,	    /* few blocks and old: the kernel's background GC */
	F2FS_GC_AGE = 2,		    /* the oldest, with an age threshold: the kernel's ATGC */
	F2FS_GC_HOTNESS = 3,		    /* few blocks, and cold by what the volume's placement says (placement.h) */
	F2FS_GC_AGE_THRESHOLD = F2FS_GC_AGE /* the kernel's word for it */
};
/* Return the number of a policy by its name ("greedy", "cost-benefit", "age" or "age-threshold", "hotness"), -1 for an
 * unknown name. */
F2FS_API int f2fs_gc_policy_find(const char *name);
/* Return the name of a policy, NULL for an unknown number: count from 0 to list them. */
F2FS_API const char *f2fs_gc_policy_name(unsigned policy);
/* Return one line about a policy, NULL for an unknown number. */
F2FS_API const char *f2fs_gc_policy_text(unsigned policy);

/* Where data goes that is moved; nodes go to their logs. */
enum f2fs_gc_target {
	F2FS_GC_TO_LOG = 0, /* the log of cold data; streams of a placement that asks for them */
	F2FS_GC_TO_AGE = 1  /* holes of segments whose blocks are about as old, as with the kernel's ATGC; what finds
				  none, and all on volumes whose logs fill no holes, goes to the log */
};
/* Return the number of a target by its name ("log", "age"), -1 for an unknown name. */
F2FS_API int f2fs_gc_target_find(const char *name);

/* A section that may be cleaned, as a policy of the host's own sees it. Times are seconds on the volume's clock
 * (engine.h). */
struct f2fs_gc_section {
	uint32_t section;
	uint32_t valid;  /* blocks in use */
	uint32_t blocks; /* that it can hold */
	uint64_t mtime;	 /* when its blocks changed, on average */
	uint64_t heat;	 /* what the placement says of it (placement.h), without one mtime */
	uint64_t now, min_mtime, max_mtime; /* the clock; the least and most of all sections and the clock */
};

/*
 * What to clean, and when to stop; begin it with F2FS_SIZED. A limit of 0 does not apply; the first that is reached
 * ends the work. Limits are looked at between sections, so the last section may exceed those of blocks and seconds.
 *
 * policy:      enum f2fs_gc_policy.
 * cost:        a policy of the host's own instead, NULL: none. It is asked for each section before each batch; the
 *              least cost is cleaned first, infinity and NaN not now, of equal costs the one that changed first. It
 *              gets user, and may read the volume, but neither change nor close it: changes fail with STATE meanwhile.
 * sections:    clean that many sections.
 * free_goal:   stop when so many sections are free.
 * blocks:      stop when so many blocks were moved, nodes included.
 * seconds:     stop after that time, by the clock of the context's host; without a clock it does not apply.
 * bytes:       stop when so many bytes were written to the device; the commit of the last batch may exceed it.
 * used_limit:  leave sections alone that are used to more than that many percent, 1 to 100; 0: 90. Fuller sections win
 *              little room for the blocks that are moved.
 * target:      enum f2fs_gc_target. Blocks that go to others of their age stay as old as they were.
 * move_pinned: move blocks of pinned files, too, into whole free sections, in the order of the file. Only for files
 *              that nobody knows the place of: boot loaders, swap and device-mapper tables may have noted addresses.
 *              Device aliases always stay; on zoned volumes there are no pinned blocks to move.
 * like_kernel: of f2fs_volume_set_gc(): begin when the kernel does, see there.
 * dry_run:     only look: the result tells what would be moved. Nothing is written, so a volume that was opened for
 *              reading will do.
 */
struct f2fs_gc_options {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t policy;
	uint32_t sections;
	uint32_t free_goal;
	uint64_t blocks;
	uint32_t seconds;
	uint32_t used_limit;
	uint8_t dry_run;
	uint8_t like_kernel;
	uint64_t bytes;
	uint8_t target;
	uint8_t move_pinned;
	double (*cost)(void *user, const struct f2fs_gc_section *section);
	void *user;
};

/* Why GC ended. */
enum f2fs_gc_end {
	F2FS_GC_DONE = 0,    /* no section is left that is worth it */
	F2FS_GC_LIMIT = 1,   /* a limit or the goal of the options was reached */
	F2FS_GC_NO_ROOM = 2, /* too little is free to move the next section, or moving wins nothing */
	F2FS_GC_STOPPED = 3  /* the host's progress callback asked to stop, or the work failed */
};
/* Return "done", "limit", ...; "unknown" for other numbers. */
F2FS_API const char *f2fs_gc_end_name(unsigned end);

struct f2fs_gc_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t sections;     /* emptied */
	uint64_t data_blocks;  /* moved */
	uint64_t node_blocks;  /* moved, without nodes that were written because their data moved */
	uint32_t commits;
	uint32_t free_before;  /* free sections */
	uint32_t free_after;   /* the same at the end; of a dry run: about */
	uint32_t candidates;   /* sections that were worth it, at the beginning or later: never less than sections */
	uint32_t unconfirmed;  /* sections left alone: an owner did not confirm a block, so something is damaged */
	uint32_t unreadable;   /* sections left alone: a block or a node could not be read */
	uint32_t pinned;       /* sections left alone: they hold blocks of a device alias, or of a pinned file and
				  move_pinned is not set */
	uint32_t end;	       /* enum f2fs_gc_end */
	f2fs_seg_t next_section; /* with NO_ROOM: the section that did not fit, */
	uint32_t next_blocks;	 /* the blocks in use in it, */
	uint32_t next_nodes;	 /* and the nodes that moving these would write */
};

/*
 * Clean a volume. Each batch of sections ends in a commit, so whatever stops the work, the volume is as after one of
 * its commits: nothing is ever lost, and calling again goes on. A section is left alone, as a whole, when one block of
 * it is not confirmed by the node that the section's summary names: a warning names the block.
 *
 * options may be NULL. *result (may be NULL) is filled whatever the call returns. Fails with STATE (changes that were
 * not committed, a volume that waits for recovery or a check), READ_ONLY, UNSUPPORTED (a volume without summaries),
 * INVALID (an unknown policy), CANCELED (by the progress callback), IO, NOMEM. Too little room is no failure: see end.
 */
F2FS_API int f2fs_gc(struct f2fs_volume *vol, const struct f2fs_gc_options *options, struct f2fs_gc_result *result);

/*
 * Have the volume cleaned by itself from now on, when a change may not find room: commit, clean, commit, go on. Commits
 * between changes need the option commit_when_full of struct f2fs_write_options (engine.h); without it that is done
 * only before the first change after a commit, so that all or nothing holds, and a change that finds no room later
 * fails with NOSPC and says what GC could win.
 *
 * GC begins when no more sections are free than the next commit may need, and the holes of used segments are no
 * help: there are too few, or they are not written to (normal logging, zoned volumes), or a pinned file wants whole
 * sections. With like_kernel it begins as the kernel's does: when no more are free than are reserved and blocks that
 * wait may take, whatever holes there are. It ends when free_goal (0: 1 to 4, the fewer the less is unused) more
 * sections are free than that. Of options policy, cost, target, used_limit (0: 100) and like_kernel count besides, and
 * sections, blocks, bytes and seconds limit each run; another follows when the change needs more sections than one run
 * wins. When what the policy puts first wins too little, greedy is tried. GC that came to its end without
 * reaching its goal is tried again when 64 more blocks were freed, or a pinned file wants sections: before that it
 * would find the same.
 *
 * options is copied; NULL: no GC, as when the volume is opened. Fails with INVALID (an unknown policy, a
 * percentage above 100, dry_run), NOMEM. A volume without summaries is never cleaned.
 */
F2FS_API int f2fs_volume_set_gc(struct f2fs_volume *vol, const struct f2fs_gc_options *options);

#ifdef __cplusplus
}
#endif
#endif
