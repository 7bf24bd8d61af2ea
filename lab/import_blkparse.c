/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text of blkparse: device, processor, number, seconds, process, action, kind, sector, +, sectors. Requests are taken
 * where they were queued (action Q); a device is one file. What blkparse sums up at its end is passed over.
 */
#include "lab/import_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 10, SECTOR_BITS = 9 };
enum word { DEVICE, PROCESSOR, NUMBER, TIME, PROCESS, ACTION, KIND, SECTOR, PLUS, SECTORS };

struct blkparse {
	int is_over; /* the sums have begun */
};

/* Seconds with a fraction. */
static int take_time(struct lab_import *im, const char *text)
{
	char *dot, *end;
	const uint64_t seconds = strtoull(text, &dot, 10);
	uint64_t us = 0, unit = 100000;

	if (dot == text || (*dot != '.' && *dot != '\0') || seconds > UINT32_MAX)
		return lab_import_wrong(im, "time", "is no number of seconds");
	for (end = dot + (*dot == '.'); *end >= '0' && *end <= '9'; end++, unit /= 10)
		us += (uint64_t)(*end - '0') * unit;
	if (*end)
		return lab_import_wrong(im, "time", "is no number of seconds");
	lab_import_time(im, seconds * 1000000 + us);
	return 0;
}

static int put(struct lab_import *im, char **words)
{
	struct lab_op op = { .kind = strchr(words[KIND], 'R') ? LAB_OP_READ : LAB_OP_WRITE };
	struct lab_import_file *file;
	uint64_t sector, count, processor;

	if (lab_import_number(im, "processor", words[PROCESSOR], UINT16_MAX, &processor) ||
	    lab_import_number(im, "sector", words[SECTOR], LAB_IMPORT_END >> SECTOR_BITS, &sector) ||
	    lab_import_number(im, "sectors", words[SECTORS], LAB_IMPORT_END >> SECTOR_BITS, &count))
		return -1;
	file = lab_import_file(im, words[DEVICE]);
	if (!file)
		return -1;
	op.thread = (uint16_t)processor;
	op.file = file->number;
	op.offset = sector << SECTOR_BITS;
	op.length = count << SECTOR_BITS;
	return lab_import_put(im, &op, 0);
}

/* A flush, alone or before a write. */
static int put_flush(struct lab_import *im, const char *device)
{
	struct lab_import_file *file = lab_import_file(im, device);
	struct lab_op op = { .kind = LAB_OP_FSYNC };

	if (!file)
		return -1;
	op.file = file->number;
	return lab_import_put(im, &op, 0);
}

static int line(struct lab_import *im, char *text)
{
	struct blkparse *b = im->state;
	char *words[WORDS + 1], *at = text, *rest = NULL;
	unsigned count = 0;

	if (b->is_over || strncmp(text, "CPU", 3) == 0 || strncmp(text, "Total", 5) == 0) {
		b->is_over = 1;
		return 0;
	}
	while (count < WORDS && (words[count] = strtok_r(at, " \t", &rest)) != NULL) {
		at = NULL;
		count++;
	}
	if (count <= KIND && count > ACTION && strcmp(words[ACTION], "m") == 0)
		return 0;
	if (count <= KIND)
		return lab_import_wrong(im, count <= ACTION ? "action" : "kind", "is missing");
	if (!strchr(words[DEVICE], ','))
		return lab_import_wrong(im, "device", "is not MAJOR,MINOR");
	if (take_time(im, words[TIME]))
		return -1;
	if (strcmp(words[ACTION], "Q") != 0 || strchr(words[KIND], 'D'))
		return 0;
	if (words[KIND][0] == 'F' && put_flush(im, words[DEVICE]))
		return -1;
	if (!strchr(words[KIND], 'R') && !strchr(words[KIND], 'W'))
		return 0;
	if (count < WORDS || strcmp(words[PLUS], "+") != 0)
		return lab_import_wrong(im, count <= SECTOR ? "sector" : "sectors", "is missing");
	return put(im, words);
}

const struct lab_import_format lab_import_blkparse = { .state_size = sizeof(struct blkparse), .line = line };
