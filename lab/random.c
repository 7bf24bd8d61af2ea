/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random numbers of the laboratory.
 */
#include "lab/random.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void lab_random_seed(struct lab_random *r, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		r->s[i] = splitmix(&seed);
}

static uint64_t rotl(uint64_t x, unsigned by)
{
	return (x << by) | (x >> (64 - by));
}

uint64_t lab_random_next(struct lab_random *r)
{
	uint64_t *s = r->s;
	const uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t lab_random_below(struct lab_random *r, uint64_t bound)
{
	const uint64_t uneven = (0 - bound) % bound; /* numbers at the bottom that come once too often */
	uint64_t x;

	do
		x = lab_random_next(r);
	while (x < uneven);
	return x % bound;
}

double lab_random_unit(struct lab_random *r)
{
	return (double)(lab_random_next(r) >> 11) / 9007199254740992.0;
}

uint64_t lab_random_gamma(struct lab_random *r, uint64_t mean)
{
	/* the middles of 64 equal shares of the distribution, in 1/1000 of its mean; their own mean is 996 */
	static const uint16_t quantiles[64] = {
		32,   69,   98,	  125,	150,  174,  197,  220,	242,  264,  285,  307,	329,  350,  372,  393,
		415,  437,  459,  481,	504,  526,  550,  573,	597,  621,  645,  670,	695,  721,  748,  775,
		803,  831,  860,  890,	921,  953,  985,  1019, 1054, 1091, 1128, 1168, 1209, 1252, 1297, 1345,
		1395, 1448, 1505, 1566, 1631, 1703, 1780, 1866, 1963, 2072, 2199, 2350, 2538, 2788, 3163, 3959
	};

	return mean * quantiles[lab_random_next(r) >> 58] / 996;
}

double lab_ln(double x)
{
	double y, square, term, sum = 0;
	int halvings = 0;

	for (; x > 1.5; x /= 2)
		halvings++;
	for (; x < 0.75; x *= 2)
		halvings--;
	y = (x - 1) / (x + 1); /* ln x = 2 artanh y */
	square = y * y;
	term = y;
	for (int i = 1; i < 40; i += 2, term *= square)
		sum += term / i;
	return 2 * sum + halvings * 0.69314718055994530942;
}

double lab_exp(double x)
{
	double term = 1, sum = 1;
	int squarings = 0;

	for (; x > 0.5 || x < -0.5; x /= 2)
		squarings++;
	for (int i = 1; i < 20; i++) {
		term *= x / i;
		sum += term;
	}
	while (squarings-- > 0)
		sum *= sum;
	return sum;
}

static double power(double x, double y)
{
	return lab_exp(y * lab_ln(x));
}

void lab_zipf_start(struct lab_zipf *z, uint64_t n, double theta)
{
	*z = (struct lab_zipf){ .n = n, .theta = theta, .alpha = 1 / (1 - theta) };
	for (uint64_t i = 1; i <= n; i++) {
		/* the tail of a long sum is an integral, cut into pieces that are short against i */
		const uint64_t step = i > 4096 ? (n - i + 1 < i / 1024 ? n - i + 1 : i / 1024) : 1;

		z->zeta += (double)step * power((double)i + (double)(step - 1) / 2, -theta);
		i += step - 1;
	}
	z->half = power(0.5, theta);
	z->eta = (1 - power(2 / (double)n, 1 - theta)) / (1 - (1 + z->half) / z->zeta);
}

uint64_t lab_zipf_next(const struct lab_zipf *z, struct lab_random *r)
{
	const double u = lab_random_unit(r), scaled = u * z->zeta;
	uint64_t rank;

	if (scaled < 1 || z->n < 2)
		return 0;
	if (scaled < 1 + z->half || z->n < 3)
		return 1;
	rank = (uint64_t)((double)z->n * power(z->eta * u - z->eta + 1, z->alpha));
	return rank < z->n ? rank : z->n - 1;
}

uint64_t lab_scatter(uint64_t rank, uint64_t n)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a over its bytes, as YCSB's */

	for (unsigned i = 0; i < 8; i++) {
		hash ^= (rank >> 8 * i) & 0xff;
		hash *= 0x100000001b3u;
	}
	return hash % n;
}
