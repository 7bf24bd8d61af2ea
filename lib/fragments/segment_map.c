/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Draw a picture of the segments: one cell for enough of them to keep it small, coloured by type and use. The SVG has a
 * path per colour, with a stroke for each run of cells of that colour in a row. A run takes some nine bytes, so that
 * even the worst volume fits.
 */
#include <f2fskit/defrag.h>
#include <stdio.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "log/run.h"
#include "volume/heads_read.h"

enum {
	SVG_CELLS = 8192,
	SVG_COLUMNS = 128,
	TEXT_CELLS = 1536,
	TEXT_COLUMNS = 64,
	LEVELS = 4, /* of use: up to a quarter, a half, three quarters, all */
	STATE_FREE = 0,
	STATE_LOG = 1, /* a log is in it, and nothing else in use */
	STATE_USED = 2 /* + type * LEVELS + level */,
	STATES = STATE_USED + 6 * LEVELS,
	CELL_WIDTH = 8, /* of the picture, pixels */
	CELL_HEIGHT = 10
};

/* State of a cell. */
struct cell {
	uint8_t state;
	bool has_log;
};

struct map {
	struct f2fs_volume *vol;
	int (*write)(void *user, const void *data, size_t length);
	void *user;
	struct cell *cells;
	uint32_t count, columns, per_cell; /* cells; cells in a row; segments in a cell */
	uint64_t states[STATES];	   /* segments in each state */
	char buffer[512];
	size_t used;
	int err;
};

/* By type: of the SVG from barely to fully used, and the number in the terminal's 256 colours. */
static const struct look {
	const char *name;
	const char *colours[LEVELS];
	uint8_t terminal[LEVELS];
	char letter;
} looks[] = {
	{ "hot data", { "#f9d0c4", "#f2a391", "#e2725b", "#b93a26" }, { 224, 217, 209, 160 }, 'h' },
	{ "warm data", { "#fbe3b3", "#f6c667", "#e8a020", "#b87400" }, { 230, 222, 214, 172 }, 'w' },
	{ "cold data", { "#cfe3f5", "#98c3e8", "#5598cf", "#1f65a3" }, { 195, 153, 75, 26 }, 'c' },
	{ "hot nodes", { "#ecd0ee", "#d39bd8", "#ad5fb5", "#7a2a84" }, { 225, 183, 134, 90 }, 'H' },
	{ "warm nodes", { "#d5eccd", "#a2d392", "#65ad51", "#31771f" }, { 194, 151, 71, 28 }, 'W' },
	{ "cold nodes", { "#cdeeea", "#8fd6cd", "#45ab9f", "#0e7268" }, { 195, 116, 73, 30 }, 'C' },
};
#define FREE_COLOUR "#f4f4f4"
#define LOG_COLOUR "#303030"

static void flush(struct map *m)
{
	if (!m->err && m->used && m->write(m->user, m->buffer, m->used))
		m->err = error_set(m->vol->ctx, F2FS_ERR_CANCELED, "the caller stopped the map");
	m->used = 0;
}

static void put(struct map *m, const char *format, ...) PRINTF_LIKE(2, 3);

static void put(struct map *m, const char *format, ...)
{
	char text[256];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (m->used + (size_t)n > sizeof(m->buffer))
		flush(m);
	memcpy(m->buffer + m->used, text, (size_t)n);
	m->used += (size_t)n;
}

static const char *colour_of(unsigned state)
{
	return state == STATE_FREE  ? FREE_COLOUR
	       : state == STATE_LOG ? LOG_COLOUR
				    : looks[(state - STATE_USED) / LEVELS].colours[(state - STATE_USED) % LEVELS];
}

/* ---- the cells ---- */

static unsigned state_of(unsigned type, uint32_t valid, uint32_t room)
{
	return STATE_USED + type * LEVELS + (valid * LEVELS - 1) / room;
}

/* Fill one cell from the segments first on. */
static int fill_cell(struct map *m, uint32_t index)
{
	const uint32_t first = index * m->per_cell, left = m->vol->geo.segment_count_main - first;
	const uint32_t count = left < m->per_cell ? left : m->per_cell;
	uint32_t segments[6] = { 0 }, valid[6] = { 0 }, used = 0;
	struct cell *cell = &m->cells[index];
	unsigned best = 0;

	for (uint32_t i = 0; i < count; i++) {
		const bool has_log = volume_has_log_in(m->vol, first + i);
		struct f2fs_segment_info sit;
		int err = f2fs_sit_lookup(m->vol, first + i, &sit);
		uint32_t n;

		if (err)
			return err;
		n = (uint32_t)bitmap_popcount(sit.valid_map, sizeof(sit.valid_map));
		cell->has_log = cell->has_log || has_log;
		if (n > 0 && sit.type < F2FS_LOG_COUNT) {
			segments[sit.type]++;
			valid[sit.type] += n;
			used += n;
			m->states[state_of(sit.type, n, F2FS_SEGMENT_BLOCKS)]++;
		} else {
			m->states[has_log ? STATE_LOG : STATE_FREE]++;
		}
	}
	for (unsigned t = 1; t < 6; t++)
		if (segments[t] > segments[best])
			best = t;
	cell->state = (uint8_t)(used > 0	? state_of(best, used, count * F2FS_SEGMENT_BLOCKS)
				: cell->has_log ? STATE_LOG
						: STATE_FREE);
	return 0;
}

static int make_cells(struct map *m, uint32_t most)
{
	const uint32_t segments = m->vol->geo.segment_count_main;
	int err = 0;

	m->per_cell = (segments + most - 1) / most;
	m->count = (segments + m->per_cell - 1) / m->per_cell;
	m->cells = mem_calloc(m->vol->ctx, m->count, sizeof(*m->cells));
	if (!m->cells)
		return F2FS_ERR_NOMEM;
	for (uint32_t i = 0; i < m->count && !err; i++)
		err = fill_cell(m, i);
	return err;
}

/* ---- SVG ---- */

/* The strokes of one state: "Mx yhN" for each run, rows at half heights, in units of cells. */
static void put_path(struct map *m, unsigned state)
{
	bool is_open = false;

	for (uint32_t i = 0, n; i < m->count; i += n) {
		const uint32_t row_left = m->columns - i % m->columns;

		for (n = 1; n < row_left && i + n < m->count && m->cells[i + n].state == m->cells[i].state;)
			n++;
		if (m->cells[i].state != state)
			continue;
		if (!is_open)
			put(m, "<path class=\"s%u\" stroke=\"%s\" d=\"", state, colour_of(state));
		is_open = true;
		put(m, "M%u %uh%u", (unsigned)(i % m->columns), (unsigned)(i / m->columns), (unsigned)n);
	}
	if (is_open)
		put(m, "\"/>\n");
}

/* Cells that a log is in get a dot. */
static void put_logs(struct map *m)
{
	put(m, "<g class=\"logs\" fill=\"%s\" stroke=\"#fff\" stroke-width=\".1\">\n", LOG_COLOUR);
	for (uint32_t i = 0; i < m->count; i++)
		if (m->cells[i].has_log)
			put(m, "<circle cx=\"%u.5\" cy=\"%u\" r=\".3\"/>\n", (unsigned)(i % m->columns),
			    (unsigned)(i / m->columns));
	put(m, "</g>\n");
}

static void put_swatch(struct map *m, unsigned x, unsigned y, unsigned state)
{
	put(m, "<rect x=\"%u\" y=\"%u\" width=\"14\" height=\"12\" fill=\"%s\"/>", x, y, colour_of(state));
}

static void put_legend(struct map *m, unsigned y)
{
	static const char *const uses[LEVELS] = { "to 25 %", "to 50 %", "to 75 %", "to 100 %" };

	for (unsigned k = 0; k < LEVELS; k++)
		put(m, "<text x=\"%u\" y=\"%u\">%s</text>\n", 130 + k * 75, y + 10, uses[k]);
	for (unsigned t = 0; t < 6; t++) {
		put(m, "<text x=\"20\" y=\"%u\">%s</text>", y + 28 + t * 17, looks[t].name);
		for (unsigned k = 0; k < LEVELS; k++) {
			const unsigned state = STATE_USED + t * LEVELS + k;

			put_swatch(m, 130 + k * 75, y + 18 + t * 17, state);
			put(m, "<text x=\"%u\" y=\"%u\">%llu</text>", 148 + k * 75, y + 28 + t * 17,
			    (unsigned long long)m->states[state]);
		}
		put(m, "\n");
	}
	for (unsigned state = STATE_FREE; state <= STATE_LOG; state++) {
		put_swatch(m, 480, y + 18 + state * 17, state);
		put(m, "<text x=\"500\" y=\"%u\">%s: %llu</text>\n", y + 28 + state * 17,
		    state == STATE_FREE ? "free" : "free, with a log in it", (unsigned long long)m->states[state]);
	}
	put(m, "<circle cx=\"487\" cy=\"%u\" r=\"4\" fill=\"%s\"/><text x=\"500\" y=\"%u\">a log is here</text>\n",
	    y + 57, LOG_COLOUR, y + 61);
}

static void put_svg(struct map *m)
{
	const uint32_t rows = (m->count + m->columns - 1) / m->columns;
	const unsigned width = m->columns * CELL_WIDTH + 120, top = 46, height = rows * CELL_HEIGHT;

	put(m,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
	    "font-size=\"12\">\n",
	    width, top + height + 160);
	put(m, "<title>F2FS segments</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	put(m,
	    "<text x=\"20\" y=\"20\" font-size=\"15\">%u segments of %u KiB, %u in a cell; block addresses at the "
	    "left</text>\n",
	    (unsigned)m->vol->geo.segment_count_main,
	    (unsigned)(F2FS_SEGMENT_BLOCKS * (m->vol->geo.block_size / 1024)), (unsigned)m->per_cell);
	for (uint32_t row = 0; row < rows; row += rows > 16 ? 8 : 1)
		put(m, "<text x=\"90\" y=\"%u\" text-anchor=\"end\" font-size=\"10\" fill=\"#666\">%u</text>\n",
		    top + row * CELL_HEIGHT + 9,
		    (unsigned)geometry_segment_start(&m->vol->geo, row * m->columns * m->per_cell));
	put(m, "<g id=\"cells\" transform=\"translate(100 %u.0) scale(%u %u) translate(0 .5)\" stroke-width=\".9\">\n",
	    top, CELL_WIDTH, CELL_HEIGHT);
	for (unsigned state = 0; state < STATES; state++)
		put_path(m, state);
	put_logs(m);
	put(m, "</g>\n");
	put_legend(m, top + height + 18);
	put(m, "</svg>\n");
}

/* ---- letters ---- */

static void put_cell(struct map *m, const struct cell *cell, bool has_colours, bool same)
{
	const unsigned used = cell->state >= STATE_USED ? cell->state - STATE_USED : 0;
	const struct look *look = &looks[used / LEVELS];
	const char letter = cell->has_log ? '*' : cell->state < STATE_USED ? '.' : look->letter;

	if (has_colours && !same && cell->state < STATE_USED)
		put(m, "\033[0m");
	else if (has_colours && !same)
		put(m, "\033[0;38;5;%d;48;5;%dm", used % LEVELS == LEVELS - 1 ? 15 : 16, look->terminal[used % LEVELS]);
	put(m, "%c", letter);
}

static void put_letters(struct map *m, bool has_colours)
{
	for (uint32_t i = 0; i < m->count; i++) {
		const bool starts = i % m->columns == 0, ends = i + 1 == m->count || (i + 1) % m->columns == 0;

		if (starts)
			put(m, "%10u ", (unsigned)geometry_segment_start(&m->vol->geo, i * m->per_cell));
		put_cell(m, &m->cells[i], has_colours, !starts && m->cells[i].state == m->cells[i - 1].state);
		if (ends)
			put(m, "%s\n", has_colours ? "\033[0m" : "");
	}
	put(m, "one letter is %u segment%s of %u KiB; . free  h w c data: hot, warm, cold  H W C nodes  * a log\n",
	    (unsigned)m->per_cell, m->per_cell == 1 ? "" : "s",
	    (unsigned)(F2FS_SEGMENT_BLOCKS * (m->vol->geo.block_size / 1024)));
}

int f2fs_segment_map_draw(struct f2fs_volume *vol, int form, int (*write)(void *user, const void *data, size_t length),
			  void *user)
{
	struct map map = { .vol = vol, .write = write, .user = user };
	int err;

	error_clear(vol->ctx);
	if (form < F2FS_MAP_SVG || form > F2FS_MAP_TEXT)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no form %d of a map", form);
	map.columns = form == F2FS_MAP_SVG ? SVG_COLUMNS : TEXT_COLUMNS;
	err = make_cells(&map, form == F2FS_MAP_SVG ? SVG_CELLS : TEXT_CELLS);
	if (!err) {
		if (form == F2FS_MAP_SVG)
			put_svg(&map);
		else
			put_letters(&map, form == F2FS_MAP_COLOUR);
		flush(&map);
		err = map.err;
	}
	mem_free(vol->ctx, map.cells);
	return err;
}
