/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Garbage collection (GC): move the blocks that are in use out of sections that hold few of them, so that whole
 * sections become free (FORMAT files 11; the paper's section 2.5). The contents of the volume stay the same, only their
 * block addresses change.
 */
#ifndef F2FSKIT_GC_H
#define F2FSKIT_GC_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NAME, number (persistent), name, text: policies, which choose the section that is collected first. */
#define F2FS_GC_POLICY_TABLE(X)                                                                                        \
	X(GREEDY, 0, "greedy", "the fewest blocks in use first, which moves least now")                                \
	X(COST_BENEFIT, 1, "cost-benefit", "few and old blocks first, which moves least in the long run")              \
	X(AGE, 2, "age", "only sections unchanged for a week of mounted time, the oldest and emptiest first")          \
	X(HOTNESS, 3, "hotness", "few and cold blocks first, cold by the volume's placement or else by age")
/*
 * Policies of GC, the rows of F2FS_GC_POLICY_TABLE. Linux has GREEDY for its foreground GC, COST_BENEFIT for background
 * GC, and AGE as ATGC. HOTNESS asks the volume's placement (placement.h).
 */
enum f2fs_gc_policy {
#define F2FS_GC_POLICY_ENUM(id, number, name, text) F2FS_GC_##id = (number),
	F2FS_GC_POLICY_TABLE(F2FS_GC_POLICY_ENUM)
#undef F2FS_GC_POLICY_ENUM
	F2FS_GC_AGE_THRESHOLD = F2FS_GC_AGE /* the kernel's word for it */
};
/* Return the number of a policy by its name, -1 for an unknown name. "age-threshold" is a further name of "age". */
F2FS_API int f2fs_gc_policy_find(const char *name);
/* Return the name of a policy, NULL for an unknown number: count from 0 to list them. */
F2FS_API const char *f2fs_gc_policy_name(unsigned policy);
/* Return one line about a policy, NULL for an unknown number. */
F2FS_API const char *f2fs_gc_policy_text(unsigned policy);

/* Where moved data goes; nodes go to their logs. */
enum f2fs_gc_target {
	F2FS_GC_TO_LOG = 0, /* the log of cold data; streams of a placement that asks for them */
	F2FS_GC_TO_AGE = 1, /* holes of segments whose blocks are about as old, as with the kernel's ATGC. Blocks
			     * that find no such hole go to the log, and so do all blocks on volumes whose logs fill
			     * no holes */
	F2FS_GC_TO_HOLES = 2, /* holes of the fullest segments (hole plugging), also where logs fill none. Blocks that
			       * find no hole go to the log, and so do all blocks on zoned volumes */
	F2FS_GC_TO_ADAPTIVE = 3 /* for each batch the cheaper of TO_LOG and TO_HOLES, by an estimate from the
				 * first victims, the holes and request_cost */
};
/* Return the number of a target by its name ("log", "age", "holes", "adaptive"), -1 for an unknown name. */
F2FS_API int f2fs_gc_target_find(const char *name);

/*
 * A section that may be collected, as passed to a policy of the host's own. Times are seconds on the volume's clock
 * (engine.h).
 */
struct f2fs_gc_section {
	uint32_t section;   /* number, from the start of the main area */
	uint32_t valid;	    /* blocks in use */
	uint32_t blocks;    /* blocks that it can hold */
	uint64_t mtime;	    /* when its blocks changed, on average */
	uint64_t heat;	    /* heat according to the placement (placement.h), without one mtime */
	uint64_t now;	    /* the clock */
	uint64_t min_mtime; /* least mtime of all sections */
	uint64_t max_mtime; /* most of all sections and the clock */
};

/*
 * Options of GC: the victims, and when to stop; begin it with F2FS_SIZED. A limit of 0 does not apply; the first that
 * is reached ends the work. Limits are checked between sections, so the last section may exceed those of blocks and
 * seconds.
 */
struct f2fs_gc_options {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t policy;      /* enum f2fs_gc_policy */
	uint32_t sections;    /* stop after collecting that many sections */
	uint32_t free_goal;   /* stop when that number of sections is free */
	uint64_t blocks;      /* stop after moving that number of blocks, nodes included */
	/* stop after that time, by the clock of the context's host; without a clock it does not apply */
	uint32_t seconds;
	/* leave sections alone that are more than that many percent full, 1 to 100; 0: 90. Fuller sections free
	 * little space for the blocks that must be moved. */
	uint32_t used_limit;
	/* write nothing: the result has the numbers of blocks that GC would move. A volume opened for reading will
	 * do. */
	uint8_t dry_run;
	uint8_t like_kernel; /* of f2fs_volume_set_gc(): begin when the kernel does, see there */
	/* stop after writing that number of bytes to the device; the commit of the last batch may exceed it */
	uint64_t bytes;
	uint8_t target; /* enum f2fs_gc_target. Blocks that go to holes keep their own age. */
	/* move blocks of pinned files, too, into whole free sections, in the order of the file. Only safe if nothing
	 * relies on the addresses of these files: boot loaders, swap and device-mapper tables may have recorded
	 * them. Device aliases always stay; on zoned volumes there are no pinned blocks to move. */
	uint8_t move_pinned;
	/* a policy of the host's own instead, NULL: none. It is called for each section before each batch. The
	 * section of least cost is collected first, of equal costs the one that changed first. Infinity and NaN
	 * exclude a section from this batch. The function gets user, and may read the volume, but neither change nor
	 * close it: changes fail with STATE meanwhile. */
	double (*cost)(void *user, const struct f2fs_gc_section *section);
	void *user; /* passed to cost */
	uint32_t request_cost; /* with TO_ADAPTIVE: the cost of a request besides its blocks, in blocks written; 0: 2 */
};

/* Why GC ended. */
enum f2fs_gc_end {
	F2FS_GC_DONE = 0,    /* no section worth collecting is left */
	F2FS_GC_LIMIT = 1,   /* a limit or the goal of the options was reached */
	F2FS_GC_NO_ROOM = 2, /* too little is free to move the next section, or moving frees nothing */
	F2FS_GC_STOPPED = 3  /* the host's progress callback asked to stop, or the work failed */
};
/* Return "done", "limit", ...; "unknown" for other numbers. */
F2FS_API const char *f2fs_gc_end_name(unsigned end);

/* Result of GC; begin it with F2FS_SIZED. */
struct f2fs_gc_result {
	uint32_t struct_size;	 /* F2FS_SIZED */
	uint32_t sections;	 /* emptied */
	uint64_t data_blocks;	 /* moved */
	uint64_t node_blocks;	 /* moved, not counting nodes written because their data moved */
	uint32_t commits;	 /* checkpoints written */
	uint32_t free_before;	 /* free sections */
	uint32_t free_after;	 /* free sections at the end; of a dry run an estimate */
	uint32_t candidates;	 /* sections worth collecting, at the start or later: never less than sections */
	uint32_t unconfirmed;	 /* sections left alone: an owner did not confirm a block, so something is damaged */
	uint32_t unreadable;	 /* sections left alone: a block or a node could not be read */
	uint32_t pinned;	 /* sections left alone: they hold blocks of a device alias, or of a pinned file and
				    move_pinned is not set */
	uint32_t end;		 /* enum f2fs_gc_end */
	f2fs_seg_t next_section; /* with NO_ROOM: the section that did not fit, */
	uint32_t next_blocks;	 /* the blocks in use in it, */
	uint32_t next_nodes;	 /* and the nodes that moving these would write */
};

/*
 * Collect garbage on a volume. Each batch of sections ends in a commit. So if anything stops the work, the volume is as
 * after one of its commits: nothing is ever lost, and calling again continues. A section is left alone as a whole if
 * one of its blocks is not confirmed by the node that the summary names. A warning names the block.
 *
 * options may be NULL. *result (may be NULL) is filled also on failure. Fails with STATE (uncommitted changes, a volume
 * that waits for recovery or a check), READ_ONLY, UNSUPPORTED (a volume without summaries), INVALID (an unknown
 * policy), CANCELED (by the progress callback), IO, NOMEM. Too little room is no failure: see end.
 */
F2FS_API int f2fs_gc(struct f2fs_volume *vol, const struct f2fs_gc_options *options, struct f2fs_gc_result *result);

/*
 * Collect garbage automatically from now on, when a change may not find room: commit, collect, commit, continue.
 * Commits between changes need the option commit_when_full of struct f2fs_write_options (engine.h). Without it GC runs
 * only before the first change after a commit, so that a transaction stays all or nothing. A later change that finds no
 * room then fails with NOSPC, and the message says how much GC could free.
 *
 * GC begins when no more sections are free than the next commit may need, and the holes of used segments are no help.
 * That is so when there are too few holes, or they are not written to (normal logging, zoned volumes), or a pinned file
 * needs whole sections. With like_kernel it begins as the kernel's does: when no more sections are free than the
 * reserve and the waiting blocks may take, regardless of holes.
 *
 * GC ends when free_goal more sections are free than that (0: 1 to 4, fewer on a fuller volume). Of options also
 * policy, cost, target, used_limit (0: 100) and like_kernel count, and sections, blocks, bytes and seconds limit each
 * run. Another run follows when the change needs more sections than one run frees. When the policy's first choice frees
 * too little, greedy is tried. After GC has ended without reaching its goal, it is tried again once 64 more blocks were
 * freed, or a pinned file needs sections. Before that the result would be the same.
 *
 * options is copied; NULL: no GC, as when the volume is opened. Fails with INVALID (an unknown policy, a percentage
 * above 100, dry_run), NOMEM. A volume without summaries is never collected.
 */
F2FS_API int f2fs_volume_set_gc(struct f2fs_volume *vol, const struct f2fs_gc_options *options);

#ifdef __cplusplus
}
#endif
#endif
