/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State while reading a trace of another program: files by their paths and numbers, and the operations of a line.
 */
#ifndef F2FSKIT_LAB_IMPORT_STATE_H
#define F2FSKIT_LAB_IMPORT_STATE_H

#include <stdio.h>

#include "lab/source.h"

enum { LAB_IMPORT_LINE = 1 << 16, LAB_IMPORT_FILES = 1 << 22 };
#define LAB_IMPORT_END ((uint64_t)1 << 44) /* no offset may be beyond */

struct lab_import;

/* A format: how a line is read. line returns 0, or -1 after lab_import_wrong(). */
struct lab_import_format {
	size_t state_size;
	int (*line)(struct lab_import *im, char *text);
	void (*stop)(void *state); /* NULL: nothing to be given back */
};

/* A file, as known after the first reading. */
struct lab_import_known {
	uint64_t before; /* bytes that it had before */
	uint64_t size;	 /* bytes that it has where the reading is now */
	uint8_t is_made; /* by the trace */
	uint8_t is_sure; /* that it was made, not opened as it was there */
};

struct lab_import_file {
	char *path;
	uint32_t number;
	uint8_t is_there;
};

struct lab_import {
	const struct lab_import_format *format;
	struct lab_source *source;
	const char *file, *under;
	FILE *from;
	uint64_t line, time_us;
	void *state;
	char *text; /* LAB_IMPORT_LINE bytes */
	/* files by path, and by number */
	struct lab_import_file *table;
	uint32_t table_room, table_count;
	struct lab_import_known *known;
	uint32_t known_room, numbers, surveyed;
	int is_survey;
	/* operations of the line that was read last */
	struct lab_op *queue;
	unsigned queue_count, queue_room, queue_at;
	uint32_t making; /* round 0: the file that is made next */
	int is_filling;	 /* its contents come next */
};

/* Is a path one that is wanted: below the directory that the parameters name. */
int lab_import_is_wanted(const struct lab_import *im, const char *path);
/* The entry of a path, made when it is missing; NULL after lab_import_wrong(). Good until the next call. */
struct lab_import_file *lab_import_file(struct lab_import *im, const char *path);
/* The entry, or NULL when there is none. */
struct lab_import_file *lab_import_find(struct lab_import *im, const char *path);
/* A new entry for a path that has none, without a file. NULL after lab_import_wrong(). */
struct lab_import_file *lab_import_alias(struct lab_import *im, const char *path);
/* Let an entry have a file that was not seen before. 0, or -1 after lab_import_wrong(). */
int lab_import_renew(struct lab_import *im, struct lab_import_file *file);
/* Forget all files of a reading. */
void lab_import_forget_files(struct lab_import *im);
/* A file was made (is_sure), or opened so that it would be made if it was missing; its number was not used before. */
int lab_import_made(struct lab_import *im, uint32_t number, unsigned thread, int is_sure);
/* Put an operation. A write with at_end shows nothing about the earlier contents of the file. */
int lab_import_put(struct lab_import *im, const struct lab_op *op, int at_end);
/* Fail at this line, naming the field. Returns -1. */
int lab_import_wrong(struct lab_import *im, const char *field, const char *why);
/* A number of a line, decimal or 0x..., up to most. 0, or -1 after lab_import_wrong(). */
int lab_import_number(struct lab_import *im, const char *field, const char *text, uint64_t most, uint64_t *out);
/* Time since the start, in microseconds; it never goes back. */
void lab_import_time(struct lab_import *im, uint64_t time_us);

#endif
