/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See analytic.h. */
#include <math.h>

#include "analytic.h"

#define INVERSE_E 0.36787944117144233

double lab_lambert_w(double x)
{
	double w;

	if (x < -INVERSE_E)
		return x < -INVERSE_E - 1e-12 ? NAN : -1;
	/* near the branch point W is about -1 + sqrt(2 (1 + e x)); from there, or from log(1 + x), Halley's steps */
	w = x < 0 ? -1 + sqrt(2 * (1 + x / INVERSE_E)) : log1p(x);
	for (int i = 0; i < 100; i++) {
		const double e = exp(w), f = w * e - x;
		const double step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));

		if (!(fabs(step) > 1e-15 * (1 + fabs(w))))
			break;
		w -= step;
	}
	return w;
}

double lab_fifo_amplification(double a)
{
	return a / (a + lab_lambert_w(-a * exp(-a)));
}

/*
 * Sections are cleaned when they have j valid blocks or, a share x of all sections having j, one less. With
 * p(i) = c / i for i above j: c (H(n) - H(j)) + x = 1 and c (n - j) + j x = n / a. Of all j, it is the one with
 * 0 <= x <= c / j.
 */
double lab_greedy_amplification(unsigned blocks, double a)
{
	const double n = blocks, valid = n / a;
	double harmonic = 0; /* H(n) - H(j) */

	for (unsigned j = blocks - 1; j > 0; j--) {
		double c, x;

		harmonic += 1.0 / (j + 1);
		c = (valid - j) / (n - j - j * harmonic);
		x = 1 - c * harmonic;
		if (c > 0 && x >= -1e-12 && x * j <= c * (1 + 1e-12))
			return n / (n - (j - j * x / c));
	}
	return 1; /* sections are empty before their turn comes */
}
