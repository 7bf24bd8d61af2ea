/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The compression algorithms of the format (FORMAT files 8.3), one cluster's stream
 * at a time: raw compressed bytes, without the cluster's header. format/cluster.h
 * has the layout of a cluster in a file.
 */
#ifndef F2FSKIT_BASE_COMP_H
#define F2FSKIT_BASE_COMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbered as i_compress_algorithm. */
enum comp_algorithm {
	COMP_LZO = 0,
	COMP_LZ4 = 1,
	COMP_ZSTD = 2,
	COMP_LZORLE = 3,
	COMP_COUNT,
};

enum comp_result {
	COMP_OK = 0,
	COMP_CORRUPT,	  /* the stream is damaged, or makes another number of bytes */
	COMP_NO_ROOM,	  /* the compressed form does not fit */
	COMP_UNAVAILABLE, /* built without this algorithm, or no such algorithm */
	COMP_BAD_LEVEL,	  /* the algorithm has no such level */
	COMP_NO_MEMORY,
};

/*
 * What libraries keep between calls. One per thread; made on first use, by the
 * library's own allocation (libzstd's; the others need none).
 */
struct comp_state {
	void *zstd_reader;
	void *zstd_writer;
};

void comp_init(struct comp_state *state);
void comp_fini(struct comp_state *state);

/* "lzo", "lz4", "zstd", "lzo-rle" as the kernel's mount options have them; NULL for an unknown number. */
const char *comp_name(unsigned int algorithm);

/* Can streams be read, or made, in this build? False for an unknown number, too. LZO needs no library. */
bool comp_can_decompress(unsigned int algorithm);
bool comp_can_compress(unsigned int algorithm);
/* Say why not, "liblz4 is not built in"; static string. */
const char *comp_why_not(unsigned int algorithm);

/* Is @level one that the kernel accepts in an inode: LZO 0; LZ4 0 or 3..12; ZSTD 0..22? */
bool comp_level_is_valid(unsigned int algorithm, unsigned int level);

/*
 * Decompress the whole of @in into @out; only a stream that makes exactly @out_len bytes is COMP_OK. @out holds
 * rubbish otherwise.
 */
enum comp_result comp_decompress(struct comp_state *state, unsigned int algorithm, const uint8_t *in, size_t in_len,
				 uint8_t *out, size_t out_len);

/*
 * The same with all algorithms but *algorithm, which becomes the first that makes exactly @out_len bytes: for streams
 * that the one they are said to be of does not read.
 */
enum comp_result comp_decompress_other(struct comp_state *state, unsigned int *algorithm, const uint8_t *in,
				       size_t in_len, uint8_t *out, size_t out_len);

/* Bytes of memory that comp_compress() needs for @in_len bytes, 0 if none; aligned as malloc() aligns. */
size_t comp_work_size(unsigned int algorithm, unsigned int level, size_t in_len);

/* The work of a compression, and its output. */
struct comp_job {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t cap;	/* of out; never more is written */
	void *work;	/* comp_work_size() bytes */
	size_t out_len; /* is set */
};

/*
 * Compress. The kernel reads the result, given that in_len is a cluster's size: a power of two from 16 KiB. Level 0 is
 * the algorithm's default.
 */
enum comp_result comp_compress(struct comp_state *state, unsigned int algorithm, unsigned int level,
			       struct comp_job *job);

#endif
