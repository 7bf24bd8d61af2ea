/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Our LZO compressor beside the LZO library's lzo1x_1, in turns, over files cut into clusters: lzo_rate FILE... For
 * each file and cluster size: bytes of the library's for each byte of the file, its MB/s, and both of ours as a part of
 * the library's. Processor time, best of 12 turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/lzo.h"
#include "base/lzo_encode.h"
#include "common/lzo_peer.h"

#define ROUNDS 12
#define FILE_MAX (16u << 20)
#define CLUSTER_MAX (1u << 20)

enum maker { PEER, PLAIN, ZERO_RUNS, MAKERS };

static uint8_t input[FILE_MAX], output[CLUSTER_MAX * 2], work[LZO_PEER_WORK * 2];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t compress_all(enum maker maker, size_t size, size_t cluster)
{
	size_t total = 0, length = 0;

	for (size_t at = 0; at + cluster <= size; at += cluster) {
		struct lzo_input in = { input + at, cluster, maker == ZERO_RUNS };

		if (maker == PEER ? !lzo_peer_compress(input + at, cluster, output, &length, work)
				  : !lzo_compress(&in, output, sizeof(output), &length, work))
			exit(1);
		total += length;
	}
	return total;
}

static void measure(const char *name, size_t size, size_t cluster)
{
	double best[MAKERS] = { 1e9, 1e9, 1e9 };
	size_t total[MAKERS] = { 0 };
	double plain = (double)(size / cluster * cluster);

	for (int round = 0; round < ROUNDS; round++) {
		for (enum maker maker = PEER; maker < MAKERS; maker++) {
			double start = now();

			total[maker] = compress_all(maker, size, cluster);
			start = now() - start;
			if (start < best[maker])
				best[maker] = start;
		}
	}
	printf("| %s | %zu KiB | %.3f | %.0f |", name, cluster >> 10, (double)total[PEER] / plain,
	       plain / best[PEER] / 1e6);
	for (enum maker maker = PLAIN; maker < MAKERS; maker++)
		printf(" %.3f | %.2f |", (double)total[maker] / (double)total[PEER], best[PEER] / best[maker]);
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const size_t clusters[] = { 16384, 65536, 1048576 };

	if (argc < 2 || !lzo_peer_load()) {
		fprintf(stderr, argc < 2 ? "usage: lzo_rate FILE...\n" : "lzo_rate: liblzo2 is not installed\n");
		return 2;
	}
	printf("| file | cluster | liblzo2: size | MB/s | lzo: size | speed | lzo-rle: size | speed |\n"
	       "|---|---|---|---|---|---|---|---|\n");
	for (int i = 1; i < argc; i++) {
		const char *name = strrchr(argv[i], '/');
		FILE *file = fopen(argv[i], "rb");
		size_t size = file ? fread(input, 1, sizeof(input), file) : 0;

		if (file)
			fclose(file);
		for (size_t c = 0; c < sizeof(clusters) / sizeof(clusters[0]); c++) {
			if (size >= clusters[c])
				measure(name ? name + 1 : argv[i], size, clusters[c]);
		}
	}
	return 0;
}
