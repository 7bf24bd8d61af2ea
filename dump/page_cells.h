/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text, numbers and tables of the page.
 */
#ifndef F2FSKIT_DUMP_PAGE_CELLS_H
#define F2FSKIT_DUMP_PAGE_CELLS_H

#include <stdio.h>

#include <f2fskit/f2fskit.h>

/* The program's own text, with the characters escaped that HTML uses. */
void page_own(FILE *to, const char *text);
/* n bytes of an image, printable and escaped. */
void page_text(FILE *to, const void *bytes, size_t n);
void page_uuid(FILE *to, const uint8_t uuid[16]);
/* "1,234" */
void page_grouped(FILE *to, uint64_t number);
/* "4.5 MiB" */
void page_size(FILE *to, uint64_t bytes);
/* The first letters of "2024-05-06 07:08:09.123456789", or of the nanoseconds where they are beyond 62 bits. */
void page_time(FILE *to, struct f2fs_time time, int letters);

struct page_column {
	const char *label;
	int is_number;
};
/* note: words above the table, plain. */
void page_begin_table(FILE *to, const char *identity, const char *note, const struct page_column *columns,
		      unsigned count);
void page_end_table(FILE *to);

/* Cells; is_long: the text may break. */
void page_cell_text(FILE *to, int is_long, const char *text);
void page_cell_mode(FILE *to, uint32_t mode);
void page_cell_number(FILE *to, uint64_t number);
void page_cell_none(FILE *to); /* of a column of numbers */
void page_cell_size(FILE *to, uint64_t bytes);
void page_cell_time(FILE *to, struct f2fs_time time);

#endif
