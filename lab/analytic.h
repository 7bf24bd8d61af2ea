/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Formulas for the cost of log-structured cleaning when every write goes to a page chosen uniformly at random: blocks
 * written for each block that a user writes (write amplification). Tests compare simulations with them.
 */
#ifndef F2FSKIT_LAB_ANALYTIC_H
#define F2FSKIT_LAB_ANALYTIC_H

/* The principal branch of Lambert's W: w e^w = x, for x from -1/e on; NAN below. */
double lab_lambert_w(double x);
/*
 * The section that was filled first is cleaned first (FIFO). a = physical / logical space, > 1. A block of a section
 * survives until its turn with u = e^(-a (1 - u)), so u = -W(-a e^-a) / a, and the amplification is 1 / (1 - u).
 */
double lab_fifo_amplification(double a);
/*
 * Compute greedy cleaning, which picks the section with the fewest valid blocks. blocks: in a section (> 1); a as
 * above. The limit of many sections: those with i valid blocks lose one at a rate proportional to i, so there are c / i
 * of them above the number at which sections are cleaned. The sums of sections and of valid blocks are known, which
 * gives c and that number. The limit is known from Bux and Iliadis (2010) and Van Houdt (2013), this derivation is
 * ours.
 */
double lab_greedy_amplification(unsigned blocks, double a);

#endif
