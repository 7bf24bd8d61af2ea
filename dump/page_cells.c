/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text, numbers, times and tables as HTML. Text of an image is first made printable, then escaped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dump/page_cells.h"

enum { NANO = 1000000000, SHORT_TEXT = 256 };

#define NUMBER_CLASS " class=\"number\""

void page_own(FILE *to, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#x27;" };

	while (*text) {
		const size_t plain = strcspn(text, special);

		fwrite(text, 1, plain, to);
		text += plain;
		if (*text)
			fputs(names[strchr(special, *text++) - special], to);
	}
}

void page_text(FILE *to, const void *bytes, size_t n)
{
	char brief[4 * SHORT_TEXT + 1];
	char *text = n > SHORT_TEXT ? malloc(4 * n + 1) : NULL;

	/* a text that memory is too short for ends with "..." */
	f2fs_text_printable(bytes, n, text ? text : brief, text ? 4 * n + 1 : sizeof(brief));
	page_own(to, text ? text : brief);
	free(text);
}

void page_uuid(FILE *to, const uint8_t uuid[16])
{
	for (unsigned i = 0; i < 16; i++)
		fprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

void page_grouped(FILE *to, uint64_t number)
{
	char digits[24];
	const int n = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			fputc(',', to);
		fputc(digits[i], to);
	}
}

void page_size(FILE *to, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes / 1024;
	unsigned unit = 0;

	if (bytes < 1024) {
		page_grouped(to, bytes);
		fputs(" bytes", to);
		return;
	}
	while (value >= 1024 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		value /= 1024;
		unit++;
	}
	fprintf(to, "%.1f %s", value, units[unit]);
}

/* ---- times ---- */

/* Nanoseconds since 1970, which may need more than 64 bits, as digits. */
static void count_nanoseconds(struct f2fs_time time, char out[40])
{
	const int is_negative = time.seconds < 0;
	uint64_t seconds = is_negative ? 0 - (uint64_t)time.seconds : (uint64_t)time.seconds;
	uint32_t rest = time.nanoseconds;

	if (is_negative && rest > 0) {
		seconds--;
		rest = NANO - rest;
	}
	if (seconds > 0)
		snprintf(out, 40, "%s%" PRIu64 "%09" PRIu32, is_negative ? "-" : "", seconds, rest);
	else
		snprintf(out, 40, "%s%" PRIu32, is_negative && rest ? "-" : "", rest);
}

/* Are the nanoseconds within 62 bits, years 1823 to 2116? */
static int has_date(struct f2fs_time time)
{
	const int64_t last = ((int64_t)1 << 62) / NANO;
	const uint32_t rest = (uint32_t)(((int64_t)1 << 62) % NANO);

	if (time.seconds >= 0)
		return time.seconds < last || (time.seconds == last && time.nanoseconds < rest);
	return time.seconds >= -last || (time.seconds == -last - 1 && time.nanoseconds > NANO - rest);
}

void page_time(FILE *to, struct f2fs_time time, int letters)
{
	const time_t seconds = (time_t)time.seconds;
	char text[64];
	struct tm parts;
	size_t n;

	if (!has_date(time) || seconds != time.seconds || !gmtime_r(&seconds, &parts)) {
		count_nanoseconds(time, text);
	} else {
		n = strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
		snprintf(text + n, sizeof(text) - n, ".%09" PRIu32, time.nanoseconds);
	}
	fprintf(to, "%.*s", letters, text);
}

/* ---- tables ---- */

void page_begin_table(FILE *to, const char *identity, const char *note, const struct page_column *columns,
		      unsigned count)
{
	fprintf(to,
		"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"%s\"><table><caption>%s</caption>"
		"<thead><tr>",
		identity, note);
	for (unsigned i = 0; i < count; i++)
		fprintf(to, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
			columns[i].is_number ? NUMBER_CLASS : "", columns[i].label);
	fputs("</tr></thead><tbody>", to);
}

void page_end_table(FILE *to)
{
	fputs("</tbody></table></div>", to);
}

void page_cell_text(FILE *to, int is_long, const char *text)
{
	fprintf(to, "<td class=\"%s\">", is_long ? "long" : "short");
	page_text(to, text, strlen(text));
	fputs("</td>", to);
}

void page_cell_mode(FILE *to, uint32_t mode)
{
	fprintf(to, "<td class=\"short\">%06" PRIo32 "</td>", mode);
}

void page_cell_number(FILE *to, uint64_t number)
{
	fprintf(to, "<td" NUMBER_CLASS " data-value=\"%" PRIu64 "\">%" PRIu64 "</td>", number, number);
}

void page_cell_none(FILE *to)
{
	fputs("<td" NUMBER_CLASS "></td>", to);
}

void page_cell_size(FILE *to, uint64_t bytes)
{
	fprintf(to, "<td" NUMBER_CLASS " data-value=\"%" PRIu64 "\">", bytes);
	page_size(to, bytes);
	fputs("</td>", to);
}

void page_cell_time(FILE *to, struct f2fs_time time)
{
	char nanoseconds[40];

	count_nanoseconds(time, nanoseconds);
	fprintf(to, "<td" NUMBER_CLASS " data-value=\"%s\">", nanoseconds);
	page_time(to, time, 19);
	fputs("</td>", to);
}
