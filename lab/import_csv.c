/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read block traces whose lines are requests: MSR Cambridge (SNIA 388), Alibaba (block-traces, io_traces.csv),
 * Tencent (SNIA 27917) and MiDAS (its simulator). csv_formats.def has their fields, as the texts that come with them
 * say. Each device is one file, written before as far as the trace goes. Times count from the first request.
 */
#include "lab/import_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8 };
enum { NONE = FIELDS }; /* a field that a format lacks */

/* A format: which field is what, and its units. */
struct layout {
	const char *separators;
	const char *fields[FIELDS]; /* names, for messages; a NULL ends them */
	uint8_t time, device, disk, kind, offset, length; /* numbers of fields */
	const char *read, *write, *others;		  /* words of kind; others: of requests that have no effect */
	uint64_t offset_unit, length_unit;		  /* bytes */
	double time_unit;				  /* microseconds */
};

struct csv {
	double began; /* time of the first request, in the format's unit */
	int has_begun;
};

static unsigned count_fields(const struct layout *l)
{
	unsigned n = 0;

	while (n < FIELDS && l->fields[n])
		n++;
	return n;
}

/* Cut a line into its fields, in place. Return their number, at most one more than the format has. */
static unsigned cut(const struct layout *l, char *text, char **fields)
{
	const unsigned most = count_fields(l);
	unsigned n = 0;

	for (char *at = text; n <= most; n++) {
		const size_t length = strcspn(at, l->separators);
		const int is_last = at[length] == '\0';

		if (n < most)
			fields[n] = at;
		at[length] = '\0';
		if (is_last)
			return n + 1;
		at += length + 1;
	}
	return n;
}

/* Times may have a fraction. */
static int take_time(struct lab_import *im, const struct layout *l, const char *text)
{
	struct csv *c = im->state;
	char *end;
	const double time = strtod(text, &end);
	double us;

	if (text[0] < '0' || text[0] > '9' || *end != '\0')
		return lab_import_wrong(im, l->fields[l->time], "is no number");
	if (time > 1e19)
		return lab_import_wrong(im, l->fields[l->time], "is too large");
	if (!c->has_begun)
		c->began = time;
	c->has_begun = 1;
	us = (time - c->began) * l->time_unit;
	lab_import_time(im, us > 0 ? (uint64_t)us : 0);
	return 0;
}

/* An offset or a length, in bytes. */
static int take_bytes(struct lab_import *im, const struct layout *l, char **fields, unsigned field, uint64_t unit,
		      uint64_t *out)
{
	if (lab_import_number(im, l->fields[field], fields[field], LAB_IMPORT_END / unit, out))
		return -1;
	*out *= unit;
	return 0;
}

/* The name of a device: a word, or HOST_DISK. */
static int take_device(struct lab_import *im, const struct layout *l, char **fields, char *name, size_t room)
{
	int n;

	if (l->device == NONE) {
		snprintf(name, room, "device");
		return 0;
	}
	if (fields[l->device][0] == '\0')
		return lab_import_wrong(im, l->fields[l->device], "is empty");
	n = l->disk == NONE ? snprintf(name, room, "%s", fields[l->device])
			    : snprintf(name, room, "%s_%s", fields[l->device], fields[l->disk]);
	return n < 0 || (size_t)n >= room ? lab_import_wrong(im, l->fields[l->device], "is too long") : 0;
}

static int take_line(struct lab_import *im, const struct layout *l, char *text)
{
	struct lab_op op = { .kind = LAB_OP_WRITE };
	struct lab_import_file *file;
	char *fields[FIELDS], name[256];
	const unsigned wanted = count_fields(l), found = cut(l, text, fields);
	const char *kind;

	if (found < wanted)
		return lab_import_wrong(im, l->fields[found], "is missing");
	if (found > wanted)
		return lab_import_wrong(im, "line", "has too many fields");
	kind = fields[l->kind];
	if (strcmp(kind, l->read) == 0)
		op.kind = LAB_OP_READ;
	else if (strcmp(kind, l->write) != 0 && (!l->others || !strstr(l->others, kind) || strlen(kind) != 1))
		return lab_import_wrong(im, l->fields[l->kind], "is no kind of request");
	if (take_time(im, l, fields[l->time]) || take_device(im, l, fields, name, sizeof(name)) ||
	    take_bytes(im, l, fields, l->offset, l->offset_unit, &op.offset) ||
	    take_bytes(im, l, fields, l->length, l->length_unit, &op.length))
		return -1;
	if (op.length == 0 || (op.kind == LAB_OP_WRITE && strcmp(kind, l->write) != 0))
		return 0;
	if (im->under[0] && strcmp(im->under, name) != 0)
		return 0;
	file = lab_import_file(im, name);
	if (!file)
		return -1;
	op.file = file->number;
	return lab_import_put(im, &op, 0);
}

#define CSV(id, ...)                                                                                                   \
	static const struct layout layout_##id = { __VA_ARGS__ };                                                      \
	static int line_##id(struct lab_import *im, char *text)                                                        \
	{                                                                                                              \
		return take_line(im, &layout_##id, text);                                                              \
	}                                                                                                              \
	const struct lab_import_format lab_import_##id = { .state_size = sizeof(struct csv), .line = line_##id };
#include "lab/csv_formats.def"
#undef CSV
