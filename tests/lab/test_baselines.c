/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Placements of other papers: each can be set on a volume and taken away again, and neither loses the last error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <f2fskit/f2fskit.h>

#include "hollow.h"
#include "lab/baseline.h"

static const char *const names[] = {
#define BASELINE(name, paper) #name,
#include "lab/baselines.def"
#undef BASELINE
};

static void closing_keeps_the_error(void **state)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options) };
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(lab_hollow_open(ctx, 512 << 20, &device.device), 0);
	assert_int_equal(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), 0);
	assert_int_equal(f2fs_volume_open(ctx, device.device, NULL, &vol), 0);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct lab_baseline *baseline;

		assert_int_equal(lab_baseline_open(vol, names[i], NULL, &baseline), 0);
		assert_int_equal(f2fs_context_fail(ctx, F2FS_ERR_NOSPC, "no room"), F2FS_ERR_NOSPC);
		lab_baseline_close(baseline);
		assert_int_equal(f2fs_context_error(ctx)->code, F2FS_ERR_NOSPC);
		assert_string_equal(f2fs_context_error(ctx)->message, "no room");
		assert_int_equal(lab_baseline_open(vol, names[i], NULL, &baseline), 0);
		lab_baseline_close(baseline);
		assert_int_equal(f2fs_context_error(ctx)->code, 0);
	}
	f2fs_volume_close(vol);
	f2fs_device_close(device.device);
	f2fs_context_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(closing_keeps_the_error) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
