/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ciphers and key derivation against names and blocks that a kernel wrote, and against standards; round trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/context.h>

#include "base/cipher.h"
#include "base/cipher_engine.h"

#define LONGEST 4096

static size_t from_hex(const char *hex, uint8_t *out)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = 0;

	for (; hex[0]; hex += 2)
		out[n++] = (uint8_t)((strchr(digits, hex[0]) - digits) << 4 | (strchr(digits, hex[1]) - digits));
	return n;
}

/* Stored by a kernel: the names of section 9.1 and first blocks of files, which are padded with zeros. */
static const struct {
	unsigned mode;
	const char *key, *iv, *clear;
	size_t padded;
	const char *stored; /* its beginning */
} written[] = {
	{ CIPHER_AES_256_CTS, "2230A6BC7D4C162BB6D796CA5E7C631A31241113BEF040790C879985DA8D59B7", "", "f1", 32,
	  "CE593D3962D6D51605A54999A81AB3E9F42C77137D6FE6D0314DCB8DF6004533" },
	{ CIPHER_AES_256_CTS, "FEF2546A7DDCC3EB18ED4512E5216277CA644EC97B08541F9CFBF0907D2EDB7A", "", "a", 16,
	  "0097C3A3938FF5DFD757D1EFE799E2C1" },
	{ CIPHER_AES_128_CTS, "5B502280292617E5329E4EF3EE0541FC", "", "a", 32,
	  "0887013DF42E3FA8C3C704B8901C1FD5A7EC63A535742A84E19D5086B873491B" },
	{ CIPHER_ADIANTUM, "4B8EC856EA169D00452F6184AF65EE6C70AACF82EE1BD259EBF071923336E23E", "", "a", 32,
	  "A25078D7E823DD6E8084864EE3544B27428CF49C69CBF098435A57A944B3F9BE" },
	{ CIPHER_ADIANTUM, "E37450F85DFABBDCEF572612F817402AF92B8E5215C2ABB2C64D5C5EA3CB7C67",
	  "00000000000000006DB25332766944953CD4B2128D174D21", "a", 32,
	  "823C02110042D5F016C877BD85765F405CAFF7E37630F691C4A2C2D95133AFC3" },
	{ CIPHER_AES_256_HCTR2, "19CE0488105364AAB098DFF407A9C250B82A3E80946F50D5EDC1B0A8ED2B2C6C", "", "a", 32,
	  "C69E47E6CA257C861DECBEB5FF9BB4A53D6D1432AC80C080903FCDFF89B1EFAA" },
	{ CIPHER_AES_128_CBC, "6E4B22C11342E7DC9F8453A2E0F06565", "", "1", LONGEST,
	  "473AD70B64322689629AAE6F2920C541" },
	{ CIPHER_ADIANTUM, "C5BD7673FB99996F3B70E1964F795FAB2A0B5E907F9823E399FB23E38D849899", "", "1", LONGEST,
	  "E781B43F43BB9A7F97C26E3EDCA067B1" },
};

/* What standards have. */
static const struct {
	unsigned mode;
	const char *key, *iv, *clear, *stored;
} published[] = {
	/* RFC 3962, 17 bytes */
	{ CIPHER_AES_128_CTS,
	  "636869636B656E207465726979616B69",
	  "",
	  "4920776F756C64206C696B652074686520",
	  "C6353568F2BF8CB4D8A580362DA7FF7F97" },
	/* RFC 3962, 31 bytes */
	{ CIPHER_AES_128_CTS,
	  "636869636B656E207465726979616B69",
	  "",
	  "4920776F756C64206C696B65207468652047656E6572616C20476175277320",
	  "FC00783E0EFDB2C1D445D4C8EFF7ED2297687268D6ECCCC0C07B25E25ECFE5" },
	/* RFC 3962, 32 bytes */
	{ CIPHER_AES_128_CTS,
	  "636869636B656E207465726979616B69",
	  "",
	  "4920776F756C64206C696B65207468652047656E6572616C2047617527732043",
	  "39312523A78662D5BE7FCBCC98EBF5A897687268D6ECCCC0C07B25E25ECFE584" },
	/* SP 800-38A F.2.5, the last two blocks swapped */
	{ CIPHER_AES_256_CTS,
	  "603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4",
	  "000102030405060708090A0B0C0D0E0F",
	  "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411E5FBC119"
	  "1A0A52EFF69F2445DF4F9B17AD2B417BE66C3710",
	  "F58C4C04D6E5F1BA779EABFB5F7BFBD69CFC4E967EDB808D679F777BC6702C7DB2EB05E2C39BE9FCDA6C1907"
	  "8C6A9D1B39F23369A9D9BACFA530E26304231461" },
	/* IEEE 1619, vector 10, whose first blocks these are */
	{ CIPHER_AES_256_XTS,
	  "2718281828459045235360287471352662497757247093699959574966967627314159265358979323846264"
	  "3383279502884197169399375105820974944592",
	  "FF",
	  "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
	  "1C3B3A102F770386E4836C99E370CF9BEA00803F5E482357A4AE12D414A3E63B" },
	/* RFC 3962, 64 bytes */
	{ CIPHER_AES_128_CTS,
	  "636869636B656E207465726979616B69",
	  "",
	  "4920776F756C64206C696B65207468652047656E6572616C20476175277320436869636B656E2C20706C6561"
	  "73652C20616E6420776F6E746F6E20736F75702E",
	  "97687268D6ECCCC0C07B25E25ECFE58439312523A78662D5BE7FCBCC98EBF5A84807EFE836EE89A526730DBC"
	  "2F7BC8409DAD8BBB96C4CDC03BC103E1A194BBD8" },
	/* of the kernel's own tests of essiv(cbc(aes),sha256) */
	{ CIPHER_AES_128_CBC,
	  "06A9214036B8A15B512E03D534120006",
	  "3DAFBA429D9EB430",
	  "53696E676C6520626C6F636B206D7367",
	  "FA59E75F415665C336CA6B72109F8CD4" },
	/* GB/T 17964 as OpenSSL tests it by IEEE 1619, two blocks of it */
	{ CIPHER_SM4_XTS,
	  "2B7E151628AED2A6ABF7158809CF4F3C000102030405060708090A0B0C0D0E0F",
	  "F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF",
	  "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51",
	  "E9538251C71D7B80BBE4483FEF497BD1B3DB1A3E60408C575D63FF7DB39F8326" },
	/* draft-ribose-cfrg-sm4, CBC, the two blocks swapped */
	{ CIPHER_SM4_CTS,
	  "0123456789ABCDEFFEDCBA9876543210",
	  "0123456789ABCDEFFEDCBA9876543210",
	  "0123456789ABCDEFFEDCBA98765432100123456789ABCDEFFEDCBA9876543210",
	  "F6125F7275CE552C3A2BBCF533DE8A3B2677F46B09C122CC975533105BD4A22A" },
	/* google/adiantum, Adiantum_XChaCha12_32_AES256, 16 bytes */
	{ CIPHER_ADIANTUM,
	  "9EEBB2493C1CF5F46A99C2C4DFB1F4DD752057EA2C4FCDB2A53D7B491EABFD0F",
	  "DF63D4ABD249F3D8338137607DFA7308D8496D80E82F6254EB0EA9395B457F8A",
	  "67C9F23084418E43FBF3B33E79367FE8",
	  "6D32861867860F3F967C9D280D53EC9F" },
	/* google/adiantum, Adiantum_XChaCha12_32_AES256, 31 bytes */
	{ CIPHER_ADIANTUM,
	  "362B5797F85DCD995F1A5A441D920F27CC16D72B856399D3BA96A1DBD26068DA",
	  "EF5869B12C5E9A4724C1B169E112938F433D6D00DB5ED8D9129AFED9FF2DAAC4",
	  "5EA8681985981223260ACCDB0A04B9DF4DB3487BB0E3C819435A4606942DF2",
	  "C7C6F1738FC4FF4A39BE78BE8D28C8894663E70C7D87E84EC9187BBE186050" },
	/* google/hctr2, HCTR2_AES256, 16 bytes */
	{ CIPHER_AES_256_HCTR2,
	  "9EEBB2493C1CF5F46A99C2C4DFB1F4DD752057EA2C4FCDB2A53D7B491EABFD0F",
	  "DF63D4ABD249F3D8338137607DFA7308D8496D80E82F6254EB0EA9395B457F8A",
	  "67C9F23084418E43FBF3B33E79367FE8",
	  "2738784716D971352E7EDD7E433CB840" },
	/* google/hctr2, HCTR2_AES256, 17 bytes */
	{ CIPHER_AES_256_HCTR2,
	  "93FA7EE20E67C439E7CA4795689D5E5A7C2619ABC6CA6A4C45A69642AE6CFFE7",
	  "EA8247953B22A13A6ACA244C507E23CD0E50E541B66529D8302300D254A7D656",
	  "DB1F1FECAD836E5D19A5F63BB4935A576F",
	  "F1466E9DB301F06BC2AC5788486D407268" },
	/* google/hctr2, HCTR2_AES256, 31 bytes */
	{ CIPHER_AES_256_HCTR2,
	  "362B5797F85DCD995F1A5A441D920F27CC16D72B856399D3BA96A1DBD26068DA",
	  "EF5869B12C5E9A4724C1B169E112938F433D6D00DB5ED8D9129AFED9FF2DAAC4",
	  "5EA8681985981223260ACCDB0A04B9DF4DB3487BB0E3C819435A4606942DF2",
	  "DBFDC803D0ECC1FEBD6437B88243624E7E54A3E224A727E8A4D5B36CB226B4" },
	/* google/hctr2, HCTR2_AES256, 48 bytes */
	{ CIPHER_AES_256_HCTR2,
	  "0365036E4DE6E84E8BBE22194831EED9A09121BE6289DE78D9B036A33CCE43D5",
	  "A9C34BE70FFC6DBF5627211CFCD604105F43E23035296C1090F1BF61ED0F8A91",
	  "07AA0226B498115E3341215151632C7200AB32A71CC83C9C250E8B9ADF85ED2DF4F2BC55CA926D22FD223B42"
	  "4C0B74EC",
	  "7BB1436DD8726CF6676A00C4F1F0F5A4FC6091AB460B15FCD7C12815A1FCF7688ECC276200645672A617D73F"
	  "67801058" },
};

static struct f2fs_context *new_context(void)
{
	struct f2fs_context *ctx = NULL;

	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	return ctx;
}

static void test_what_a_kernel_wrote(void **state)
{
	struct f2fs_context *ctx = new_context();

	(void)state;
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		uint8_t key[CIPHER_KEY_MAX], iv[CIPHER_IV_SIZE] = { 0 }, clear[LONGEST] = { 0 }, out[LONGEST], want[64];
		struct cipher cipher;
		const size_t n = from_hex(written[i].stored, want);

		from_hex(written[i].key, key);
		from_hex(written[i].iv, iv);
		memcpy(clear, written[i].clear, strlen(written[i].clear));
		assert_int_equal(cipher_init(ctx, &cipher, written[i].mode, key), CIPHER_OK);
		assert_true(cipher_run(&cipher, true, iv, clear, out, written[i].padded));
		assert_memory_equal(out, want, n);
		assert_true(cipher_run(&cipher, false, iv, out, out, written[i].padded));
		assert_memory_equal(out, clear, written[i].padded);
		cipher_fini(&cipher);
	}
	f2fs_context_close(ctx);
}

static void test_what_standards_have(void **state)
{
	struct f2fs_context *ctx = new_context();

	(void)state;
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		uint8_t key[CIPHER_KEY_MAX], iv[CIPHER_IV_SIZE] = { 0 }, clear[64], want[64], out[64];
		const size_t n = from_hex(published[i].clear, clear);
		enum cipher_result result;
		struct cipher cipher;

		from_hex(published[i].key, key);
		from_hex(published[i].iv, iv);
		assert_int_equal(from_hex(published[i].stored, want), n);
		result = cipher_init(ctx, &cipher, published[i].mode, key);
		if (result == CIPHER_UNAVAILABLE &&
		    (published[i].mode == CIPHER_SM4_XTS || published[i].mode == CIPHER_SM4_CTS))
			continue; /* some libcryptos are built without it */
		assert_int_equal(result, CIPHER_OK);
		assert_true(cipher_run(&cipher, true, iv, clear, out, n));
		assert_memory_equal(out, want, n);
		assert_true(cipher_run(&cipher, false, iv, out, out, n));
		assert_memory_equal(out, clear, n);
		cipher_fini(&cipher);
	}
	f2fs_context_close(ctx);
}

static void fill(uint8_t *out, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		out[i] = (uint8_t)(seed >> 16);
	}
}

/* Every mode, every length of a name, in place and not; a wrong IV and a wrong key give something else. */
static void test_round_trips(void **state)
{
	struct f2fs_context *ctx = new_context();
	uint8_t key[CIPHER_KEY_MAX], iv[CIPHER_IV_SIZE], clear[LONGEST], out[LONGEST], back[LONGEST];

	(void)state;
	for (unsigned mode = 0; mode < 16; mode++) {
		const bool whole = mode == CIPHER_AES_256_XTS || mode == CIPHER_AES_128_CBC || mode == CIPHER_SM4_XTS;
		struct cipher cipher;

		fill(key, sizeof(key), mode);
		if (cipher_key_size(mode) == 0) {
			assert_int_equal(cipher_init(ctx, &cipher, mode, key), CIPHER_UNAVAILABLE);
			continue;
		}
		assert_int_equal(cipher_init(ctx, &cipher, mode, key), CIPHER_OK);
		for (size_t n = CIPHER_BLOCK; n <= LONGEST; n += n < 300 ? 1 : 949) {
			fill(iv, sizeof(iv), (unsigned)n);
			fill(clear, n, (unsigned)n + 1);
			assert_int_equal(cipher_run(&cipher, true, iv, clear, out, n), !whole || n % CIPHER_BLOCK == 0);
			if (whole && n % CIPHER_BLOCK != 0)
				continue;
			assert_true(cipher_run(&cipher, false, iv, out, back, n));
			assert_memory_equal(back, clear, n);
			memcpy(back, clear, n);
			assert_true(cipher_run(&cipher, true, iv, back, back, n));
			assert_memory_equal(back, out, n);
			iv[0] ^= 1;
			assert_true(cipher_run(&cipher, false, iv, out, back, n));
			assert_memory_not_equal(back, clear, n);
		}
		cipher_fini(&cipher);
	}
	f2fs_context_close(ctx);
}

static void test_too_short(void **state)
{
	struct f2fs_context *ctx = new_context();
	uint8_t key[CIPHER_KEY_MAX] = { 1 }, iv[CIPHER_IV_SIZE] = { 0 }, buffer[CIPHER_BLOCK] = { 0 };
	struct cipher cipher;

	(void)state;
	assert_int_equal(cipher_init(ctx, &cipher, CIPHER_AES_256_CTS, key), CIPHER_OK);
	assert_false(cipher_run(&cipher, false, iv, buffer, buffer, CIPHER_BLOCK - 1));
	cipher_fini(&cipher);
	f2fs_context_close(ctx);
}

/* The master key of section 9.1 and the identifier that the kernel gave it. */
static void test_identifier(void **state)
{
	uint8_t master[64], prk[HKDF_PRK_SIZE], id[16], want[16];
	const uint8_t info[] = { 'f', 's', 'c', 'r', 'y', 'p', 't', 0, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(master); i++)
		master[i] = (uint8_t)(3 + 7 * i);
	from_hex("A525B310D975604E26C761134E6C35D1", want);
	assert_true(hkdf_extract(master, sizeof(master), prk));
	assert_true(hkdf_expand(prk, info, sizeof(info), id, sizeof(id)));
	assert_memory_equal(id, want, sizeof(id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_kernel_wrote),
		cmocka_unit_test(test_what_standards_have),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_too_short),
		cmocka_unit_test(test_identifier),
	};

	if (!cipher_is_built())
		return 77; /* skipped: there is no libcrypto */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
