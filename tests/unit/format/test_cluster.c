/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clusters: every pattern of four slots against the words of the rule, and the header of a kernel's cluster. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/cluster.h"

static const struct f2fs_geometry geo = {
	.main_blkaddr = 0x1000,
	.end_blkaddr = 0x2000,
};

/* Patterns as the format writes them: C head, r block, N reserved, 0 hole; x outside the main area. */
static uint32_t address_of(char c, uint32_t slot)
{
	switch (c) {
	case 'C':
		return F2FS_COMPRESS_ADDR;
	case 'N':
		return F2FS_NEW_ADDR;
	case '0':
		return F2FS_NULL_ADDR;
	case 'x':
		return 0x2000;
	default:
		return 0x1600 + slot;
	}
}

static void classify(const char *pattern, struct cluster_shape *out)
{
	uint8_t slots[4 * 256];
	uint32_t count = 0;

	for (; pattern[count]; count++)
		put_le32(slots + 4 * count, address_of(pattern[count], count));
	memset(out, 0xEE, sizeof(*out));
	cluster_classify(&geo, slots, count, out);
}

static const struct {
	const char *pattern;
	enum cluster_kind kind;
	enum cluster_problem problem;
	uint32_t slot, stored, reserved;
} known[] = {
	{ "0000", CLUSTER_HOLE, CLUSTER_FINE, 0, 0, 0 },
	{ "rrrr", CLUSTER_PLAIN, CLUSTER_FINE, 0, 4, 0 },
	{ "0r0N", CLUSTER_PLAIN, CLUSTER_FINE, 0, 1, 1 },
	{ "NNNN", CLUSTER_PLAIN, CLUSTER_FINE, 0, 0, 4 },
	{ "CrNN", CLUSTER_COMPRESSED, CLUSTER_FINE, 0, 1, 2 },
	{ "Crrr", CLUSTER_COMPRESSED, CLUSTER_FINE, 0, 3, 0 },
	{ "Cr00", CLUSTER_RELEASED, CLUSTER_FINE, 0, 1, 0 },
	{ "Crr0", CLUSTER_RELEASED, CLUSTER_FINE, 0, 2, 0 },
	{ "Cr0N", CLUSTER_COMPRESSED, CLUSTER_FINE, 0, 1, 1 }, /* being released */
	{ "CNNN", CLUSTER_ILLEGAL, CLUSTER_EMPTY, 0, 0, 0 },
	{ "C000", CLUSTER_ILLEGAL, CLUSTER_EMPTY, 0, 0, 0 },
	{ "CrCr", CLUSTER_ILLEGAL, CLUSTER_SECOND_HEAD, 2, 0, 0 },
	{ "CNrN", CLUSTER_ILLEGAL, CLUSTER_GAP, 2, 0, 0 },
	{ "Cr0r", CLUSTER_ILLEGAL, CLUSTER_GAP, 3, 0, 0 },
	{ "rrCr", CLUSTER_ILLEGAL, CLUSTER_MISPLACED_HEAD, 2, 0, 0 },
	{ "rx00", CLUSTER_ILLEGAL, CLUSTER_BAD_ADDRESS, 1, 0, 0 },
	{ "CrxN", CLUSTER_ILLEGAL, CLUSTER_BAD_ADDRESS, 2, 0, 0 },
	{ "000C", CLUSTER_ILLEGAL, CLUSTER_MISPLACED_HEAD, 3, 0, 0 },
};

static void test_known_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct cluster_shape c;

		classify(known[i].pattern, &c);
		assert_int_equal(c.kind, known[i].kind);
		assert_int_equal(c.problem, known[i].problem);
		assert_int_equal(c.problem_slot, known[i].slot);
		if (c.kind != CLUSTER_ILLEGAL) {
			assert_int_equal(c.stored, known[i].stored);
			assert_int_equal(c.reserved, known[i].reserved);
		}
		assert_true(strlen(cluster_problem_text(c.problem)) > 0);
	}
}

/* The rule in other words: legal is C r+ [N0]*, or anything without C. */
static void test_every_pattern(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 4096; n++) {
		char pattern[7];
		const char *p = pattern;
		struct cluster_shape c;
		bool legal;

		for (int i = 0; i < 6; i++)
			pattern[i] = "CrN0"[n >> (2 * i) & 3];
		pattern[6] = '\0';
		if (*p == 'C') {
			p++;
			legal = *p == 'r';
			p += strspn(p, "r");
			p += strspn(p, "N0");
			legal = legal && *p == '\0';
		} else {
			legal = !strchr(p, 'C');
		}
		classify(pattern, &c);
		assert_int_equal(c.kind != CLUSTER_ILLEGAL, legal);
		assert_int_equal(c.problem != CLUSTER_FINE, !legal);
	}
}

static void test_largest(void **state)
{
	char pattern[257];
	struct cluster_shape c;

	(void)state;
	memset(pattern, 'N', 256);
	memset(pattern, 'r', 201);
	pattern[0] = 'C';
	pattern[256] = '\0';
	classify(pattern, &c);
	assert_int_equal(c.kind, CLUSTER_COMPRESSED);
	assert_int_equal(c.stored, 200);
	assert_int_equal(c.reserved, 55);
}

/* 16 KiB of zeros, LZO-RLE, as a kernel stored it. */
static const uint8_t stored[] = {
	0x41, 0x00, 0x00, 0x00, 0x20, 0x51, 0xBA, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x11, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1F, 0xFC, 0xFF, 0xFF,
	0x1F, 0xFC, 0xFF, 0xFF, 0x1F, 0xFC, 0xFF, 0xFF, 0x1F, 0xFC, 0xFF, 0xFF, 0x1F, 0xFC, 0xFF, 0xFF, 0x1F, 0xFC,
	0xFF, 0xFF, 0x1F, 0xFC, 0xFF, 0xFF, 0x1E, 0xFC, 0xFF, 0xF9, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00,
};

static void test_header(void **state)
{
	struct cluster_header header = { 1, 1 };
	uint8_t raw[24];

	(void)state;
	assert_int_equal(cluster_header_decode(stored, 4096, &header), RULE_NONE);
	assert_int_equal(header.length, 0x41);
	assert_int_equal(sizeof(stored), 24 + header.length);
	assert_int_equal(header.checksum, cluster_checksum(stored + 24, header.length));
	memset(raw, 0xAA, sizeof(raw));
	cluster_header_encode(&header, raw);
	assert_memory_equal(raw, stored, sizeof(raw));
}

static void test_header_length(void **state)
{
	struct cluster_header header = { 1, 1 };
	uint8_t raw[24] = { 0 };

	(void)state;
	raw[0] = 0xE8; /* 4072 = 4096 - 24 */
	raw[1] = 0x0F;
	assert_int_equal(cluster_header_decode(raw, 4096, &header), RULE_NONE);
	assert_int_equal(header.length, 4072);
	header.length = 1;
	assert_int_equal(cluster_header_decode(raw, 4095, &header), RULE_CLUSTER_LENGTH);
	assert_int_equal(cluster_header_decode(raw, 23, &header), RULE_CLUSTER_LENGTH);
	memset(raw, 0xFF, 4);
	assert_int_equal(cluster_header_decode(raw, 1 << 20, &header), RULE_CLUSTER_LENGTH);
	assert_int_equal(header.length, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_patterns), cmocka_unit_test(test_every_pattern),
		cmocka_unit_test(test_largest),	       cmocka_unit_test(test_header),
		cmocka_unit_test(test_header_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
