/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The overprovision ratio: given, or the one that leaves most space. A small ratio means victims that are nearly full,
 * so more segments must be held in reserve to clean one; a large ratio is wasted space. The search walks the ratios and
 * takes the first best.
 *
 * The result depends on the rounding of every step, and volumes must come out alike on all hosts: the arithmetic is
 * IEEE double without excess precision (the build asks for it where it is not the default), step by step as FORMAT
 * volume 3.4 has it.
 */
#include "format/overprovision.h"

#include <float.h>

#include "base/checked.h"

/* 1 widens float to double only, and there is no float here. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#error "double arithmetic with excess precision: build with -msse2 -mfpmath=sse or its like"
#endif

/* Room for the six open sections on top of the reserve. */
static uint32_t buffer_segments(const struct overprovision_input *in)
{
	return 6 * in->segs_per_sec;
}

/* Segments held in reserve at a ratio, whole sections; UINT32_MAX when that is more than there can be. */
static uint32_t reserved_at(const struct overprovision_input *in, double percent)
{
	uint32_t per_section = div_ceil32(in->usable, in->sections), reserved;
	double wanted;

	if (per_section == 0)
		return UINT32_MAX;
	wanted = in->reserved_sections ? (double)in->reserved_sections * per_section
				       : (100 / percent + 1 + 6) * per_section;
	if (!(wanted < (double)(UINT32_MAX - per_section)))
		return UINT32_MAX;
	reserved = div_ceil32((uint32_t)wanted, per_section);
	return reserved * per_section;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Returns 0 when no ratio leaves anything. */
static double best_percent(const struct overprovision_input *in)
{
	bool small = in->main < 256;
	double percent = small ? 10 : 0.01, end = small ? 95 : 10, step = small ? 5 : 0.01;
	double best = 0, best_space = 0;

	/* NOLINTNEXTLINE(cert-flp30-c,clang-analyzer-security.FloatLoopCounter): the formula adds up doubles */
	for (; percent <= end; percent += step) {
		uint32_t reserved = reserved_at(in, percent);
		double over = (double)(in->usable - reserved) * percent / 100; /* the difference wraps around */
		double space;

		if (over <= 0)
			continue;
		space = in->usable - larger(reserved, over) - buffer_segments(in);
		if (best_space < space) {
			best_space = space;
			best = percent;
		}
	}
	return best;
}

/* Nobody cleans a read-only volume, so files may have all of it: the kernel asks for no reserve there. f2fs-tools 1.16
 * keep six sections back. */
static bool compute_ro(const struct overprovision_input *in, struct overprovision_output *out)
{
	out->percent = 0;
	out->reserved = 0;
	out->overprovision = 0;
	return in->usable > 0;
}

bool overprovision_compute(const struct overprovision_input *in, struct overprovision_output *out)
{
	uint32_t over;

	if (in->is_ro)
		return compute_ro(in, out);
	out->percent = in->percent;
	if (out->percent == 0)
		out->percent = in->reserved_sections ? 3 : best_percent(in);
	if (out->percent == 0)
		return false;
	out->reserved = reserved_at(in, out->percent);
	if (in->main < 6 || in->main - 6 < out->reserved || in->usable <= out->reserved)
		return false;
	over = (uint32_t)((double)(in->usable - out->reserved) * out->percent / 100);
	if (in->reserved_sections && over < buffer_segments(in))
		return false;
	if (in->reserved_sections)
		over += out->reserved;
	else
		over = (over > out->reserved ? over : out->reserved) + buffer_segments(in);
	out->overprovision = over;
	return in->usable > over;
}
