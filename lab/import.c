/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is the same for all traces of other programs: reading lines, files by their paths, and the two readings.
 */
#include "lab/import.h"

#include "cli/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct import_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_import.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(import_params, key, kind, standard, min, max, help)
#include "lab/gen_import.def"
#undef PARAM
};

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

static void forget_files(struct lab_import *im)
{
	for (uint32_t i = 0; i < im->table_room; i++)
		free(im->table[i].path);
	free(im->table);
	im->table = NULL;
	im->table_room = im->table_count = im->numbers = 0;
}

/* ---- operations ---- */

/* The first reading: what an operation tells about the file before the trace. */
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
		return lab_import_wrong(im, "offset", "ends behind 16 TiB");
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

/* ---- the source ---- */

/* Read a line and hand it to the format: 0, LAB_END, or -1 with an error. */
static int read_line(struct lab_import *im)
{
	size_t n;

	if (cli_stopped())
		return lab_import_wrong(im, "text", "stopped");
	if (!fgets(im->text, LAB_IMPORT_LINE, im->from)) {
		if (!ferror(im->from))
			return LAB_END;
		return lab_import_wrong(im, "text", strerror(errno));
	}
	im->line++;
	im->queue_count = im->queue_at = 0;
	n = strlen(im->text);
	if (n == LAB_IMPORT_LINE - 1)
		return lab_import_wrong(im, "text", "is too long");
	if (n == 0 || (im->text[n - 1] != '\n' && !feof(im->from)))
		return lab_import_wrong(im, "text", "holds a zero byte");
	while (n > 0 && (im->text[n - 1] == '\n' || im->text[n - 1] == '\r'))
		im->text[--n] = '\0';
	return n == 0 ? 0 : im->format->line(im, im->text);
}

/* Begin to read: the format's state is new, and files are counted from 0 again. */
static int begin(struct lab_import *im, int is_survey)
{
	if (im->state && im->format->stop)
		im->format->stop(im->state);
	free(im->state);
	im->state = calloc(1, im->format->state_size);
	forget_files(im);
	for (uint32_t i = 0; i < im->surveyed; i++)
		im->known[i].size = im->known[i].is_made ? 0 : im->known[i].before;
	im->line = im->time_us = 0;
	im->is_survey = is_survey;
	if (fseek(im->from, 0, SEEK_SET) != 0)
		return lab_import_wrong(im, "text", "is read twice, and only a file can be");
	return im->state ? 0 : lab_import_wrong(im, "text", "out of memory");
}

static int start(struct lab_source *source)
{
	struct lab_import *im = source->state;
	const struct import_params *p = source->params;
	int rc;

	im->source = source;
	im->file = p->file;
	im->under = p->under;
	im->from = fopen(p->file, "r");
	im->text = malloc(LAB_IMPORT_LINE);
	if (!im->from || !im->text) {
		snprintf(source->error, sizeof(source->error), "%.100s: %s", p->file, strerror(errno));
		return -1;
	}
	rc = begin(im, 1);
	while (!rc)
		rc = read_line(im);
	if (rc < 0)
		return -1;
	im->surveyed = im->numbers;
	if (im->surveyed == 0) {
		snprintf(source->error, sizeof(source->error), "%.100s: has no operation on a file", p->file);
		return -1;
	}
	return begin(im, 0);
}

/* Round 0 makes what was there before the trace. */
static int make_next(struct lab_import *im, struct lab_op *op)
{
	while (im->making < im->surveyed && im->known[im->making].is_made)
		im->making++;
	if (im->making == im->surveyed)
		return LAB_END;
	*op = (struct lab_op){ .kind = LAB_OP_CREATE, .file = im->making };
	if (im->is_filling) {
		op->kind = LAB_OP_WRITE;
		op->length = im->known[im->making].before;
	}
	im->is_filling = !im->is_filling && im->known[im->making].before > 0;
	im->making += !im->is_filling;
	return 0;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	struct lab_import *im = source->state;
	int rc = 0;

	if (source->round == 0) {
		rc = make_next(im, op);
	} else {
		while (!rc && im->queue_at == im->queue_count)
			rc = read_line(im);
		if (!rc)
			*op = im->queue[im->queue_at++];
	}
	if (!rc && op->kind == LAB_OP_CREATE) {
		snprintf(source->name, sizeof(source->name), "d%" PRIu32 "/f%" PRIu32, op->file / 1000, op->file);
		op->name = source->name;
	}
	return rc;
}

static void stop(struct lab_source *source)
{
	struct lab_import *im = source->state;

	if (im->state && im->format->stop)
		im->format->stop(im->state);
	if (im->from)
		fclose(im->from);
	forget_files(im);
	free(im->state);
	free(im->known);
	free(im->queue);
	free(im->text);
}

/* A source for each format. */
#define IMPORT(id, word)                                                                                               \
	extern const struct lab_import_format lab_import_##id;                                                         \
	static int start_##id(struct lab_source *source)                                                               \
	{                                                                                                              \
		((struct lab_import *)source->state)->format = &lab_import_##id;                                       \
		return start(source);                                                                                  \
	}                                                                                                              \
	const struct lab_source_type lab_source_##id = {                                                               \
		.name = word,                                                                                          \
		.params = params,                                                                                      \
		.param_count = sizeof(params) / sizeof(params[0]),                                                     \
		.params_size = sizeof(struct import_params),                                                           \
		.state_size = sizeof(struct lab_import),                                                               \
		.start = start_##id,                                                                                   \
		.next = next,                                                                                          \
		.stop = stop,                                                                                          \
	};
IMPORT(strace, "strace")
IMPORT(fio, "fio")
IMPORT(blkparse, "blkparse")
