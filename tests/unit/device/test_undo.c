/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The undo file: whatever was done to a device, and wherever it was cut, playing back gives the old bytes; damaged
 * files and other devices are refused before anything is written.
 */
#include "model.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/undo.h"

#define SIZE 700000u /* no multiple of a block */
#define LOG_SIZE (4u << 20)

static struct f2fs_device *new_memory(struct test_host *host, uint64_t size)
{
	struct f2fs_device *dev;

	assert_int_equal(f2fs_device_open_memory(host->ctx, size, &dev), 0);
	return dev;
}

/* A device with a past: some bytes, some holes. */
static struct f2fs_device *new_target(struct test_host *host, uint8_t *old)
{
	struct f2fs_device *dev = new_memory(host, SIZE);

	memset(old, 0, SIZE);
	for (unsigned at = 0; at < SIZE; at += 60000) {
		test_fill(old + at, 20000, at + 1);
		assert_int_equal(f2fs_device_write(dev, at, old + at, 20000), 0);
	}
	return dev;
}

static void expect_bytes(struct f2fs_device *dev, const uint8_t *bytes)
{
	uint8_t *now = malloc(SIZE);

	assert_int_equal(f2fs_device_read(dev, 0, now, SIZE), 0);
	assert_memory_equal(now, bytes, SIZE);
	free(now);
}

static void expect_played(struct f2fs_device *log, struct f2fs_device *target, const uint8_t *old, int sealed)
{
	struct f2fs_undo_info info = { F2FS_SIZED(f2fs_undo_info) };

	assert_int_equal(f2fs_undo_play(log, target, !sealed, &info), 0);
	assert_int_equal(info.is_sealed, sealed);
	assert_int_equal(info.device_size, SIZE);
	expect_bytes(target, old);
}

static void gives_back_the_old_bytes(void **state)
{
	uint8_t *old = malloc(SIZE), *now = malloc(SIZE);
	struct test_host host;

	(void)state;
	test_host_init(&host);
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct f2fs_device *target = new_target(&host, old), *log = new_memory(&host, LOG_SIZE), *undo;
		struct model m;

		assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
		model_init(&m, undo, 0, SIZE, seed);
		/* the model starts with the old contents */
		memcpy(m.bytes, old, SIZE);
		model_run(&m, 200);
		model_compare(&m);
		m.dev = target;
		model_compare(&m);
		memcpy(now, m.bytes, SIZE);
		model_fini(&m);
		/* a cut: never closed */
		assert_int_equal(f2fs_undo_play(log, target, 0, NULL), F2FS_ERR_STATE);
		expect_bytes(target, now);
		expect_played(log, target, old, 0);
		assert_int_equal(f2fs_device_write(target, 0, now, SIZE), 0);
		f2fs_device_close(undo);
		expect_played(log, target, old, 1);
		expect_played(log, target, old, 1); /* again */
		f2fs_device_close(log);
		f2fs_device_close(target);
	}
	test_host_fini(&host);
	free(old);
	free(now);
}

static void each_block_is_saved_once(void **state)
{
	uint8_t *old = malloc(SIZE), bytes[5000];
	struct f2fs_device *target, *log, *undo;
	struct f2fs_undo_info info = { F2FS_SIZED(f2fs_undo_info) };
	struct test_host host;

	(void)state;
	test_host_init(&host);
	target = new_target(&host, old);
	log = new_memory(&host, LOG_SIZE);
	assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
	test_fill(bytes, sizeof(bytes), 7);
	for (int i = 0; i < 5; i++)
		assert_int_equal(f2fs_device_write(undo, 4096, bytes, sizeof(bytes)), 0);
	assert_int_equal(f2fs_device_write(undo, SIZE - 10, bytes, 10), 0);
	assert_int_equal(f2fs_device_zero(undo, 8192, 4096), 0);
	f2fs_device_close(undo);
	assert_int_equal(f2fs_undo_play(log, target, 0, &info), 0);
	assert_int_equal(info.records, 2);
	assert_int_equal(info.bytes, 8192 + SIZE % 4096);
	expect_bytes(target, old);
	f2fs_device_close(log);
	f2fs_device_close(target);
	test_host_fini(&host);
	free(old);
}

/* A recording that was cut, of which a record in the middle was damaged later: records after it are not skipped. */
static void counts_what_a_damaged_record_hides(void **state)
{
	static const uint64_t places[] = { 30, 44, 59, 74, 88 };
	uint8_t *old = malloc(SIZE), bytes[4096], flip;
	struct f2fs_device *target, *log, *undo;
	struct f2fs_undo_info info = { F2FS_SIZED(f2fs_undo_info) };
	struct test_host host;

	(void)state;
	test_host_init(&host);
	target = new_target(&host, old);
	log = new_memory(&host, LOG_SIZE);
	assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
	test_fill(bytes, sizeof(bytes), 9);
	for (unsigned i = 0; i < 5; i++) { /* each a record of its own, with a block that held bytes */
		assert_int_equal(f2fs_device_write(undo, places[i] * 4096, bytes, sizeof(bytes)), 0);
		assert_int_equal(f2fs_device_flush(undo), 0);
	}
	for (unsigned bad = 0; bad < 5; bad++) {
		const uint64_t at = UNDO_FIRST_RECORD + bad * undo_record_size(4096, UNDO_BYTES) + UNDO_SECTOR + 100;

		assert_int_equal(f2fs_device_read(log, at, &flip, 1), 0);
		flip ^= 4;
		assert_int_equal(f2fs_device_write(log, at, &flip, 1), 0);
		assert_int_equal(f2fs_undo_play(log, target, 1, &info), 0);
		assert_int_equal(info.records, bad);
		assert_int_equal(info.left, 4 - bad);
		flip ^= 4;
		assert_int_equal(f2fs_device_write(log, at, &flip, 1), 0);
	}
	assert_int_equal(f2fs_undo_play(log, target, 1, &info), 0);
	assert_int_equal(info.records, 5);
	assert_int_equal(info.left, 0);
	expect_bytes(target, old);
	f2fs_device_close(undo);
	f2fs_device_close(log);
	f2fs_device_close(target);
	test_host_fini(&host);
	free(old);
}

/* Log and target are parts of one recorded device, so that their writes have one order. */
struct stage {
	struct f2fs_device *memory, *recorder, *target, *log;
};

static void stage_init(struct test_host *host, struct stage *s, struct f2fs_device *memory)
{
	s->memory = memory;
	assert_int_equal(f2fs_device_open_recorder(memory, &s->recorder), 0);
	assert_int_equal(f2fs_device_open_slice(s->recorder, 0, SIZE, &s->target), 0);
	assert_int_equal(f2fs_device_open_slice(s->recorder, 1 << 20, LOG_SIZE, &s->log), 0);
	(void)host;
}

static void stage_fini(struct stage *s)
{
	f2fs_device_close(s->target);
	f2fs_device_close(s->log);
	f2fs_device_close(s->recorder);
	f2fs_device_close(s->memory);
}

enum cut { CUT_CLEAN, CUT_TORN, CUT_LOST };

/* The first n operations; of those to the log since its last flush, none arrives (LOST), or half of the last (TORN). */
static void replay_prefix(const struct stage *from, uint64_t n, enum cut cut, struct f2fs_device *to)
{
	uint64_t flushed = 0;
	struct f2fs_record r;

	for (uint64_t i = 0; i < n; i++) {
		assert_int_equal(f2fs_device_record_at(from->recorder, i, &r), 0);
		if (r.kind == F2FS_RECORD_FLUSH)
			flushed = i;
	}
	for (uint64_t i = 0; i < n; i++) {
		bool is_log, is_late = i >= flushed;

		assert_int_equal(f2fs_device_record_at(from->recorder, i, &r), 0);
		is_log = r.offset >= 1 << 20;
		if (is_log && is_late && cut == CUT_LOST)
			continue;
		if (i + 1 == n && cut == CUT_TORN)
			r.length = r.length / 2 / 512 * 512;
		if (r.kind == F2FS_RECORD_WRITE)
			assert_int_equal(f2fs_device_write(to, r.offset, r.data, (size_t)r.length), 0);
		else if (r.kind == F2FS_RECORD_ZERO)
			assert_int_equal(f2fs_device_zero(to, r.offset, r.length), 0);
		else if (r.kind == F2FS_RECORD_DISCARD)
			assert_int_equal(f2fs_device_discard(to, r.offset, r.length), 0);
	}
}

static bool is_changed(struct f2fs_device *dev, const uint8_t *old)
{
	uint8_t *now = malloc(SIZE);
	bool changed;

	assert_int_equal(f2fs_device_read(dev, 0, now, SIZE), 0);
	changed = memcmp(now, old, SIZE) != 0;
	free(now);
	return changed;
}

static void a_cut_anywhere_can_be_undone(void **state)
{
	uint8_t *old = malloc(SIZE);
	struct f2fs_device *undo, *start;
	struct test_host host;
	struct stage stage;
	struct model m;
	uint64_t changed = 0;

	(void)state;
	test_host_init(&host);
	start = new_memory(&host, 8 << 20);
	memset(old, 0, SIZE);
	test_fill(old, 300000, 3);
	assert_int_equal(f2fs_device_write(start, 0, old, SIZE), 0);
	{
		struct f2fs_device *copy;

		assert_int_equal(f2fs_device_fork_memory(start, &copy), 0);
		stage_init(&host, &stage, copy);
	}
	assert_int_equal(f2fs_device_open_undo(stage.target, stage.log, &undo), 0);
	model_init(&m, undo, 0, SIZE, 5);
	memcpy(m.bytes, old, SIZE);
	model_run(&m, 60);
	model_fini(&m);
	f2fs_device_close(undo);
	for (uint64_t n = 0; n <= f2fs_device_record_count(stage.recorder); n++) {
		for (int cut = CUT_CLEAN; cut <= CUT_LOST; cut++) {
			struct f2fs_device *copy, *target, *log;
			int err;

			assert_int_equal(f2fs_device_fork_memory(start, &copy), 0);
			replay_prefix(&stage, n, (enum cut)cut, copy);
			assert_int_equal(f2fs_device_open_slice(copy, 0, SIZE, &target), 0);
			assert_int_equal(f2fs_device_open_slice(copy, 1 << 20, LOG_SIZE, &log), 0);
			changed += is_changed(target, old);
			err = f2fs_undo_play(log, target, 1, NULL);
			/* before its header was durable there is no undo file, and no change either */
			if (err)
				assert_true(err == F2FS_ERR_INVALID && n <= 3);
			expect_bytes(target, old);
			f2fs_device_close(target);
			f2fs_device_close(log);
			f2fs_device_close(copy);
		}
	}
	assert_true(changed > 50);
	stage_fini(&stage);
	f2fs_device_close(start);
	test_host_fini(&host);
	free(old);
}

/* A block that cannot be saved is not overwritten. */
static void nothing_changes_without_its_record(void **state)
{
	uint8_t *old = malloc(SIZE), bytes[9000];
	struct test_host host;

	(void)state;
	test_host_init(&host);
	test_fill(bytes, sizeof(bytes), 9);
	for (int kind = 0; kind < 3; kind++) {
		struct f2fs_device *target = new_target(&host, old), *memory = new_memory(&host, LOG_SIZE), *log, *undo;
		struct f2fs_fault_rule rule = { .fail_write = kind == 0, .fail_flush = kind == 1, .torn = 1 };
		struct f2fs_fault_rule none = { 0 };

		assert_int_equal(f2fs_device_open_fault(memory, &log), 0);
		assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
		f2fs_device_fault_set(log, &rule);
		if (kind < 2) {
			assert_int_equal(f2fs_device_write(undo, 1000, bytes, sizeof(bytes)), F2FS_ERR_IO);
		} else {
			host.fail_at = host.calls + 1;
			assert_int_equal(f2fs_device_write(undo, 1000, bytes, sizeof(bytes)), F2FS_ERR_NOMEM);
			host.fail_at = 0;
		}
		expect_bytes(target, old);
		f2fs_device_fault_set(log, &none);
		assert_int_equal(f2fs_device_write(undo, 1000, bytes, sizeof(bytes)), 0);
		assert_true(is_changed(target, old));
		f2fs_device_close(undo);
		expect_played(memory, target, old, 1);
		f2fs_device_close(log);
		f2fs_device_close(memory);
		f2fs_device_close(target);
	}
	test_host_fini(&host);
	free(old);
}

static void a_full_file_stops_the_writer(void **state)
{
	uint8_t *old = malloc(SIZE), *bytes = malloc(SIZE);
	struct f2fs_device *target, *log, *undo;
	struct test_host host;

	(void)state;
	test_host_init(&host);
	test_fill(bytes, SIZE, 11);
	target = new_target(&host, old);
	log = new_memory(&host, 40000);
	assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
	assert_int_equal(f2fs_device_write(undo, 0, bytes, 8192), 0);
	assert_int_equal(f2fs_device_write(undo, 0, bytes, SIZE), F2FS_ERR_NOSPC);
	f2fs_device_close(undo);
	expect_played(log, target, old, 1);
	f2fs_device_close(log);
	log = new_memory(&host, 100);
	assert_int_equal(f2fs_device_open_undo(target, log, &undo), F2FS_ERR_NOSPC);
	f2fs_device_close(log);
	f2fs_device_close(target);
	test_host_fini(&host);
	free(old);
	free(bytes);
}

static void wrong_files_are_refused(void **state)
{
	const unsigned table = 4096 + 512 + 8192 + 512; /* the second record is a hole */
	uint8_t *old = malloc(SIZE), *now = malloc(SIZE), bytes[5000], byte;
	struct f2fs_device *target, *other, *log, *undo;
	struct test_host host;

	(void)state;
	test_host_init(&host);
	test_fill(bytes, sizeof(bytes), 13);
	target = new_target(&host, old);
	log = new_memory(&host, LOG_SIZE);
	assert_int_equal(f2fs_undo_play(log, target, 0, NULL), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
	assert_int_equal(f2fs_device_write(undo, 0, bytes, sizeof(bytes)), 0);
	assert_int_equal(f2fs_device_write(undo, 100000, bytes, sizeof(bytes)), 0);
	f2fs_device_close(undo);
	assert_int_equal(f2fs_device_read(target, 0, now, SIZE), 0);
	/* another size, other contents */
	other = new_memory(&host, SIZE + 1);
	assert_int_equal(f2fs_undo_play(log, other, 0, NULL), F2FS_ERR_STATE);
	f2fs_device_close(other);
	other = new_memory(&host, SIZE);
	assert_int_equal(f2fs_undo_play(log, other, 0, NULL), F2FS_ERR_STATE);
	f2fs_device_close(other);
	/* one flipped bit: of the header, of the seal, of a record, of the bytes, of the table */
	for (unsigned at = 20; at < table + 16; at += at < 100 || at > table - 8 ? 4 : 300) {
		int err;

		if ((at > 150 && at < 508) || (at > 1024 && at < 4096))
			continue;
		assert_int_equal(f2fs_device_read(log, at, &byte, 1), 0);
		byte ^= 4;
		assert_int_equal(f2fs_device_write(log, at, &byte, 1), 0);
		err = f2fs_undo_play(log, target, 0, NULL);
		assert_int_equal(err, F2FS_ERR_CORRUPT);
		expect_bytes(target, now);
		byte ^= 4;
		assert_int_equal(f2fs_device_write(log, at, &byte, 1), 0);
	}
	expect_played(log, target, old, 1);
	f2fs_device_close(log);
	f2fs_device_close(target);
	test_host_fini(&host);
	free(old);
	free(now);
}

/* A device that changed since, or that was never recorded, is not overwritten without force. */
static void a_device_that_is_not_as_it_was_left_is_refused(void **state)
{
	uint8_t *old = malloc(SIZE), *now = malloc(SIZE), bytes[5000];
	struct f2fs_device *target, *copy, *log, *undo;
	struct f2fs_undo_info info = { F2FS_SIZED(f2fs_undo_info) };
	struct test_host host;

	(void)state;
	test_host_init(&host);
	test_fill(bytes, sizeof(bytes), 19);
	target = new_target(&host, old);
	assert_int_equal(f2fs_device_fork_memory(target, &copy), 0);
	log = new_memory(&host, LOG_SIZE);
	assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
	assert_int_equal(f2fs_device_write(undo, 100000, bytes, sizeof(bytes)), 0);
	assert_int_equal(f2fs_device_write(undo, 101000, bytes, 700), 0);
	f2fs_device_close(undo);
	/* elsewhere, at the beginning of the device */
	assert_int_equal(f2fs_device_write(target, 400000, bytes, 1), 0);
	assert_int_equal(f2fs_undo_play(log, target, 0, &info), F2FS_ERR_STATE);
	assert_non_null(strstr(f2fs_context_error(host.ctx)->message, "beside its blocks"));
	/* in a block that was saved */
	assert_int_equal(f2fs_device_write(target, 104000, "later", 5), 0);
	assert_int_equal(f2fs_device_read(target, 0, now, SIZE), 0);
	assert_int_equal(f2fs_undo_play(log, target, 0, &info), F2FS_ERR_STATE);
	assert_non_null(strstr(f2fs_context_error(host.ctx)->message, "1 of 2 blocks differ, the first at byte 1024"));
	expect_bytes(target, now);
	assert_int_equal(f2fs_undo_play(log, target, 1, &info), 0);
	old[400000] = bytes[0];
	expect_bytes(target, old);
	/* another copy, on which nothing was done: there is nothing to give back; something else there is refused */
	assert_int_equal(f2fs_undo_play(log, copy, 0, &info), 0);
	assert_int_equal(f2fs_device_write(copy, 100000, "other", 5), 0);
	assert_int_equal(f2fs_undo_play(log, copy, 0, &info), F2FS_ERR_STATE);
	f2fs_device_close(copy);
	f2fs_device_close(log);
	f2fs_device_close(target);
	test_host_fini(&host);
	free(old);
	free(now);
}

static void files_of_the_host_are_cut_to_their_length(void **state)
{
	uint8_t *old = malloc(SIZE), bytes[5000];
	struct f2fs_device *target, *log, *undo;
	struct test_host host;
	struct stat st;
	char path[64];

	(void)state;
	test_host_init(&host);
	test_path(path);
	unlink(path);
	test_fill(bytes, sizeof(bytes), 17);
	target = new_target(&host, old);
	assert_int_equal(f2fs_undo_create(target, path, &log), 0);
	assert_int_equal(f2fs_undo_create(target, path, &undo), F2FS_ERR_EXISTS);
	assert_int_equal(f2fs_device_open_undo(target, log, &undo), 0);
	f2fs_device_close(log);
	assert_int_equal(f2fs_device_write(undo, 3, bytes, sizeof(bytes)), 0);
	f2fs_device_close(undo);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4096 + 512 + 8192 + 2 * 4);
	assert_int_equal(st.st_mode & 0777, 0600); /* contents of the image may be private */
	assert_int_equal(f2fs_device_open(host.ctx, path, F2FS_OPEN_READ, &log), 0);
	expect_played(log, target, old, 1);
	f2fs_device_close(log);
	f2fs_device_close(target);
	unlink(path);
	test_host_fini(&host);
	free(old);
}

static void a_file_of_no_change_goes(void **state)
{
	uint8_t *old = malloc(SIZE);
	struct f2fs_device *target, *undo;
	struct test_host host;
	char path[64];

	(void)state;
	test_host_init(&host);
	test_path(path);
	unlink(path);
	target = new_target(&host, old);
	for (int writes = 0; writes < 2; writes++) {
		assert_int_equal(f2fs_undo_record(&target, 1, path, &undo), 0);
		assert_int_equal(access(path, F_OK), 0);
		if (writes)
			assert_int_equal(f2fs_device_write(undo, 3, "x", 1), 0);
		f2fs_device_close(undo);
		assert_int_equal(access(path, F_OK), writes - 1);
	}
	f2fs_device_close(target);
	unlink(path);
	test_host_fini(&host);
	free(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_back_the_old_bytes),
		cmocka_unit_test(each_block_is_saved_once),
		cmocka_unit_test(counts_what_a_damaged_record_hides),
		cmocka_unit_test(a_cut_anywhere_can_be_undone),
		cmocka_unit_test(nothing_changes_without_its_record),
		cmocka_unit_test(a_full_file_stops_the_writer),
		cmocka_unit_test(wrong_files_are_refused),
		cmocka_unit_test(a_device_that_is_not_as_it_was_left_is_refused),
		cmocka_unit_test(files_of_the_host_are_cut_to_their_length),
		cmocka_unit_test(a_file_of_no_change_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
