/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results as text or JSON from one description. A record is an object with named values, which may hold objects and
 * arrays in turn. As text each value is a line of its own with its whole path, made for people and grep:
 *
 *	block_size = 4096
 *	areas[1].start = 1536
 *
 * A table is an array of records. As JSON it has a record per line, as text a line per record with the columns named
 * above. Records that stand by themselves may follow each other as a stream: an array with a record per line, or with
 * CLI_NDJSON just a record per line. Everything is written as it comes, so memory does not grow with the output.
 *
 * Text from an image may be any bytes. In text, and in JSON when it is not valid UTF-8, it is written with escapes
 * (\xNN, \\) that can be turned back; JSON then has the member "<name>_hex" with the bytes besides.
 */
#ifndef F2FSKIT_CLI_PRINT_H
#define F2FSKIT_CLI_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include <f2fskit/format.h>

enum cli_format { CLI_TEXT = 0, CLI_JSON = 1, CLI_NDJSON = 2 };

struct cli_print;

/* Start; NULL when memory is short. */
struct cli_print *cli_print_open(FILE *to, enum cli_format format);
int cli_print_is_text(const struct cli_print *p);
/* What follows is a stream of records; call before the first one. */
void cli_print_stream(struct cli_print *p);
/* End and free. Returns 0, or -1 when memory was short or writing failed at any time before. */
int cli_print_close(struct cli_print *p);

/* An object: a record when nothing is open (name is not used then), else a member, or an element (name NULL). */
void cli_print_begin(struct cli_print *p, const char *name);
/* An element of an array with its members on lines of their own. */
void cli_print_begin_element(struct cli_print *p);
void cli_print_end(struct cli_print *p);
void cli_print_begin_array(struct cli_print *p, const char *name);
void cli_print_end_array(struct cli_print *p);

/* A column of a table as text: the line's values in order; width negative for left-aligned. Members of a record beyond
 * the columns, and objects and arrays in it, are shown as JSON only. */
struct cli_column {
	const char *title;
	int width;
};
/* An array of records that all have the same members; ends with cli_print_end_array. columns stays the caller's. */
void cli_print_begin_table(struct cli_print *p, const char *name, const struct cli_column *columns, unsigned count);
/* A line of text that JSON does not have. */
void cli_print_heading(struct cli_print *p, const char *text);

/* Values; name is NULL for elements of an array. */
void cli_print_u64(struct cli_print *p, const char *name, uint64_t value);
void cli_print_s64(struct cli_print *p, const char *name, int64_t value);
/* As text "0x1f", as JSON a number. */
void cli_print_hex(struct cli_print *p, const char *name, uint64_t value);
/* As text "0755", as JSON a number. */
void cli_print_octal(struct cli_print *p, const char *name, uint32_t value);
/* A fraction with that many decimals. */
void cli_print_fixed(struct cli_print *p, const char *name, double value, int decimals);
void cli_print_bool(struct cli_print *p, const char *name, int value);
/* The program's own text. */
void cli_print_string(struct cli_print *p, const char *name, const char *value);
/* n bytes that nobody vouches for. */
void cli_print_bytes(struct cli_print *p, const char *name, const void *bytes, size_t n);
/* n bytes as hexadecimal digits. */
void cli_print_digits(struct cli_print *p, const char *name, const uint8_t *bytes, size_t n);
void cli_print_uuid(struct cli_print *p, const char *name, const uint8_t uuid[16]);
/* Bits with names; as JSON the number, and the names in the array "<name>_names". Bits without a name are kept as a
 * number. */
void cli_print_flags(struct cli_print *p, const char *name, uint32_t value, const struct f2fs_flag *flags,
		     unsigned count);
/* Seconds since 1970; as text with the date, in a table only that. */
void cli_print_time(struct cli_print *p, const char *name, int64_t seconds);
/* Nothing known: "-" and null. */
void cli_print_null(struct cli_print *p, const char *name);

#endif
