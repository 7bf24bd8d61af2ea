/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements that learn how soon contents change again, and group blocks that change at a similar rate. Then whole
 * segments become free at once, and GC moves less. docs/HOTNESS.md shows how much that saves, and when.
 *
 * Experimental: this header may change in any version. The others are the stable core.
 */
#ifndef F2FSKIT_HOTNESS_H
#define F2FSKIT_HOTNESS_H

#include <f2fskit/device.h>
#include <f2fskit/placement.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NAME, number (persistent), name, text: ways to estimate how hot a block is. */
#define F2FS_HOTNESS_TABLE(X)                                                                                          \
	X(M2H, 0, "m2h", "classes by K-means of the update distance of each block, after the M2H paper")               \
	X(DEATH, 1, "death", "by the time at which blocks of a range of a file are expected to change again")          \
	X(LIFESPAN, 2, "lifespan", "by how long overwritten blocks had lived; takes no memory for blocks")             \
	X(ADAPTIVE, 3, "adaptive", "by levels that blocks climb when they change, in as many streams as pay")
/* Ways to estimate hotness, the rows of F2FS_HOTNESS_TABLE. */
enum f2fs_hotness_method {
#define F2FS_HOTNESS_ENUM(id, number, name, text) F2FS_HOTNESS_##id = (number),
	F2FS_HOTNESS_TABLE(F2FS_HOTNESS_ENUM)
#undef F2FS_HOTNESS_ENUM
};
/* Return the number of a method by its name, -1 for an unknown name. */
F2FS_API int f2fs_hotness_find(const char *name);
/* Return the name of a method, NULL for an unknown number: count from 0 to list them. */
F2FS_API const char *f2fs_hotness_name(unsigned method);
/* Return one line about a method, NULL for an unknown number. */
F2FS_API const char *f2fs_hotness_text(unsigned method);

/*
 * Options of f2fs_hotness_open; begin it with F2FS_SIZED. Zero members mean the default.
 *
 * DEATH takes streams, memory and range_blocks. M2H takes all other members; the paper leaves those from sample on
 * open, or gives them as a number. ADAPTIVE takes streams and memory, and its levels are learned again each time.
 */
struct f2fs_hotness_options {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t method;      /* enum f2fs_hotness_method */
	/* M2H: classes, 2 to F2FS_STREAMS; 0: 10, as in the paper. DEATH: 4 to F2FS_STREAMS, the upper half for
	 * blocks that GC moves; 0: 12. LIFESPAN: always 6. ADAPTIVE: the most that are used at a time, 1 to
	 * F2FS_STREAMS; 0: 6 to 10, one for each 100 sections. */
	uint32_t streams;
	/* the most bytes for entries; 0: enough for all entries. M2H: 8 for each block of the main area with all
	 * tables, which is room for all but a hundredth of the entries. Entries that do not fit go to the sidecar,
	 * or are dropped. DEATH: 12 for each range of a file. ADAPTIVE: 1 for each block. */
	uint64_t memory;
	/* M2H: a device or file of at least f2fs_hotness_sidecar_bytes() bytes, which keeps the entries when the
	 * volume is closed. It belongs to the caller, and must stay open. A sidecar of another volume, or of another
	 * state of this one, counts as empty. A sidecar that fails is not used any more. Others: NULL. */
	struct f2fs_device *sidecar;
	uint32_t sample; /* blocks that clustering samples; 0: 4096 */
	/* of the layered statistics that initial centroids come from, up to 256; 0: four for each class */
	uint32_t intervals;
	uint32_t round; /* writes between two tests for a change of the pattern; 0: 5000 */
	/* a distance that differs by more than that from the previous one counts as changed; 0: half the least
	 * distance between two borders of classes */
	uint32_t gap;
	/* size in blocks of the ranges of a file that share one lifetime, a power of two; 0: 64 */
	uint32_t range_blocks;
	/* percent of the sample that comes from the half of the entries not used for longer; 0: 30 */
	uint8_t older_share;
	/* with 1 that percentage of the older half is drawn, and the rest to 100 of the newer half */
	uint8_t samples_halves;
	uint8_t by_logarithm;  /* with 1 distances are compared by their logarithm */
	uint8_t changed_share; /* percent of a round: with more changes the classes are computed again; 0: 50 */
	/* with 1 blocks of the hotter half of the classes wait in memory: 1, 2, 4, 8, 15 rounds, the hottest longest */
	uint8_t delays;
	/* with 1 blocks that GC moves go to the stream of their class instead of the log of cold data */
	uint8_t moves_apart;
	/* with 1 a block that GC moves keeps the time when its file last wrote it. With 0 the move counts as a
	 * write, as for the time of a segment in cost-benefit. So cold blocks just moved are not the oldest again at
	 * once. */
	uint8_t moves_keep;
	uint8_t delay_most;    /* with delays no block waits longer than that many rounds, up to 15; 0: 15 */
	uint8_t unknown_class; /* class of a block without an entry, 1 the hottest; 0: the coldest but one */
};

struct f2fs_hotness; /* opaque */

/*
 * Set a placement that learns. options may be NULL. Fails as f2fs_volume_set_placement(), with INVALID (an invalid
 * option, a sidecar that is too small, or for another method than M2H). ADAPTIVE needs no free sections: it begins
 * without streams, and on a zoned device it uses only as many as zones can be open. Close it before the volume.
 */
F2FS_API int f2fs_hotness_open(struct f2fs_volume *vol, const struct f2fs_hotness_options *options,
			       struct f2fs_hotness **out);
/*
 * Remove the placement and save the sidecar. Fails with STATE when there are uncommitted changes; then nothing changes.
 * A sidecar that cannot be saved is no failure. NULL is allowed.
 */
F2FS_API int f2fs_hotness_close(struct f2fs_hotness *hotness);
/* Return the size in bytes of a sidecar for a volume. */
F2FS_API uint64_t f2fs_hotness_sidecar_bytes(const struct f2fs_volume *vol);

/* Numbers of a hotness placement; begin it with F2FS_SIZED. */
struct f2fs_hotness_stat {
	uint32_t struct_size;		/* F2FS_SIZED */
	uint64_t written;		/* blocks */
	uint64_t known;			/* of them blocks that had an entry before; ADAPTIVE: a level above 0 */
	uint64_t memory;		/* bytes that entries and tables take now */
	uint64_t hits;			/* entries found in memory */
	uint64_t misses;		/* entries looked up in the sidecar */
	uint64_t evictions;		/* pages of entries that left memory */
	uint64_t sidecar_reads;		/* reads of the sidecar */
	uint64_t sidecar_writes;	/* writes to it */
	uint64_t sidecar_errors;	/* those of them that failed */
	uint32_t sidecar_fits;		/* 1: the entries of the sidecar were used */
	uint32_t clusterings;		/* how often the classes were computed */
	uint64_t rounds;		/* tests for a change of the pattern; ADAPTIVE: looks at the levels */
	uint32_t separates;		/* ADAPTIVE: 0 while no stream would pay; the others: 1 */
	uint32_t classes;		/* length of borders that is in use; ADAPTIVE: streams in use, and the logs */
	uint32_t borders[F2FS_STREAMS]; /* the largest distance, or lifetime, of each class, in blocks written; of the
					   last one UINT32_MAX */
};
/* Copy the numbers of a placement so far to *out. */
F2FS_API void f2fs_hotness_stat(const struct f2fs_hotness *hotness, struct f2fs_hotness_stat *out);

#ifdef __cplusplus
}
#endif
#endif
