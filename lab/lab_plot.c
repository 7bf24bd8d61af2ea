/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing results as SVG, without any library: a frame, five lines of a grid, and a line with dots for each variant.
 */
#include "lab/lab_plot.h"

enum { WIDTH = 760, LEFT = 70, TOP = 50, ROW = 18, PLOT_WIDTH = 640, PLOT_HEIGHT = 320, GRID = 5, COLOURS = 8 };

struct plot {
	const struct lab_picture *picture;
	FILE *to;
	unsigned rounds;
	double low, high;
};

/* What the axis has to hold: from 0 on, or from the least value when all are far above. */
static void find_bounds(struct plot *p)
{
	int is_first = 1;

	for (unsigned i = 0; i < p->picture->count; i++) {
		const struct lab_line *line = &p->picture->lines[i];

		for (unsigned k = 0; k < line->count; k++, is_first = 0) {
			const double value = line->values[k];

			p->low = is_first || value < p->low ? value : p->low;
			p->high = is_first || value > p->high ? value : p->high;
		}
		p->rounds = line->count > p->rounds ? line->count : p->rounds;
	}
	if (p->low < p->high / 2)
		p->low = 0;
	if (p->high - p->low < 1e-9)
		p->high = p->low + 1;
}

static double x_of(const struct plot *p, unsigned round)
{
	return LEFT + PLOT_WIDTH * (p->rounds > 1 ? (double)(round - 1) / (double)(p->rounds - 1) : 0.5);
}

static double y_of(const struct plot *p, double value)
{
	return TOP + PLOT_HEIGHT * (1 - (value - p->low) / (p->high - p->low));
}

/* Text whose markup is taken away. */
static void put_text(const struct plot *p, double x, double y, const char *attributes, const char *text)
{
	fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
	for (; *text; text++) {
		if (*text == '<' || *text == '&')
			fputs(*text == '<' ? "&lt;" : "&amp;", p->to);
		else
			fputc(*text, p->to);
	}
	fputs("</text>\n", p->to);
}

static void put_axes(const struct plot *p)
{
	char text[32];

	for (int i = 0; i <= GRID; i++) {
		const double value = p->low + (p->high - p->low) * i / GRID, y = y_of(p, value);

		fprintf(p->to, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n", LEFT, y, PLOT_WIDTH);
		snprintf(text, sizeof(text), "%.4g", value);
		put_text(p, LEFT - 6, y + 4, " text-anchor=\"end\"", text);
	}
	for (unsigned k = 1; k <= p->rounds; k += p->rounds / 16 + 1) {
		snprintf(text, sizeof(text), "%u", k);
		put_text(p, x_of(p, k), TOP + PLOT_HEIGHT + 18, " text-anchor=\"middle\"", text);
	}
	put_text(p, LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT + 36, " text-anchor=\"middle\"", "round");
}

static void put_line(const struct plot *p, unsigned i)
{
	/* colours that people with any sight tell apart (Okabe and Ito) */
	static const char *const colours[COLOURS] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
						      "#e69f00", "#56b4e9", "#000000", "#999999" };
	const struct lab_line *line = &p->picture->lines[i];
	const char *colour = colours[i % COLOURS];
	const double y = TOP + PLOT_HEIGHT + 56 + ROW * (double)i;

	fprintf(p->to, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
	for (unsigned k = 0; k < line->count; k++)
		fprintf(p->to, "%c%.1f %.1f", k == 0 ? 'M' : 'L', x_of(p, k + 1), y_of(p, line->values[k]));
	fputs("\"/>\n", p->to);
	for (unsigned k = 0; k < line->count; k++)
		fprintf(p->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x_of(p, k + 1),
			y_of(p, line->values[k]), colour);
	fprintf(p->to, "<path d=\"M%d %.1fh24\" stroke=\"%s\" stroke-width=\"3\"/>\n", LEFT, y - 4, colour);
	put_text(p, LEFT + 32, y, "", line->label[0] ? line->label : p->picture->metric);
}

int lab_plot(const struct lab_picture *picture, FILE *to)
{
	struct plot p = { .picture = picture, .to = to };
	const unsigned height = TOP + PLOT_HEIGHT + 56 + ROW * picture->count;

	find_bounds(&p);
	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<rect width=\"%d\" height=\"%u\" fill=\"#fff\"/>\n",
		WIDTH, height, WIDTH, height);
	put_text(&p, LEFT, 20, " font-size=\"15\"", picture->title);
	put_text(&p, LEFT, 38, "", picture->metric);
	put_axes(&p);
	for (unsigned i = 0; i < picture->count; i++)
		put_line(&p, i);
	fputs("</svg>\n", to);
	return ferror(to) ? -1 : 0;
}
