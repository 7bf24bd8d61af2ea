/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random numbers of the laboratory: the same seed gives the same numbers on every host, so no function of the C library
 * whose last bit may differ is in here.
 */
#ifndef F2FSKIT_LAB_RANDOM_H
#define F2FSKIT_LAB_RANDOM_H

#include <stdint.h>

/* xoshiro256** by Blackman and Vigna, seeded by splitmix64. */
struct lab_random {
	uint64_t s[4];
};
void lab_random_seed(struct lab_random *r, uint64_t seed);
uint64_t lab_random_next(struct lab_random *r);
/* Even, from 0 to bound - 1; bound > 0. */
uint64_t lab_random_below(struct lab_random *r, uint64_t bound);
/* From 0 up to but without 1, 53 bits. */
double lab_random_unit(struct lab_random *r);
/* A gamma distribution of shape 1.5, as Filebench's file sizes have, with the given mean. */
uint64_t lab_random_gamma(struct lab_random *r, uint64_t mean);

/* Natural logarithm and exponential from additions, multiplications and divisions alone, good to 1e-12. */
double lab_ln(double x);
double lab_exp(double x);

/* Zipfian ranks 0 (the most popular) to n - 1, as YCSB draws them (Gray and others, 1994). */
struct lab_zipf {
	uint64_t n;
	double theta, alpha, zeta, eta, half;
};
void lab_zipf_start(struct lab_zipf *z, uint64_t n, double theta);
uint64_t lab_zipf_next(const struct lab_zipf *z, struct lab_random *r);
/* Spread ranks over 0 to n - 1, as YCSB scrambles them: popular ones are spread. */
uint64_t lab_scatter(uint64_t rank, uint64_t n);

#endif
