/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's times: 30 to 60 seconds between two sections, 300 when none was worth it.
 */
#include "lab/idle_time.h"

enum { LEAST = 30, MOST = 60, NONE_FOUND = 300 };

void lab_idle_begin(struct lab_idle_time *t, uint64_t seconds, uint64_t sleep)
{
	t->left = sleep > 0 && sleep < seconds ? sleep : seconds;
	t->wait = LEAST;
}

uint64_t lab_idle_pass(struct lab_idle_time *t)
{
	if (t->wait >= t->left)
		return 0; /* the device sleeps when the section would begin */
	t->left -= t->wait;
	return t->wait;
}

void lab_idle_adjust(struct lab_idle_time *t, int has_many, int found)
{
	if (!found)
		t->wait = NONE_FOUND;
	else if (has_many || t->wait == NONE_FOUND)
		t->wait = LEAST;
	else
		t->wait = MOST;
}
