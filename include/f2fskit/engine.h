/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options and statistics of writing: where blocks go, which files become compressed, and discarding freed space. The
 * defaults are good for images. Nothing here changes the files of a volume.
 */
#ifndef F2FSKIT_ENGINE_H
#define F2FSKIT_ENGINE_H

#include <f2fskit/compress.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * When contents of files are overwritten in place, instead of written to new blocks. Pinned files are always
 * overwritten in place, except with NEVER. With NEVER those of their blocks that the last commit has cannot be changed.
 */
enum f2fs_in_place {
	F2FS_IN_PLACE_NEVER = 0, /* each commit is all or nothing */
	F2FS_IN_PLACE_FULL = 1,	 /* when free sections run low: the volume stays sound, but contents may come from an
				  * uncommitted change */
	F2FS_IN_PLACE_ALWAYS = 2 /* as the kernel does on volumes below 16 GiB */
};

/* Where logs continue when their segment is full. */
enum f2fs_logging {
	F2FS_LOGGING_ADAPTIVE = 0, /* in free segments, and when free sections run low in the holes of used ones */
	F2FS_LOGGING_NORMAL = 1,   /* in free segments only, as the kernel does with mode=lfs: GC makes them */
	F2FS_LOGGING_THREADED = 2  /* in holes as long as there are any */
};
/* Return the number of a way of logging by its name ("adaptive", "normal", "threaded"), -1 for an unknown name. */
F2FS_API int f2fs_logging_find(const char *name);
/* Return its name, NULL for an unknown number: count from 0 to list them. */
F2FS_API const char *f2fs_logging_name(unsigned logging);

/* Which log contents of regular files go to, unless their name or flags decide it; with 6 logs, or 4 and cold_apart. */
enum f2fs_temperature {
	F2FS_TEMPERATURE_TABLE = 0,  /* warm, all of them: the table of the F2FS paper */
	F2FS_TEMPERATURE_SLIDES = 1, /* appended data is cold, updated data warm: the slides on F2FS */
	F2FS_TEMPERATURE_KERNEL = 2  /* hot while no more than 16 blocks of the file are written at once, as the kernel
					counts dirty pages, else warm */
};
/* Return the number of a rule by its name ("table", "slides", "kernel"), -1 for an unknown name. */
F2FS_API int f2fs_temperature_find(const char *name);
/* Return the name of a rule, NULL for an unknown number: count from 0 to list them. */
F2FS_API const char *f2fs_temperature_name(unsigned temperature);

/* Which other changes f2fs_fsync() makes durable with a file, as the kernel's mount option fsync_mode. */
enum f2fs_fsync_mode {
	F2FS_FSYNC_MODE_STRICT = 0, /* of a new file also earlier removals of names from its directory */
	F2FS_FSYNC_MODE_POSIX = 1   /* the file only: names removed from its directory may come back */
};
/* Return the number of a mode by its name ("strict", "posix"), -1 for an unknown name. */
F2FS_API int f2fs_fsync_mode_find(const char *name);
/* Return the name of a mode, NULL for an unknown number: count from 0 to list them. */
F2FS_API const char *f2fs_fsync_mode_name(unsigned mode);

/* How much must be free for a commit to discard it, as the kernel's mount option discard_unit. */
enum f2fs_discard_unit {
	F2FS_DISCARD_UNIT_BLOCK = 0,   /* each block that the commit frees */
	F2FS_DISCARD_UNIT_SEGMENT = 1, /* segments that are free as a whole after it */
	F2FS_DISCARD_UNIT_SECTION = 2  /* sections that are free as a whole after it */
};
/* Return the number of a unit by its name ("block", "segment", "section"), -1 for an unknown name. */
F2FS_API int f2fs_discard_unit_find(const char *name);
/* Return the name of a unit, NULL for an unknown number: count from 0 to list them. */
F2FS_API const char *f2fs_discard_unit_name(unsigned unit);

/* Options of writing; begin it with F2FS_SIZED, zero members mean the default. */
struct f2fs_write_options {
	uint32_t struct_size; /* F2FS_SIZED */
	uint8_t logs;	      /* active logs, 6, 4 or 2; 0: 6 */
	/* percent of the sections. When no more than that are free, blocks fill holes of segments in use instead of
	 * free segments; 0: 5. Never less than the kernel's threshold, twice the reserved sections, unless
	 * low_is_exact. */
	uint8_t low_sections;
	uint8_t in_place; /* enum f2fs_in_place */
	/* blocks that a commit frees are discarded on devices and punched out of image files */
	uint8_t discard;
	uint8_t has_compression; /* 1: compression says how files are compressed */
	uint8_t minimum_saved;	 /* blocks that compressing a cluster must save; 0: 1 */
	/* blocks freed since the last commit cannot be used before the next one, so many changes in a row may fail
	 * with NOSPC though the volume is not full. With 1 a change that finds little room commits the changes
	 * before it, which f2fs_volume_rollback() then keeps. Long writes are done, and committed, in pieces. With 0
	 * the caller commits, after NOSPC or in time, and continues. */
	uint8_t commit_when_full;
	/* with 1 the volume's clock (f2fs_volume_clock) stands still while the volume is open, so that the same
	 * changes give the same bytes however long they take */
	uint8_t clock_stands;
	uint8_t logging;      /* enum f2fs_logging. On zoned volumes all is normal logging. */
	uint8_t low_is_exact; /* with 1 low_sections is the exact threshold, also when it is 0 */
	uint8_t temperature;  /* enum f2fs_temperature */
	/* with 4 logs, hot and warm data share a log and cold data have their own; else warm and cold data share one */
	uint8_t cold_apart;
	/* with 0 a small write over existing contents waits in memory until the commit (or an fsync of the file, or
	 * 4,096 waiting blocks). So blocks that are overwritten again are written once. With 1 each write of whole
	 * blocks goes to its log at once, unless a placement delays it. */
	uint8_t at_once;
	/* for files that become compressed by their name or directory, with has_compression. Else the directory's
	 * setting counts, and LZ4 where it has none. */
	struct f2fs_compression compression;
	/* extensions of files that become compressed in any directory, separated by commas ("txt,log"), "*" for all;
	 * NULL: none. Files with hot extensions of the volume are never compressed. */
	const char *compress_names;
	const char *plain_names; /* extensions of files that stay uncompressed, as compress_names */
	/* enum f2fs_fsync_mode. In a directory from which names were removed, strict makes the fsync of each new
	 * file a commit. posix does so only where a recovery could lose a file that now has another name. The
	 * kernel's posix mode does not check that. */
	uint8_t fsync_mode;
	uint8_t discard_unit; /* enum f2fs_discard_unit, with discard. Zones are reset as a whole with any unit. */
};

/*
 * Choose how the volume is written from now on; strings are copied. NULL: the defaults. Fails with INVALID, UNSUPPORTED
 * (compression, as f2fs_compress_set(); writing a zoned volume in place), STATE (uncommitted changes).
 */
F2FS_API int f2fs_volume_configure(struct f2fs_volume *vol, const struct f2fs_write_options *options);

/*
 * Return the volume's clock in seconds. It counts the time for which the volume was mounted (FORMAT files 10.6). GC
 * uses it to find out how old the contents of a segment are. While a volume is open the clock runs with that of the
 * context's host (without one it stands still), as if the volume were mounted. Commits store it.
 */
F2FS_API uint64_t f2fs_volume_clock(const struct f2fs_volume *vol);
/*
 * Advance the volume's clock by that many seconds, so that earlier changes look older than later ones. The next commit
 * stores it. For tools that make a volume look used. Fails with RANGE beyond some hundred million years.
 */
F2FS_API int f2fs_volume_elapse(struct f2fs_volume *vol, uint64_t seconds);

/* NAME, number (persistent), name, text: reasons for writing blocks. */
#define F2FS_WRITE_CAUSE_TABLE(X)                                                                                      \
	X(DATA, 0, "data", "contents of files and directories")                                                        \
	X(NODE, 1, "node", "inodes and other nodes")                                                                   \
	X(MOVED_DATA, 2, "moved-data", "contents that GC moved")                                                       \
	X(MOVED_NODE, 3, "moved-node", "nodes that GC moved, or whose contents it moved")                              \
	X(NAT, 4, "nat", "the table of node addresses")                                                                \
	X(SIT, 5, "sit", "the table of segments")                                                                      \
	X(SSA, 6, "ssa", "summaries")                                                                                  \
	X(PACK, 7, "pack", "checkpoint packs, with journals and orphans")                                              \
	X(CHAIN, 8, "chain", "nodes that end an fsync")                                                                \
	X(SUPERBLOCK, 9, "superblock", "superblocks, by labels, resizing and repairs")
/* Reasons for writing blocks, the rows of F2FS_WRITE_CAUSE_TABLE. */
enum f2fs_write_cause {
#define F2FS_WRITE_CAUSE_ENUM(id, number, name, text) F2FS_WRITE_##id = (number),
	F2FS_WRITE_CAUSE_TABLE(F2FS_WRITE_CAUSE_ENUM)
#undef F2FS_WRITE_CAUSE_ENUM
		F2FS_WRITE_CAUSES /* number of causes */
};
/* Return the name of a cause ("moved-data"); NULL for other numbers. */
F2FS_API const char *f2fs_write_cause_name(unsigned cause);
/* Return one line about a cause; NULL for other numbers. */
F2FS_API const char *f2fs_write_cause_text(unsigned cause);

#define F2FS_COUNTER_SIZES 12 /* up to 4 KiB, up to 8 KiB, ... up to 4 MiB, more */
/* Writes to the device since the volume was opened, committed or not. */
struct f2fs_counters {
	uint32_t struct_size;		      /* F2FS_SIZED */
	uint64_t bytes[F2FS_WRITE_CAUSES];    /* written, by enum f2fs_write_cause */
	uint64_t requests[F2FS_WRITE_CAUSES]; /* writes */
	uint64_t sizes[F2FS_COUNTER_SIZES];   /* writes by their length: number i up to 4096 << i bytes, the last any */
	uint64_t threaded_bytes;	      /* of these: bytes that logs wrote into holes of used segments */
	uint64_t log_new[F2FS_LOG_COUNT];     /* blocks of changes, not of GC, by the log that they would have among
					       * 6 logs: new ones, */
	uint64_t log_updated[F2FS_LOG_COUNT]; /* and those that replace others */
	uint64_t zero_bytes;		      /* zeros written to blocks preallocated for pinned files */
	uint64_t zero_requests;		      /* writes of them */
	uint64_t discard_bytes;		      /* bytes discarded */
	uint64_t discards;		      /* discards */
	uint64_t zone_resets;		      /* zones reset */
	uint64_t flushes;		      /* flushes of the device */
	uint64_t commits;		      /* checkpoints written */
	uint64_t gc_sections;		      /* emptied by GC */
	uint64_t gc_blocks;		      /* blocks in use that GC moved out of them */
};
/*
 * Copy the counters of all writes so far by changes, commits, fsyncs, GC, recovery and labels. Their sum is the amount
 * that the device was asked to write. Areas rewritten by resizing are not included, as the volume is opened again after
 * that.
 */
F2FS_API void f2fs_volume_counters(const struct f2fs_volume *vol, struct f2fs_counters *out);

/*
 * Discard all blocks of the main area that are free, in runs of at least minimum bytes (0: all). *bytes (may be NULL)
 * gets the discarded bytes. Fails with STATE (uncommitted changes, a volume that waits for recovery), READ_ONLY, IO.
 */
F2FS_API int f2fs_volume_trim(struct f2fs_volume *vol, uint64_t minimum, uint64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
