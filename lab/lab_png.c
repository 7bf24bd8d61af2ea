/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pen that writes PNG, by cairo.
 */
#include "lab/lab_pen.h"

#include <cairo.h>
#include <errno.h>

static const uint8_t colours[][3] = {
#define COLOUR(r, g, b) { r, g, b },
	LAB_COLOURS(COLOUR)
#undef COLOUR
};

static void choose(cairo_t *cairo, unsigned colour)
{
	const uint8_t *c = colours[colour];

	cairo_set_source_rgb(cairo, c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
}

static int begin(struct lab_pen *pen)
{
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)pen->width, (int)pen->height);
	cairo_t *cairo = cairo_create(surface);

	cairo_surface_destroy(surface); /* the drawing keeps a reference */
	cairo_set_source_rgb(cairo, 1, 1, 1);
	cairo_paint(cairo);
	cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
	pen->drawing = cairo;
	return 0;
}

static void line(struct lab_pen *pen, unsigned colour, unsigned width, struct lab_point from, struct lab_point to)
{
	cairo_t *cairo = pen->drawing;

	choose(cairo, colour);
	cairo_set_line_width(cairo, width);
	cairo_move_to(cairo, from.x, from.y);
	cairo_line_to(cairo, to.x, to.y);
	cairo_stroke(cairo);
}

static void dot(struct lab_pen *pen, unsigned colour, struct lab_point at)
{
	choose(pen->drawing, colour);
	cairo_arc(pen->drawing, at.x, at.y, 3, 0, 7); /* a whole turn and a bit */
	cairo_fill(pen->drawing);
}

static void text(struct lab_pen *pen, struct lab_point at, enum lab_anchor anchor, unsigned size, const char *words)
{
	cairo_text_extents_t extents;

	cairo_set_font_size(pen->drawing, size);
	cairo_text_extents(pen->drawing, words, &extents);
	choose(pen->drawing, LAB_COLOUR_TEXT);
	cairo_move_to(pen->drawing, at.x - extents.x_advance * (double)anchor / 2, at.y);
	cairo_show_text(pen->drawing, words);
}

static cairo_status_t put(void *to, const unsigned char *data, unsigned n)
{
	return fwrite(data, 1, n, to) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int end(struct lab_pen *pen)
{
	cairo_t *cairo = pen->drawing;
	cairo_status_t status = cairo_status(cairo);

	if (!status)
		status = cairo_surface_write_to_png_stream(cairo_get_target(cairo), put, pen->to);
	if (status && status != CAIRO_STATUS_WRITE_ERROR) /* of that one errno speaks */
		errno = status == CAIRO_STATUS_INVALID_STRING ? EILSEQ :
			status == CAIRO_STATUS_INVALID_SIZE   ? EFBIG :
								ENOMEM;
	cairo_destroy(cairo);
	return status ? -1 : 0;
}

const struct lab_pen lab_pen_png = { .begin = begin, .line = line, .dot = dot, .text = text, .end = end };
