/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the rate of deciphering with libcrypto's own, in turns: cipher_rate IMAGE KEY PATH, with a file of a volume
 * whose policy is AES-256-XTS. Prints MB/s of libcrypto's AES-256-XTS over blocks of 4 KiB in memory, of reading the
 * ciphertext and then having libcrypto decipher it, of reading the file in clear through the library, and of each
 * cipher over blocks in memory. Processor time of all threads, and by the clock, medians of 40 turns: a machine that
 * shares its processors with others may count too little for single turns. The share of libcrypto's rate is that of the
 * same turn. The library reads and deciphers with workers. Only the clock shows their gain, on idle processors.
 */
#include <f2fskit/f2fskit.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cipher.h"

#define ROUNDS 40
#define BLOCK 4096u
#define SIZE_MAX_READ (64u << 20)

/* Seconds of processors, and of the clock. */
struct moment {
	double cpu, clock;
};

static double seconds(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct moment now(void)
{
	return (struct moment){ seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC) };
}

static void need(int done, const char *what)
{
	if (done)
		return;
	fprintf(stderr, "cipher_rate: %s\n", what);
	exit(1);
}

/* As a program would do it that knows nothing of us: one context, a new IV for each block. */
static void run_libcrypto(EVP_CIPHER_CTX *ctx, const uint8_t *in, uint8_t *out, size_t size)
{
	for (uint64_t i = 0; i < size / BLOCK; i++) {
		uint8_t iv[16] = { 0 };
		int n = 0;

		memcpy(iv, &i, sizeof(i));
		need(EVP_DecryptInit_ex2(ctx, NULL, NULL, iv, NULL) == 1, "libcrypto");
		need(EVP_DecryptUpdate(ctx, out + i * BLOCK, &n, in + i * BLOCK, BLOCK) == 1, "libcrypto");
	}
}

static void run_cipher(struct cipher *cipher, const uint8_t *in, uint8_t *out, size_t size)
{
	for (uint64_t i = 0; i < size / BLOCK; i++) {
		uint8_t iv[CIPHER_IV_SIZE] = { 0 };

		memcpy(iv, &i, sizeof(i));
		need(cipher_run(cipher, false, iv, in + i * BLOCK, out + i * BLOCK, BLOCK), "a cipher");
	}
}

/* MB/s of each turn, by processor and by the clock. */
struct rates {
	double cpu[ROUNDS], clock[ROUNDS];
	unsigned count;
};

struct all_rates {
	struct rates libcrypto, raw, both, file, modes[11];
};

static void keep(struct rates *rates, struct moment start, size_t size)
{
	const struct moment end = now();

	rates->cpu[rates->count] = (double)size / (end.cpu - start.cpu) / 1e6;
	rates->clock[rates->count++] = (double)size / (end.clock - start.clock) / 1e6;
}

static int order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, unsigned count)
{
	double sorted[ROUNDS];

	memcpy(sorted, values, count * sizeof(*values));
	qsort(sorted, count, sizeof(*sorted), order);
	return sorted[count / 2];
}

/* The median of what each turn has of the other's rate in the same turn. */
static double share(const double *values, const double *whole, unsigned count)
{
	double shares[ROUNDS];

	for (unsigned i = 0; i < count; i++)
		shares[i] = values[i] / whole[i];
	return median(shares, count);
}

static void print_row(const char *name, const struct rates *row, const struct rates *whole)
{
	const unsigned n = row->count;

	if (n == 0)
		return;
	printf("%-24s %8.0f MB/s  %.2f   by the clock %8.0f MB/s  %.2f\n", name, median(row->cpu, n),
	       share(row->cpu, whole->cpu, n), median(row->clock, n), share(row->clock, whole->clock, n));
}

static void print(const struct all_rates *all)
{
	static const char *const names[11] = { [1] = "AES-256-XTS", [4] = "AES-256-CTS",   [5] = "AES-128-CBC-ESSIV",
					       [6] = "AES-128-CTS", [7] = "SM4-XTS",	   [8] = "SM4-CTS",
					       [9] = "Adiantum",    [10] = "AES-256-HCTR2" };

	print_row("libcrypto, AES-256-XTS", &all->libcrypto, &all->libcrypto);
	print_row("ciphertext read", &all->raw, &all->libcrypto);
	print_row("read, then libcrypto", &all->both, &all->libcrypto);
	print_row("a file in clear", &all->file, &all->libcrypto);
	for (unsigned mode = 0; mode < 11; mode++)
		if (names[mode])
			print_row(names[mode], &all->modes[mode], &all->libcrypto);
}

static struct f2fs_inode *open_file(struct f2fs_context *ctx, char **argv)
{
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_inode *inode;
	uint8_t key[F2FS_KEY_MAX];
	FILE *file = fopen(argv[2], "rb");
	const size_t n = file ? fread(key, 1, sizeof(key), file) : 0;

	if (file)
		fclose(file);
	need(f2fs_device_open(ctx, argv[1], 0, &dev) == 0, "cannot open the image");
	need(f2fs_volume_open(ctx, dev, NULL, &vol) == 0, "cannot open the volume");
	need(f2fs_volume_add_key(vol, key, n, NULL, 0, NULL) == 0, "not a key");
	need(f2fs_lookup(vol, argv[3], 0, &inode) == 0, "no such file");
	return inode;
}

int main(int argc, char **argv)
{
	static struct all_rates all;
	struct f2fs_context *ctx;
	uint8_t *in = calloc(1, SIZE_MAX_READ), *out = malloc(SIZE_MAX_READ), key[CIPHER_KEY_MAX];
	EVP_CIPHER_CTX *evp = EVP_CIPHER_CTX_new();
	struct f2fs_inode *inode;
	size_t size;

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 7);
	need(argc == 4 && in && out && evp, "usage: cipher_rate IMAGE KEY PATH");
	need(f2fs_context_open(NULL, &ctx) == 0, "no memory");
	need(EVP_DecryptInit_ex2(evp, EVP_aes_256_xts(), key, NULL, NULL) == 1, "libcrypto");
	inode = open_file(ctx, argv);
	for (int round = 0; round < ROUNDS; round++) {
		struct moment start = now();

		need(f2fs_inode_read(inode, 0, out, SIZE_MAX_READ, &size) == 0, f2fs_context_error(ctx)->message);
		keep(&all.file, start, size);
		start = now();
		run_libcrypto(evp, in, out, size);
		keep(&all.libcrypto, start, size);
		start = now();
		need(f2fs_inode_read_raw(inode, 0, in, size, &size) == 0, f2fs_context_error(ctx)->message);
		keep(&all.raw, start, size);
		run_libcrypto(evp, in, out, size);
		keep(&all.both, start, size);
		for (unsigned mode = 0; mode < 11 && round < 5; mode++) {
			struct cipher cipher;
			const size_t part = size < (4u << 20) ? size : 4u << 20;

			if (cipher_init(ctx, &cipher, mode, key) != CIPHER_OK)
				continue;
			start = now();
			run_cipher(&cipher, in, out, part);
			keep(&all.modes[mode], start, part);
			cipher_fini(&cipher);
		}
	}
	print(&all);
	return 0;
}
