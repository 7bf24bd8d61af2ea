/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * See midas_model.h. The last group is cleaned greedily, but its blocks differ little in age, so the model takes the
 * formula of cleaning in turn: with use u, a victim's live part v has u = (v - 1) / ln v.
 */
#include "lab/midas_model.h"

#include <math.h>
#include <stdlib.h>

#include <f2fskit/format.h>

enum { HOT = 0, CHAIN = 1, FIRST = 1, SIZES = 40 };
#define BETTER_BY 0.99 /* a further group must win one percent */
#define GROWTH 1.2     /* from one size that is tried to the next */

/* Of blocks that enter the hot group or the chain, by age in units: the part that is alive, and its sum up to there. */
struct curve {
	double alive[MIDAS_UNITS + 1], sum[MIDAS_UNITS + 1];
};

struct model {
	const struct midas_load *load;
	struct curve curves[2];
	double hot; /* part of the writes */
};

/* Lives that began before the epoch, and those that last, count for the ages at which they were seen. */
static void make_curve(const uint64_t *deaths, const uint64_t *lives, struct curve *out)
{
	out->alive[0] = 1;
	out->sum[0] = 0;
	for (uint32_t i = 0; i < MIDAS_UNITS; i++) {
		const double dying = lives[i] > deaths[i] ? (double)deaths[i] / (double)lives[i] : deaths[i] > 0;

		out->alive[i + 1] = out->alive[i] * (1 - dying);
		out->sum[i + 1] = out->sum[i] + (out->alive[i] + out->alive[i + 1]) / 2;
	}
}

/* A value between two entries; past the last it stays. */
static double value_at(const struct model *m, const double *values, double age)
{
	const double at = age / (double)m->load->unit;
	const unsigned i = at < MIDAS_UNITS ? (unsigned)at : MIDAS_UNITS;

	return i == MIDAS_UNITS ? values[i] : values[i] + (at - i) * (values[i + 1] - values[i]);
}

/* The live part of a victim of the last group; 1 when it has no room. */
static double live_of_last(double use)
{
	double low = 1e-9, high = 1 - 1e-9;

	if (use >= 0.995)
		return 1;
	for (unsigned i = 0; i < 50; i++) {
		const double v = (low + high) / 2;

		if ((v - 1) / log(v) < use)
			low = v;
		else
			high = v;
	}
	return low;
}

/* How many users' writes pass while a group of this size is filled by a part of them. */
static double time_in(uint32_t size, double flow)
{
	return flow > 1e-6 ? size * (double)F2FS_SEGMENT_BLOCKS / flow : 1e12;
}

/* Predict the live parts and the amplification of a plan, whose groups but the last have sizes. */
static void predict(const struct model *m, struct midas_plan *plan)
{
	const struct curve *hot = &m->curves[HOT], *chain = &m->curves[CHAIN];
	const double unit = (double)m->load->unit, hot_age = time_in(plan->size[HOT], m->hot);
	const double returned = m->hot * value_at(m, hot->alive, hot_age), in = 1 - m->hot + returned;
	const unsigned last = plan->groups;
	double age = 0, alive = 1, room = (double)m->load->segments - plan->size[HOT], moved = returned, held;

	plan->live[HOT] = m->hot > 0 ? returned / m->hot : 0;
	for (unsigned g = FIRST; g < last; g++) {
		const double before = alive;

		age += time_in(plan->size[g], in * alive);
		alive = value_at(m, chain->alive, age);
		plan->live[g] = before > 0 ? alive / before : 0;
		moved += in * alive;
		room -= plan->size[g];
	}
	held = unit * (m->hot * value_at(m, hot->sum, hot_age) + in * value_at(m, chain->sum, age));
	plan->size[last] = room > 1 ? (uint32_t)room : 1;
	plan->live[last] = room > 1 ? live_of_last(fmax((double)m->load->live - held, 0) /
						   (room * F2FS_SEGMENT_BLOCKS))
				    : 1;
	moved += plan->live[last] < 1 ? in * alive * plan->live[last] / (1 - plan->live[last]) : 1e9;
	plan->amplification = 1 + moved;
}

/* Try sizes for a group, and keep the best. */
static void fit(const struct model *m, struct midas_plan *plan, unsigned group)
{
	struct midas_plan best = *plan;
	double size = 1;

	for (unsigned i = 0; i < SIZES && size < m->load->segments; i++, size = fmax(size * GROWTH, size + 1)) {
		struct midas_plan next = *plan;

		next.size[group] = (uint32_t)size;
		predict(m, &next);
		if (next.amplification < best.amplification)
			best = next;
	}
	*plan = best;
}

int midas_model_plan(const struct midas_load *load, unsigned most, struct midas_plan *out)
{
	struct model *m = malloc(sizeof(*m));

	if (!m)
		return -1;
	m->load = load;
	m->hot = load->writes[HOT] ? (double)load->writes[HOT] / (double)(load->writes[HOT] + load->writes[CHAIN]) : 0;
	for (unsigned i = HOT; i <= CHAIN; i++)
		make_curve(load->deaths[i], load->lives[i], &m->curves[i]);
	*out = (struct midas_plan){ .groups = FIRST, .size = { 1 } };
	predict(m, out);
	fit(m, out, HOT);
	for (unsigned groups = FIRST + 1; groups <= most && groups < MIDAS_GROUPS; groups++) {
		struct midas_plan next = *out;

		next.groups = groups;
		next.size[groups - 1] = 1;
		predict(m, &next);
		fit(m, &next, groups - 1);
		for (unsigned g = HOT; g < groups; g++)
			fit(m, &next, g);
		if (next.amplification > out->amplification * BETTER_BY)
			break;
		*out = next;
	}
	free(m);
	return 0;
}
