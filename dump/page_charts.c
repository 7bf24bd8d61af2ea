/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures of the page: a chart of times, and the map of the segments, both as SVG.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump/page_cells.h"
#include "dump/page_charts.h"

enum { MOST_BINS = 48, LEAST_BINS = 8, NANO = 1000000000 };
#define DAY ((uint64_t)86400 * NANO)

static void put_moment(FILE *to, uint64_t nanoseconds, int letters)
{
	const struct f2fs_time time = { (int64_t)(nanoseconds / NANO), (uint32_t)(nanoseconds % NANO) };

	page_time(to, time, letters);
}

struct chart {
	uint64_t first, last, step;
	unsigned bins;
	uint64_t counts[MOST_BINS], most;
};

static void count_times(struct chart *c, const uint64_t *times, size_t count)
{
	uint64_t bins;

	c->first = c->last = times[0];
	for (size_t i = 1; i < count; i++) {
		c->first = times[i] < c->first ? times[i] : c->first;
		c->last = times[i] > c->last ? times[i] : c->last;
	}
	bins = (c->last - c->first) / DAY + 1;
	bins = bins < LEAST_BINS ? LEAST_BINS : bins;
	c->bins = c->last == c->first ? 1 : bins < MOST_BINS ? (unsigned)bins : MOST_BINS;
	c->step = (c->last - c->first) / c->bins + 1;
	for (size_t i = 0; i < count; i++) {
		const uint64_t after = times[i] - c->first, bin = c->step > 1 ? after / c->step : after;

		c->counts[bin < c->bins ? bin : c->bins - 1]++;
	}
	for (unsigned i = 0; i < c->bins; i++)
		c->most = c->counts[i] > c->most ? c->counts[i] : c->most;
}

static void put_bars(FILE *to, const struct chart *c)
{
	const double wide = 700.0 / c->bins;

	for (unsigned i = 0; i < c->bins; i++) {
		const double height = 140.0 * (double)c->counts[i] / (double)c->most, high = height < 1 ? 1 : height;

		if (c->counts[i] == 0)
			continue;
		fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", 60 + i * wide,
			150 - high, wide - 1 > 1 ? wide - 1 : 1.0, high);
		page_grouped(to, c->counts[i]);
		fputs(" from ", to);
		put_moment(to, c->first + i * c->step, 16);
		fputs(" UTC</title></rect>", to);
	}
}

void page_times(FILE *to, const uint64_t *times, size_t count, const char *title)
{
	struct chart c;
	int letters;

	if (count == 0)
		return;
	memset(&c, 0, sizeof(c));
	count_times(&c, times, count);
	letters = c.last - c.first > 2 * DAY ? 10 : 16; /* of a time that are shown */
	fprintf(to,
		"<svg class=\"chart\" viewBox=\"0 0 770 176\" role=\"img\" aria-label=\"%s\">"
		"<path d=\"M60 10V150.5H760\" class=\"axis\"/>",
		title);
	put_bars(to, &c);
	fputs("<text x=\"60\" y=\"168\">", to);
	put_moment(to, c.first, letters);
	fputs("</text><text x=\"760\" y=\"168\" text-anchor=\"end\">", to);
	put_moment(to, c.last, letters);
	fputs("</text><text x=\"54\" y=\"18\" text-anchor=\"end\">", to);
	page_grouped(to, c.most);
	fputs("</text><text x=\"54\" y=\"150\" text-anchor=\"end\">0</text></svg>", to);
}

/* ---- the map ---- */

static int put(void *user, const void *data, size_t length)
{
	return fwrite(data, 1, length, user) == length ? 0 : -1;
}

/* Write a picture so that it takes the width of the page, and has a name. */
static void put_scaled(FILE *to, const char *svg)
{
	const char *size = strstr(svg, "width=\""), *rest;
	unsigned width, height;
	int n = 0;

	if (strncmp(svg, "<svg ", 5) || !size ||
	    sscanf(size, "width=\"%u\" height=\"%u\"%n", &width, &height, &n) != 2 || n == 0) {
		fputs(svg, to);
		return;
	}
	rest = size + n;
	fprintf(to, "<svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"map of the segments\" %.*sclass=\"map\"%s",
		width, height, (int)(size - svg - 5), svg + 5, rest);
}

int page_map(struct page *page)
{
	char *svg = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&svg, &length);
	int rc = memory ? f2fs_segment_map_draw(page->d->vol, F2FS_MAP_SVG, put, memory) : 0;

	if (!memory || (fclose(memory) != 0 && !rc))
		rc = f2fs_context_fail(page->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	if (!rc)
		put_scaled(page->to, svg);
	free(svg);
	return rc;
}
