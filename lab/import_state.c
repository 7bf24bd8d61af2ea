/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State while reading a trace: files by their paths and numbers, and the operations of a line.
 */
#include "lab/import_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int lab_import_wrong(struct lab_import *im, const char *field, const char *why)
{
	snprintf(im->source->error, sizeof(im->source->error), "%.60s: line %" PRIu64 ": %.30s: %s", im->file, im->line,
		 field, why);
	return -1;
}

int lab_import_number(struct lab_import *im, const char *field, const char *text, uint64_t most, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 0) : 0;
	if (text[0] < '0' || text[0] > '9' || *end != '\0')
		return lab_import_wrong(im, field, "is no number");
	return errno || *out > most ? lab_import_wrong(im, field, "is too large") : 0;
}

void lab_import_time(struct lab_import *im, uint64_t time_us)
{
	im->time_us = time_us > im->time_us ? time_us : im->time_us;
}

static int is_below(const char *path, const char *directory)
{
	const size_t n = strlen(directory);

	return strncmp(path, directory, n) == 0 && (path[n] == '/' || (n > 0 && directory[n - 1] == '/'));
}

int lab_import_is_wanted(const struct lab_import *im, const char *path)
{
	if (im->under[0])
		return is_below(path, im->under);
	return !is_below(path, "/dev") && !is_below(path, "/proc") && !is_below(path, "/sys");
}

/* ---- files ---- */

static uint32_t hash_of(const char *path)
{
	uint32_t h = 2166136261u;

	for (; *path; path++)
		h = (h ^ (uint8_t)*path) * 16777619u;
	return h;
}

/* Where a path is in the table, or would be. */
static struct lab_import_file *slot_of(const struct lab_import *im, const char *path)
{
	uint32_t at = hash_of(path) & (im->table_room - 1);

	while (im->table[at].path && strcmp(im->table[at].path, path) != 0)
		at = (at + 1) & (im->table_room - 1);
	return &im->table[at];
}

static int grow_table(struct lab_import *im)
{
	struct lab_import_file *old = im->table;
	const uint32_t room = im->table_room;

	if (room && im->table_count < room / 2)
		return 0;
	im->table = calloc(room ? room * 2 : 256, sizeof(*im->table));
	if (!im->table) {
		im->table = old;
		return lab_import_wrong(im, "path", "out of memory");
	}
	im->table_room = room ? room * 2 : 256;
	for (uint32_t i = 0; i < room; i++)
		if (old[i].path)
			*slot_of(im, old[i].path) = old[i];
	free(old);
	return 0;
}

struct lab_import_file *lab_import_find(struct lab_import *im, const char *path)
{
	struct lab_import_file *file = im->table_room ? slot_of(im, path) : NULL;

	return file && file->path ? file : NULL;
}

int lab_import_renew(struct lab_import *im, struct lab_import_file *file)
{
	if (im->numbers >= LAB_IMPORT_FILES)
		return lab_import_wrong(im, "path", "is of one file too many");
	if (im->is_survey && im->numbers == im->known_room) {
		const uint32_t room = im->known_room ? im->known_room * 2 : 256;
		struct lab_import_known *more = realloc(im->known, room * sizeof(*more));

		if (!more)
			return lab_import_wrong(im, "path", "out of memory");
		im->known = more;
		im->known_room = room;
	}
	if (im->is_survey)
		im->known[im->numbers] = (struct lab_import_known){ 0 };
	file->number = im->numbers++;
	file->is_there = 1;
	return 0;
}

struct lab_import_file *lab_import_alias(struct lab_import *im, const char *path)
{
	struct lab_import_file *file;

	if (grow_table(im))
		return NULL;
	file = slot_of(im, path);
	file->path = strdup(path);
	if (!file->path) {
		lab_import_wrong(im, "path", "out of memory");
		return NULL;
	}
	im->table_count++;
	return file;
}

struct lab_import_file *lab_import_file(struct lab_import *im, const char *path)
{
	struct lab_import_file *file = lab_import_find(im, path);

	if (file)
		return file;
	file = lab_import_alias(im, path);
	return file && !lab_import_renew(im, file) ? file : NULL;
}

void lab_import_forget_files(struct lab_import *im)
{
	for (uint32_t i = 0; i < im->table_room; i++)
		free(im->table[i].path);
	free(im->table);
	im->table = NULL;
	im->table_room = im->table_count = im->numbers = 0;
}

/* ---- operations ---- */

/* Note, in the first reading, what an operation shows about the file before the trace. */
static void survey(struct lab_import *im, const struct lab_op *op, int at_end)
{
	struct lab_import_known *k = &im->known[op->file];
	const uint64_t end = op->offset + op->length;

	if (op->kind != LAB_OP_WRITE && op->kind != LAB_OP_READ)
		return;
	if (op->kind == LAB_OP_READ && end > k->size && !k->is_sure)
		k->is_made = 0; /* what nobody wrote was there before */
	if (!k->is_made && !at_end && end > k->before)
		k->before = end;
}

static void resize(struct lab_import_known *k, const struct lab_op *op)
{
	const uint64_t end = op->offset + op->length;

	if (op->kind == LAB_OP_TRUNCATE)
		k->size = op->offset;
	else if ((op->kind == LAB_OP_WRITE || op->kind == LAB_OP_READ) && end > k->size)
		k->size = end;
}

static int enqueue(struct lab_import *im, const struct lab_op *op)
{
	if (im->queue_count == im->queue_room) {
		const unsigned room = im->queue_room ? im->queue_room * 2 : 8;
		struct lab_op *more = realloc(im->queue, room * sizeof(*more));

		if (!more)
			return lab_import_wrong(im, "operation", "out of memory");
		im->queue = more;
		im->queue_room = room;
	}
	im->queue[im->queue_count] = *op;
	im->queue[im->queue_count++].time_us = im->time_us;
	return 0;
}

int lab_import_put(struct lab_import *im, const struct lab_op *op, int at_end)
{
	if (op->offset > LAB_IMPORT_END || op->length > LAB_IMPORT_END - op->offset)
		return lab_import_wrong(im, "offset", "ends past 16 TiB");
	if (im->is_survey && op->kind != LAB_OP_SYNC)
		survey(im, op, at_end);
	if (op->kind != LAB_OP_SYNC)
		resize(&im->known[op->file], op);
	return im->is_survey ? 0 : enqueue(im, op);
}

int lab_import_made(struct lab_import *im, uint32_t number, unsigned thread, int is_sure)
{
	const struct lab_op op = { .kind = LAB_OP_CREATE, .thread = (uint16_t)thread, .file = number };

	if (im->is_survey) {
		im->known[number].is_made = 1;
		im->known[number].is_sure = (uint8_t)is_sure;
		return 0;
	}
	return im->known[number].is_made ? enqueue(im, &op) : 0;
}
