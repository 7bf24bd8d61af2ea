/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The overprovision ratio: given, or the one that leaves most space. A small ratio means victims that are nearly full,
 * so more segments must be held in reserve to collect one; a large ratio is wasted space. The search walks the ratios
 * and takes the first best.
 *
 * The result depends on the rounding of every step, and volumes must come out alike on all hosts: the arithmetic is
 * IEEE double without excess precision (the build asks for it where it is not the default), step by step as FORMAT
 * volume 3.4 has it. Where zones hold less than their size, the numbers are worked out in segments that hold something,
 * and then the reserve is given in whole sections, as the kernel counts it.
 */
#include "format/overprovision.h"

#include <float.h>

#include <f2fskit/format.h>

#include "base/checked.h"

/* 1 widens float to double only, and there is no float here. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#error "double arithmetic with excess precision: build with -msse2 -mfpmath=sse or its like"
#endif

/* Segments' worth of blocks that the main area can hold. */
static uint32_t usable_segments(const struct overprovision_input *in)
{
	return (uint32_t)((uint64_t)in->sections * in->section_blocks / F2FS_SEGMENT_BLOCKS);
}

static uint32_t usable_per_section(const struct overprovision_input *in)
{
	return div_ceil32(usable_segments(in), in->sections);
}

/* Room for the six open sections on top of the reserve. */
static uint32_t buffer_segments(const struct overprovision_input *in)
{
	return 6 * in->segs_per_sec;
}

/* Segments held in reserve at a ratio, whole sections; UINT32_MAX when that is more than there can be. */
static uint32_t reserved_at(const struct overprovision_input *in, double percent)
{
	uint32_t per_section = usable_per_section(in), reserved;
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
	const uint32_t usable = usable_segments(in);
	bool small = in->main < 256;
	double percent = small ? 10 : 0.01, end = small ? 95 : 10, step = small ? 5 : 0.01;
	double best = 0, best_space = 0;

	/* NOLINTNEXTLINE(cert-flp30-c,clang-analyzer-security.FloatLoopCounter): the formula adds up doubles */
	for (; percent <= end; percent += step) {
		uint32_t reserved = reserved_at(in, percent);
		double over = (double)(usable - reserved) * percent / 100; /* the difference wraps around */
		double space;

		if (over <= 0)
			continue;
		space = usable - larger(reserved, over) - buffer_segments(in);
		if (best_space < space) {
			best_space = space;
			best = percent;
		}
	}
	return best;
}

/* No GC runs on a read-only volume, so files may have all of it: the kernel asks for no reserve there. f2fs-tools 1.16
 * keep six sections back. */
static bool compute_ro(const struct overprovision_input *in, struct overprovision_output *out)
{
	out->percent = 0;
	out->reserved = 0;
	out->overprovision = 0;
	out->user_blocks = (uint64_t)usable_segments(in) * F2FS_SEGMENT_BLOCKS;
	return out->user_blocks > 0;
}

bool overprovision_compute(const struct overprovision_input *in, struct overprovision_output *out)
{
	const uint32_t usable = usable_segments(in);
	uint32_t over, reserved, lost;

	if (in->is_ro)
		return compute_ro(in, out);
	out->percent = in->percent;
	if (out->percent == 0)
		out->percent = in->reserved_sections ? 3 : best_percent(in);
	if (out->percent == 0)
		return false;
	reserved = reserved_at(in, out->percent);
	if (in->main < 6 || in->main - 6 < reserved || usable <= reserved)
		return false;
	over = (uint32_t)((double)(usable - reserved) * out->percent / 100);
	if (in->reserved_sections && over < buffer_segments(in))
		return false;
	if (in->reserved_sections)
		over += reserved;
	else
		over = (over > reserved ? over : reserved) + buffer_segments(in);
	if (usable <= over)
		return false;
	lost = reserved / usable_per_section(in) * (in->segs_per_sec - usable_per_section(in));
	out->reserved = reserved + lost;
	out->overprovision = over + lost;
	out->user_blocks = (uint64_t)(usable - over) * F2FS_SEGMENT_BLOCKS;
	return true;
}
