/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces of other programs as sources: a table of the formats, and the two readings.
 */
#include "lab/import.h"
#include "lab/import_state.h"

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
	lab_import_forget_files(im);
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

/* Make, in round 0, the files that existed before the trace. */
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
	lab_import_forget_files(im);
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
#define CSV(id, ...) IMPORT(id, #id)
#include "lab/csv_formats.def"
#undef CSV

int lab_import_is(const struct lab_source_type *type)
{
	return type->next == next; /* which no other source has */
}
