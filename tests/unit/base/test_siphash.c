/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SipHash-2-4 against its authors' values for the key 00 01 .. 0f and the message 00 01 .. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/siphash.h"

static void test_vectors(void **state)
{
	static const struct {
		size_t len;
		uint64_t hash;
	} vectors[] = {
		{ 0, 0x726fdb47dd0e0e31 }, { 1, 0x74f839c593dc67fd },  { 7, 0xab0200f58b01d137 },
		{ 8, 0x93f5f5799a932462 }, { 15, 0xa129ca6149be45e5 }, { 63, 0x958a324ceb064572 },
	};
	uint8_t key[SIPHASH_KEY_SIZE], message[64];

	(void)state;
	for (uint8_t i = 0; i < sizeof(key); i++)
		key[i] = i;
	for (uint8_t i = 0; i < sizeof(message); i++)
		message[i] = i;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		assert_true(siphash24(key, message, vectors[i].len) == vectors[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
