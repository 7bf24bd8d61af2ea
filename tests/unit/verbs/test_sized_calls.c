/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each public call that takes a struct with struct_size refuses one that is larger than the library's, and one without
 * a size, before it does anything; one of an older, smaller version does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/check_open.h"
#include "common/fresh.h"

#define MIB (1ull << 20)

static struct fresh v;
static struct f2fs_inode *root, *file;

/* A struct of any kind with a size that is set by the test, and room after it. */
static union {
	uint32_t struct_size;
	struct f2fs_fragments longest;
	uint8_t bytes[8192];
} given;

static void *sized(size_t size)
{
	memset(&given, 0, sizeof(given));
	given.struct_size = (uint32_t)size;
	return &given;
}

static int take_host(void *s)
{
	struct f2fs_context *ctx;
	int err = f2fs_context_open(s, &ctx);

	if (!err)
		f2fs_context_close(ctx);
	return err;
}

static int take_device_ops(void *s)
{
	struct f2fs_device_info info = { .size = 4096 };
	struct f2fs_device *dev;

	return f2fs_device_open_custom(v.ctx, s, NULL, &info, &dev);
}

static int take_zones(void *s)
{
	struct f2fs_device *dev;

	return f2fs_device_open_zoned(v.dev, s, &dev);
}

static int take_undo(void *s)
{
	return f2fs_undo_play(v.dev, v.dev, 0, s);
}

static int take_open(void *s)
{
	struct f2fs_volume *vol;
	int err = f2fs_volume_open(v.ctx, v.dev, s, &vol);

	if (!err)
		f2fs_volume_close(vol);
	return err;
}

static int take_inject(void *s)
{
	struct f2fs_inject *inject;
	int err = f2fs_inject_open(v.ctx, v.dev, s, &inject);

	if (!err)
		f2fs_inject_close(inject);
	return err;
}

static int take_write(void *s)
{
	return f2fs_volume_configure(v.vol, s);
}

static int take_placement(void *s)
{
	return f2fs_volume_set_placement(v.vol, s);
}

static int take_hotness(void *s)
{
	struct f2fs_hotness *hotness;
	int err = f2fs_hotness_open(v.vol, s, &hotness);

	return err ? err : f2fs_hotness_close(hotness);
}

static int take_new(void *s)
{
	int err = f2fs_create(root, "/", 1, s, NULL);

	if (f2fs_volume_transaction(v.vol) != F2FS_TRANSACTION_NONE)
		f2fs_volume_rollback(v.vol);
	return err;
}

static int take_verity(void *s)
{
	int err = f2fs_verity_enable(file, s);

	if (f2fs_volume_transaction(v.vol) != F2FS_TRANSACTION_NONE)
		f2fs_volume_rollback(v.vol);
	return err;
}

static int take_digests(void *s)
{
	return f2fs_inode_digest(file, 0, s);
}

static int take_clean(void *s)
{
	return f2fs_gc(v.vol, s, NULL);
}

static int take_clean_result(void *s)
{
	return f2fs_gc(v.vol, NULL, s);
}

static int take_cleaning(void *s)
{
	int err = f2fs_volume_set_gc(v.vol, s);

	return err ? err : f2fs_volume_set_gc(v.vol, NULL);
}

static int take_recover(void *s)
{
	return f2fs_recover(v.vol, s, NULL);
}

static int take_recover_result(void *s)
{
	return f2fs_recover(v.vol, NULL, s);
}

static int take_past(void *s)
{
	struct f2fs_past *past;
	int err = f2fs_past_open(v.vol, s, &past);

	if (!err)
		f2fs_past_close(past);
	return err;
}

static int take_carve(void *s)
{
	struct f2fs_carver *carver;
	struct f2fs_past *past;
	int err;

	assert_int_equal(f2fs_past_open(v.vol, NULL, &past), 0);
	err = f2fs_carver_open(past, s, &carver);
	if (!err)
		f2fs_carver_close(carver);
	f2fs_past_close(past);
	return err;
}

static int take_metadata(void *s)
{
	struct f2fs_device *dev;
	int err = f2fs_metadata_open(v.vol, s, &dev);

	if (!err)
		f2fs_device_close(dev);
	return err;
}

static int take_metadata_stat(void *s)
{
	struct f2fs_device *dev;
	int err;

	assert_int_equal(f2fs_metadata_open(v.vol, NULL, &dev), 0);
	err = f2fs_metadata_stat(dev, s);
	f2fs_device_close(dev);
	return err;
}

static int take_check(void *s)
{
	return f2fs_check(v.ctx, v.dev, s, NULL);
}

static int take_check_result(void *s)
{
	return f2fs_check(v.ctx, v.dev, NULL, s);
}

static int take_check_open(void *s)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .open = s };

	return f2fs_check(v.ctx, v.dev, &options, NULL);
}

static int take_fragments(void *s)
{
	struct f2fs_fragments out;

	return f2fs_fragments_count(v.vol, s, &out);
}

static int take_defrag(void *s)
{
	return f2fs_defrag(v.vol, s, NULL);
}

static int take_defrag_result(void *s)
{
	return f2fs_defrag(v.vol, NULL, s);
}

static int take_range_result(void *s)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(v.vol);

	return f2fs_defrag_range(v.vol, geo->main_blkaddr, 1, geo->end_blkaddr - 1, 0, s);
}

static int take_resize(void *s)
{
	return f2fs_resize_plan(v.ctx, v.dev, NULL, s, NULL);
}

static int take_resize_result(void *s)
{
	return f2fs_resize_plan(v.ctx, v.dev, NULL, NULL, s);
}

static int take_resize_open(void *s)
{
	return f2fs_resize_minimum(v.ctx, v.dev, s, NULL, NULL);
}

static int take_resize_now(void *s)
{
	return f2fs_resize(v.ctx, v.dev, s, NULL, NULL);
}

static int take_mkfs_plan(void *s)
{
	struct f2fs_mkfs_device device = { .device = v.dev };
	struct f2fs_layout layout;

	return f2fs_mkfs_plan(v.ctx, &device, 1, s, &layout);
}

static int take_mkfs_minimum(void *s)
{
	uint64_t bytes;

	return f2fs_mkfs_minimum_size(v.ctx, s, &bytes);
}

static int write_volume(const struct f2fs_mkfs_options *options, struct f2fs_mkfs_result *result)
{
	struct f2fs_mkfs_device device = { 0 };
	int err;

	assert_int_equal(f2fs_device_open_memory(v.ctx, 64 * MIB, &device.device), 0);
	err = f2fs_mkfs_write(v.ctx, &device, 1, options, result);
	f2fs_device_close(device.device);
	return err;
}

static int take_mkfs(void *s)
{
	return write_volume(s, NULL);
}

static int take_mkfs_result(void *s)
{
	return write_volume(NULL, s);
}

/* Source and destination that are not there; a struct that is accepted gives NOT_FOUND. */
static int take_populate_result(void *s)
{
	const struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options), .directory = "/nowhere/" };

	return f2fs_populate(v.vol, &options, s);
}

static int take_populate_compression(void *s)
{
	const struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options), .directory = "/nowhere/",
						       .compression = s };

	return f2fs_populate(v.vol, &options, NULL);
}

static int take_populate_mkfs(void *s)
{
	const struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options), .directory = "/nowhere/" };
	uint64_t size;

	return f2fs_populate_size(v.ctx, s, &options, NULL, &size);
}

static int take_diff_result(void *s)
{
	const struct f2fs_diff_options options = { F2FS_SIZED(f2fs_diff_options), .directory = "/nowhere/" };

	return f2fs_diff(v.vol, &options, s);
}

static int take_extract_result(void *s)
{
	const struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .directory = "/nowhere/out" };

	return f2fs_extract(v.vol, &options, s);
}

/* Those need more than an empty struct to do anything. */
static int take_populate(void *s)
{
	return f2fs_populate(v.vol, s, NULL);
}

static int take_populate_size(void *s)
{
	uint64_t size;

	return f2fs_populate_size(v.ctx, NULL, s, NULL, &size);
}

static int take_diff(void *s)
{
	return f2fs_diff(v.vol, s, NULL);
}

static int take_extract(void *s)
{
	return f2fs_extract(v.vol, s, NULL);
}

static int undelete_with(const struct f2fs_undelete_options *options, struct f2fs_undelete_result *result)
{
	struct f2fs_past *past;
	int err;

	assert_int_equal(f2fs_past_open(v.vol, NULL, &past), 0);
	err = f2fs_undelete(past, options, result);
	f2fs_past_close(past);
	return err;
}

static int take_undelete(void *s)
{
	return undelete_with(s, NULL);
}

static int take_undelete_result(void *s)
{
	return undelete_with(NULL, s);
}

static const struct call {
	const char *name;
	int (*take)(void *sized);
	size_t size;
	int is_bare; /* an empty struct is refused, or fails, for other reasons */
} calls[] = {
#define CALL(name, type, is_bare) { #name, take_##name, sizeof(struct type), is_bare }
	CALL(host, f2fs_host, 0),
	CALL(device_ops, f2fs_device_ops, 1),
	CALL(zones, f2fs_zone_options, 1),
	CALL(undo, f2fs_undo_info, 1),
	CALL(open, f2fs_open_options, 0),
	CALL(inject, f2fs_open_options, 0),
	CALL(write, f2fs_write_options, 0),
	CALL(placement, f2fs_placement, 1),
	CALL(hotness, f2fs_hotness_options, 0),
	CALL(new, f2fs_new, 1),
	CALL(verity, f2fs_verity_params, 1),
	CALL(digests, f2fs_digests, 0),
	CALL(clean, f2fs_gc_options, 0),
	CALL(clean_result, f2fs_gc_result, 0),
	CALL(cleaning, f2fs_gc_options, 0),
	CALL(recover, f2fs_recover_options, 0),
	CALL(recover_result, f2fs_recover_result, 0),
	CALL(past, f2fs_past_options, 0),
	CALL(carve, f2fs_carve_options, 0),
	CALL(metadata, f2fs_metadata_options, 0),
	CALL(metadata_stat, f2fs_metadata_stat, 0),
	CALL(check, f2fs_check_options, 0),
	CALL(check_result, f2fs_check_result, 0),
	CALL(check_open, f2fs_open_options, 0),
	CALL(fragments, f2fs_fragments_options, 0),
	CALL(defrag, f2fs_defrag_options, 0),
	CALL(defrag_result, f2fs_defrag_result, 0),
	CALL(range_result, f2fs_defrag_range_result, 0),
	CALL(resize, f2fs_resize_options, 0),
	CALL(resize_result, f2fs_resize_result, 0),
	CALL(resize_open, f2fs_open_options, 0),
	CALL(resize_now, f2fs_open_options, 0),
	CALL(mkfs_plan, f2fs_mkfs_options, 0),
	CALL(mkfs_minimum, f2fs_mkfs_options, 0),
	CALL(mkfs, f2fs_mkfs_options, 0),
	CALL(mkfs_result, f2fs_mkfs_result, 0),
	CALL(populate_result, f2fs_populate_result, 1),
	CALL(populate_compression, f2fs_populate_compression, 1),
	CALL(populate_mkfs, f2fs_mkfs_options, 1),
	CALL(populate, f2fs_populate_options, 1),
	CALL(populate_size, f2fs_populate_options, 1),
	CALL(diff_result, f2fs_diff_result, 1),
	CALL(diff, f2fs_diff_options, 1),
	CALL(extract_result, f2fs_extract_result, 1),
	CALL(extract, f2fs_extract_options, 1),
	CALL(undelete, f2fs_undelete_options, 1),
	CALL(undelete_result, f2fs_undelete_result, 1),
#undef CALL
};

static int tells_size(void)
{
	const char *message = f2fs_context_error(v.ctx)->message;

	return strstr(message, "older than the program") || strstr(message, "F2FS_SIZED");
}

static void test_calls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const struct call *c = &calls[i];
		const size_t bad[] = { 0, 4, c->size + 1, c->size + 8, UINT32_MAX };
		const size_t good[] = { 8, c->size > 8 ? c->size - 4 : 8, c->size };

		for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
			int err = c->take(sized(bad[j]));

			if (err != F2FS_ERR_INVALID || (!tells_size() && c->take != take_host))
				fail_msg("%s takes a struct of %zu bytes: %d", c->name, bad[j], err);
		}
		for (size_t j = 0; j < sizeof(good) / sizeof(good[0]); j++) {
			int err = c->take(sized(good[j]));

			if ((err && !c->is_bare) || tells_size())
				fail_msg("%s refuses a struct of %zu bytes: %d %s", c->name, good[j], err,
					 f2fs_context_error(v.ctx)->message);
		}
	}
}

static void tell_hotness(void *s)
{
	struct f2fs_hotness *hotness;

	assert_int_equal(f2fs_hotness_open(v.vol, NULL, &hotness), 0);
	f2fs_hotness_stat(hotness, s);
	f2fs_hotness_close(hotness);
}

static void tell_streams(void *s)
{
	f2fs_volume_streams(v.vol, s);
}

static void tell_counters(void *s)
{
	f2fs_volume_counters(v.vol, s);
}

static void tell_volume(void *s)
{
	f2fs_volume_statfs(v.vol, s);
}

static void tell_past(void *s)
{
	struct f2fs_past *past;

	assert_int_equal(f2fs_past_open(v.vol, NULL, &past), 0);
	f2fs_past_stat(past, s);
	f2fs_past_close(past);
}

static void tell_carver(void *s)
{
	struct f2fs_carver *carver;
	struct f2fs_past *past;

	assert_int_equal(f2fs_past_open(v.vol, NULL, &past), 0);
	assert_int_equal(f2fs_carver_open(past, NULL, &carver), 0);
	f2fs_carver_stat(carver, s);
	f2fs_carver_close(carver);
	f2fs_past_close(past);
}

static void tell_as_of(void *s)
{
	f2fs_volume_as_of_stat(v.vol, s);
}

static void tell_recovery(void *s)
{
	struct f2fs_recovery *plan;

	assert_int_equal(f2fs_recovery_open(v.vol, &plan), 0);
	f2fs_recovery_summarize(plan, s);
	f2fs_recovery_close(plan);
}

/* Calls that cannot fail leave unknown members unchanged, and write nothing past the known ones. */
static void test_tellers(void **state)
{
	static const struct {
		void (*tell)(void *s);
		size_t size;
	} tellers[] = {
		{ tell_hotness, sizeof(struct f2fs_hotness_stat) }, { tell_streams, sizeof(struct f2fs_stream_stat) },
		{ tell_counters, sizeof(struct f2fs_counters) },    { tell_volume, sizeof(struct f2fs_volume_stat) },
		{ tell_past, sizeof(struct f2fs_past_stat) },	    { tell_as_of, sizeof(struct f2fs_as_of_stat) },
		{ tell_carver, sizeof(struct f2fs_carve_stat) },
		{ tell_recovery, sizeof(struct f2fs_recovery_summary) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++) {
		const size_t sizes[] = { 0, 4, 16, tellers[i].size, tellers[i].size + 8 };

		for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
			const int is_known = sizes[j] > 4 && sizes[j] <= tellers[i].size;
			size_t changed = 0;

			memset(&given, 0xA5, sizeof(given));
			given.struct_size = (uint32_t)sizes[j];
			tellers[i].tell(&given);
			assert_int_equal(given.struct_size, sizes[j]);
			for (size_t k = sizeof(uint32_t); k < sizeof(given.bytes); k++)
				changed = given.bytes[k] != 0xA5 ? k + 1 : changed;
			assert_true(is_known ? changed <= sizes[j] : changed == 0);
			assert_true(!is_known || changed + 8 >= sizes[j]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_tellers),
	};
	int failed;

	fresh_open(&v, 256 * MIB, 0);
	root = NULL;
	if (f2fs_lookup(v.vol, "/", 0, &root))
		return 1;
	file = fresh_make(&v, "file", 0100644);
	if (f2fs_volume_commit(v.vol))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	f2fs_inode_close(file);
	f2fs_inode_close(root);
	fresh_close(&v);
	return failed;
}
