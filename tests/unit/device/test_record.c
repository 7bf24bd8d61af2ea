/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder: replaying its records on an empty device gives the same contents. */
#include "model.h"

#define SIZE 700000u

static void replay(struct f2fs_device *recorder, struct f2fs_device *to)
{
	for (uint64_t i = 0; i < f2fs_device_record_count(recorder); i++) {
		struct f2fs_record r;

		assert_int_equal(f2fs_device_record_at(recorder, i, &r), 0);
		if (r.kind == F2FS_RECORD_WRITE)
			assert_int_equal(f2fs_device_write(to, r.offset, r.data, (size_t)r.length), 0);
		else if (r.kind == F2FS_RECORD_ZERO)
			assert_int_equal(f2fs_device_zero(to, r.offset, r.length), 0);
		else if (r.kind == F2FS_RECORD_DISCARD)
			assert_int_equal(f2fs_device_discard(to, r.offset, r.length), 0);
		else
			assert_int_equal(r.kind, F2FS_RECORD_FLUSH);
		if (r.kind != F2FS_RECORD_WRITE)
			assert_null(r.data);
	}
}

static void replay_gives_the_same(void **state)
{
	struct test_host host;
	struct f2fs_device *memory, *copy, *recorder;
	struct model m;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_open_recorder(memory, &recorder), 0);
	model_init(&m, recorder, 0, SIZE, 80);
	model_run(&m, 500);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &copy), 0);
	replay(recorder, copy);
	m.dev = copy;
	model_compare(&m);
	m.dev = memory;
	model_compare(&m);
	f2fs_device_close(copy);
	f2fs_device_record_clear(recorder);
	assert_int_equal(f2fs_device_record_count(recorder), 0);
	f2fs_device_close(recorder);
	f2fs_device_close(memory);
	model_fini(&m);
	test_host_fini(&host);
}

static void records_in_order_what_succeeded(void **state)
{
	static const int kinds[] = { F2FS_RECORD_WRITE, F2FS_RECORD_FLUSH, F2FS_RECORD_ZERO, F2FS_RECORD_DISCARD };
	const struct f2fs_fault_rule rule = { .fail_write = 2, .fail_flush = 2 };
	struct test_host host;
	struct f2fs_device *memory, *fault, *recorder;
	struct f2fs_record r;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
	f2fs_device_fault_set(fault, &rule);
	assert_int_equal(f2fs_device_open_recorder(fault, &recorder), 0);
	assert_int_equal(f2fs_device_write(recorder, 1, "abc", 3), 0);
	assert_int_equal(f2fs_device_write(recorder, 2, "xyz", 3), F2FS_ERR_IO);
	assert_int_equal(f2fs_device_flush(recorder), 0);
	assert_int_equal(f2fs_device_flush(recorder), F2FS_ERR_IO);
	assert_int_equal(f2fs_device_zero(recorder, 5, 6), 0);
	assert_int_equal(f2fs_device_discard(recorder, 7, 8), 0);
	assert_int_equal(f2fs_device_record_count(recorder), 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(f2fs_device_record_at(recorder, i, &r), 0);
		assert_int_equal(r.kind, kinds[i]);
	}
	assert_int_equal(f2fs_device_record_at(recorder, 0, &r), 0);
	assert_int_equal(r.offset, 1);
	assert_int_equal(r.length, 3);
	assert_memory_equal(r.data, "abc", 3);
	assert_int_equal(f2fs_device_record_at(recorder, 4, &r), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_record_at(memory, 0, &r), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_device_record_count(memory), 0);
	f2fs_device_close(recorder);
	f2fs_device_close(fault);
	f2fs_device_close(memory);
	test_host_fini(&host);
}

/* Without memory for the record the write does not happen either. */
static void survives_failing_allocations(void **state)
{
	struct test_host host;
	struct f2fs_device *memory, *recorder = NULL;
	uint8_t bytes[3];
	int rc = -1;

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	assert_int_equal(f2fs_device_write(memory, 0, "old", 3), 0);
	for (uint64_t n = 1; rc != 0; n++) {
		host.fail_at = host.calls + n;
		rc = f2fs_device_open_recorder(memory, &recorder);
		if (rc == 0)
			rc = f2fs_device_write(recorder, 0, "new", 3);
		assert_int_equal(f2fs_device_read(memory, 0, bytes, 3), 0);
		assert_memory_equal(bytes, rc == 0 ? "new" : "old", 3);
		assert_true(rc == 0 || rc == F2FS_ERR_NOMEM);
		f2fs_device_close(recorder);
		recorder = NULL;
	}
	f2fs_device_close(memory);
	host.fail_at = 0;
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_gives_the_same),
		cmocka_unit_test(records_in_order_what_succeeded),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
