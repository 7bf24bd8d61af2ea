/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing results with a pen: five lines of a grid, and a line with dots for each variant.
 */
#include "lab/lab_plot.h"

#include <string.h>

#include "f2fskit_config.h"
#include "lab/lab_pen.h"

static const int WIDTH = 760, LEFT = 70, TOP = 50, ROW = 18, PLOT_WIDTH = 640, PLOT_HEIGHT = 320, GRID = 5;
static const int SMALL = 12, LARGE = 15; /* letters */

struct plot {
	const struct lab_picture *picture;
	struct lab_pen pen;
	double last; /* on the axis: the number of rounds, or of blocks written */
	int has_samples;
	double low, high;
};

static double place_of(const struct lab_line *line, unsigned k)
{
	return line->written ? line->written[k] : k + 1;
}

/* Find the range of the axis: from 0 on, or from the least value when all are far above 0. */
static void find_bounds(struct plot *p)
{
	int is_first = 1;

	for (unsigned i = 0; i < p->picture->count; i++) {
		const struct lab_line *line = &p->picture->lines[i];

		for (unsigned k = 0; k < line->count; k++, is_first = 0) {
			const double value = line->values[k];

			p->low = is_first || value < p->low ? value : p->low;
			p->high = is_first || value > p->high ? value : p->high;
			p->last = place_of(line, k) > p->last ? place_of(line, k) : p->last;
		}
		p->has_samples = line->written != NULL;
	}
	if (p->low < p->high / 2)
		p->low = 0;
	if (p->high - p->low < 1e-9)
		p->high = p->low + 1;
}

/* Rounds begin at 1, blocks written at 0. */
static double x_of(const struct plot *p, double place)
{
	const double first = p->has_samples ? 0 : 1;

	return LEFT + PLOT_WIDTH * (p->last > first ? (place - first) / (p->last - first) : 0.5);
}

static double y_of(const struct plot *p, double value)
{
	return TOP + PLOT_HEIGHT * (1 - (value - p->low) / (p->high - p->low));
}

static void put_text(struct plot *p, double x, double y, enum lab_anchor anchor, const char *text)
{
	p->pen.text(&p->pen, (struct lab_point){ x, y }, anchor, SMALL, text);
}

static void put_axes(struct plot *p)
{
	char text[32];

	for (int i = 0; i <= GRID; i++) {
		const double value = p->low + (p->high - p->low) * i / GRID, y = y_of(p, value);

		p->pen.line(&p->pen, LAB_COLOUR_GRID, 1, (struct lab_point){ LEFT, y },
			    (struct lab_point){ LEFT + PLOT_WIDTH, y });
		snprintf(text, sizeof(text), "%.4g", value);
		put_text(p, LEFT - 6, y + 4, LAB_ANCHOR_END, text);
	}
	for (unsigned k = 1; k <= p->last && !p->has_samples; k += (unsigned)p->last / 16 + 1) {
		snprintf(text, sizeof(text), "%u", k);
		put_text(p, x_of(p, k), TOP + PLOT_HEIGHT + 18, LAB_ANCHOR_MIDDLE, text);
	}
	for (int i = 0; i <= GRID && p->has_samples; i++) {
		snprintf(text, sizeof(text), "%.0f", p->last * i / GRID);
		put_text(p, x_of(p, p->last * i / GRID), TOP + PLOT_HEIGHT + 18, LAB_ANCHOR_MIDDLE, text);
	}
	put_text(p, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT + 36, LAB_ANCHOR_MIDDLE,
		 p->has_samples ? "blocks that the load wrote" : "round");
}

static struct lab_point point_of(const struct plot *p, const struct lab_line *line, unsigned k)
{
	return (struct lab_point){ x_of(p, place_of(line, k)), y_of(p, line->values[k]) };
}

static void put_line(struct plot *p, unsigned i)
{
	const struct lab_line *line = &p->picture->lines[i];
	const unsigned colour = i % LAB_COLOUR_LINES;
	const double y = TOP + PLOT_HEIGHT + 56 + ROW * (double)i;

	for (unsigned k = 1; k < line->count; k++)
		p->pen.line(&p->pen, colour, 2, point_of(p, line, k - 1), point_of(p, line, k));
	for (unsigned k = 0; k < line->count && !p->has_samples; k++)
		p->pen.dot(&p->pen, colour, point_of(p, line, k));
	p->pen.line(&p->pen, colour, 3, (struct lab_point){ LEFT, y - 4 }, (struct lab_point){ LEFT + 24, y - 4 });
	put_text(p, LEFT + 32, y, LAB_ANCHOR_START, line->label[0] ? line->label : p->picture->metric);
}

int lab_plot_is_png(const char *path)
{
	const size_t n = path ? strlen(path) : 0;

	return n > 4 && strcmp(path + n - 4, ".png") == 0;
}

int lab_plot_check(struct cli *cli, const char *path)
{
#if HAVE_CAIRO
	const int is_there = 1;
#else
	const int is_there = 0;
#endif

	if (is_there || !lab_plot_is_png(path))
		return 0;
	cli_error(cli, "%s: this program was built without cairo, which draws PNG; other names give SVG", path);
	return -1;
}

int lab_plot(const struct lab_picture *picture, int is_png, FILE *to)
{
	struct plot p = { .picture = picture, .pen = lab_pen_svg };

#if HAVE_CAIRO
	if (is_png)
		p.pen = lab_pen_png;
#else
	(void)is_png; /* lab_plot_check() refused it */
#endif
	p.pen.to = to;
	p.pen.width = WIDTH;
	p.pen.height = (unsigned)(TOP + PLOT_HEIGHT + 56) + (unsigned)ROW * picture->count;
	find_bounds(&p);
	if (p.pen.begin(&p.pen))
		return -1;
	p.pen.text(&p.pen, (struct lab_point){ LEFT, 20 }, LAB_ANCHOR_START, LARGE, picture->title);
	put_text(&p, LEFT, 38, LAB_ANCHOR_START, picture->metric);
	put_axes(&p);
	for (unsigned i = 0; i < picture->count; i++)
		put_line(&p, i);
	return p.pen.end(&p.pen);
}
