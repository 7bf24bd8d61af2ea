/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pen that writes SVG.
 */
#include "lab/lab_pen.h"

static const char *colour_of(unsigned colour)
{
#define COLOUR(r, g, b) { r, g, b },
	static const unsigned char parts[][3] = {
		LAB_COLOURS(COLOUR)
	};
#undef COLOUR
	static char text[8];

	snprintf(text, sizeof(text), "#%02x%02x%02x", parts[colour][0], parts[colour][1], parts[colour][2]);
	return text;
}

static int begin(struct lab_pen *pen)
{
	fprintf(pen->to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n",
		pen->width, pen->height, pen->width, pen->height);
	return 0;
}

static void line(struct lab_pen *pen, unsigned colour, unsigned width, struct lab_point from, struct lab_point to)
{
	fprintf(pen->to, "<path stroke=\"%s\" stroke-width=\"%u\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", colour_of(colour),
		width, from.x, from.y, to.x, to.y);
}

static void dot(struct lab_pen *pen, unsigned colour, struct lab_point at)
{
	fprintf(pen->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", at.x, at.y, colour_of(colour));
}

/* Text whose markup is taken away. */
static void text(struct lab_pen *pen, struct lab_point at, enum lab_anchor anchor, unsigned size, const char *words)
{
	static const char *const anchors[] = { "start", "middle", "end" };

	fprintf(pen->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%u\">", at.x, at.y,
		anchors[anchor], size);
	for (; *words; words++) {
		if (*words == '<' || *words == '&')
			fputs(*words == '<' ? "&lt;" : "&amp;", pen->to);
		else
			fputc(*words, pen->to);
	}
	fputs("</text>\n", pen->to);
}

static int end(struct lab_pen *pen)
{
	fputs("</svg>\n", pen->to);
	return ferror(pen->to) ? -1 : 0;
}

const struct lab_pen lab_pen_svg = { .begin = begin, .line = line, .dot = dot, .text = text, .end = end };
