/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decide when background GC runs while nobody uses the volume, by the kernel's times and the sleep of a phone.
 */
#ifndef F2FSKIT_LAB_IDLE_TIME_H
#define F2FSKIT_LAB_IDLE_TIME_H

#include <stdint.h>

struct lab_idle_time {
	uint64_t left; /* seconds until the device sleeps, or is used again */
	uint64_t wait; /* seconds until the next section */
};

/* Begin an idle time of @seconds. The device sleeps after sleep seconds, and GC with it; 0: never. */
void lab_idle_begin(struct lab_idle_time *t, uint64_t seconds, uint64_t sleep);
/* Let time pass until the next section. Return the seconds, 0 when the time is over before. */
uint64_t lab_idle_pass(struct lab_idle_time *t);
/* Adjust the wait: has_many says whether there are many invalid blocks, found whether a section was worth it. */
void lab_idle_adjust(struct lab_idle_time *t, int has_many, int found);

#endif
