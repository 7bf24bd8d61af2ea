/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Our engine as an experiment drives it: a volume that is made, opened and changed through the library's public
 * interface alone. Contents are zeros; a device may keep none (hollow.h).
 */
#ifndef F2FSKIT_LAB_ENGINE_H
#define F2FSKIT_LAB_ENGINE_H

#include <f2fskit/f2fskit.h>

#include "lab/config.h"
#include "lab/op.h"
#include "lab/read_back.h"

/* How a volume is made and written: tables [volume] and [engine] of an experiment. */
struct lab_volume_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/volume.def"
#undef PARAM
};
struct lab_engine_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/engine.def"
#undef PARAM
};
/* Their tables of parameters, for reading and for the list of what there is. */
const struct lab_param *lab_volume_table(unsigned *count);
const struct lab_param *lab_engine_table(unsigned *count);

/* Bytes that a volume made so has for users; an error code, which the context explains. */
int lab_volume_room(struct f2fs_context *ctx, struct f2fs_device *dev, const struct lab_volume_params *volume,
		    uint64_t *bytes);

struct lab_engine;
struct lab_future;
struct lab_meter;

/* The work that was requested, in blocks of the file system where a file has them. */
struct lab_asked {
	uint64_t blocks; /* written by operations */
	uint64_t ops, fsyncs, creates, removes, commits;
	uint64_t lookups, lookup_blocks, reads, read_blocks; /* with engine.reads */
	uint64_t pointers; /* blocks of the trees above them, for each write by itself */
};

/*
 * Make a volume on dev (kept by reference) and open it. An error is a negative enum f2fs_error, which the context
 * explains; the parameters stay the caller's while the engine is used, and so does future, which the placement "future"
 * needs (baseline_future.h; else NULL). Free with lab_engine_close(), which takes NULL.
 */
int lab_engine_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct lab_volume_params *volume,
		    const struct lab_engine_params *params, struct lab_future *future, struct lab_engine **out);
/* Name the meter of dev, which counts the blocks of look-ups: before the first operation. */
void lab_engine_set_meter(struct lab_engine *e, const struct lab_meter *meter);
/* Carry out an operation of source number `source`: each has a directory and file numbers of its own. */
int lab_engine_do(struct lab_engine *e, unsigned source, const struct lab_op *op);
/* Commit, so that the volume's tables show all operations. */
int lab_engine_commit(struct lab_engine *e);
/* Is a volume with these parameters cleaned before rounds? */
int lab_engine_is_idle(const struct lab_engine_params *params);
/* Clean as engine.idle_sections or engine.idle_seconds says, and commit. *result gets the outcome. */
int lab_engine_idle(struct lab_engine *e, struct f2fs_gc_result *result);
/* Look where the blocks of a source's files are, and add them to *out. An error code. */
int lab_engine_read_back(struct lab_engine *e, unsigned source, struct lab_read_back *out);
/* Return the counts of the placement; all 0 without one. */
void lab_engine_hotness(const struct lab_engine *e, struct f2fs_hotness_stat *out);
struct f2fs_volume *lab_engine_volume(const struct lab_engine *e);
const struct lab_asked *lab_engine_asked(const struct lab_engine *e);
void lab_engine_close(struct lab_engine *e);

#endif
