/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extraction to a tar stream: headers in order, sparse files by their map, damage as zeros, streams that fail. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host_tree.h"
#include "many.h"
#include "sink/tarregions.h"

#define BLOCK 4096u

static int extract_to(struct fixture *t, struct f2fs_device *dev, struct f2fs_extract_options *options,
		      struct collected *to)
{
	struct f2fs_stream stream = { .write = collect, .user = to };
	struct f2fs_volume *vol = forge_volume(&t->forge, dev);
	int err;

	options->tar = &stream;
	options->problem = note_problem;
	options->user = t;
	t->problems = 0;
	err = f2fs_extract(vol, options, &t->result);
	f2fs_volume_close(vol);
	return err;
}

/* An entry found in a stream. */
struct found {
	char type;
	char path[200], link[200];
	const char *records; /* NULL: none */
	const char *data;
	uint64_t size;
};

static void copy_record(const char *records, const char *key, char *to, size_t room)
{
	const char *at = records ? strstr(records, key) : NULL;

	if (at)
		snprintf(to, room, "%.*s", (int)strcspn(at + strlen(key), "\n"), at + strlen(key));
}

/* Read the entry at *at of a stream whose records hold no newline; false at the end. */
static bool next_entry(const struct collected *c, size_t *at, struct found *out)
{
	char size[32] = "";

	memset(out, 0, sizeof(*out));
	for (;;) {
		const char *header = c->bytes + *at;

		assert_true(*at + 512 <= c->length);
		if (!header[0])
			return false;
		out->size = strtoull(header + 124, NULL, 8);
		out->type = header[156];
		*at += 512;
		if (out->type == 'x') {
			out->records = c->bytes + *at;
			*at += (size_t)((out->size + 511) / 512 * 512);
			continue;
		}
		snprintf(out->path, sizeof(out->path), "%.100s", header);
		snprintf(out->link, sizeof(out->link), "%.100s", header + 157);
		copy_record(out->records, " path=", out->path, sizeof(out->path));
		copy_record(out->records, " linkpath=", out->link, sizeof(out->link));
		copy_record(out->records, " size=", size, sizeof(size));
		if (*size)
			out->size = strtoull(size, NULL, 10);
		out->data = c->bytes + *at;
		*at += (size_t)((out->size + 511) / 512 * 512);
		return true;
	}
}

static void assert_entry(const struct collected *c, size_t *at, char type, const char *path, const char *more)
{
	struct found e;

	assert_true(next_entry(c, at, &e));
	assert_string_equal(e.path, path);
	assert_int_equal(e.type, type);
	if (type == '0') {
		assert_int_equal(e.size, strlen(more));
		assert_memory_equal(e.data, more, (size_t)e.size);
	} else {
		assert_string_equal(e.link, more);
	}
}

static void entries_in_order(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	struct collected c = { 0 };
	struct found e;
	char longest[256];
	size_t at = 0;
	f2fs_nid_t dir = forge_entry(&t->forge, t->forge.root, "dir", MODE_DIR | 0755, NULL);
	f2fs_nid_t file = forge_entry(&t->forge, dir, "file", MODE_REG | 0644, "text");

	memset(longest, 'n', 255);
	longest[255] = '\0';
	forge_set(&t->forge, file, "i_links", 2);
	forge_entry(&t->forge, dir, "link", MODE_LNK | 0777, "target");
	forge_entry(&t->forge, t->forge.root, "fifo", MODE_FIFO | 0600, NULL);
	forge_entry(&t->forge, t->forge.root, "socket", MODE_SOCK | 0600, NULL);
	forge_name(&t->forge, t->forge.root, "again", 5, file);
	forge_entry(&t->forge, t->forge.root, longest, MODE_REG | 0600, "long");
	assert_int_equal(extract_to(t, NULL, &options, &c), 0);
	assert_int_equal(c.length % 10240, 0);
	assert_entry(&c, &at, '5', "./", "");
	assert_entry(&c, &at, '5', "dir/", "");
	assert_entry(&c, &at, '0', "dir/file", "text");
	assert_entry(&c, &at, '2', "dir/link", "target");
	assert_entry(&c, &at, '6', "fifo", "");
	assert_entry(&c, &at, '1', "again", "dir/file");
	assert_true(next_entry(&c, &at, &e));
	assert_memory_equal(e.path, longest, 199);
	assert_false(next_entry(&c, &at, &e));
	assert_int_equal(t->problems, 1); /* the socket, reported and not counted */
	assert_int_equal(t->problem.is_counted, 0);
	assert_int_equal(t->result.skipped, 1);
	free(c.bytes);
}

static void stripped_links_point_at_stripped_names(void **state)
{
	struct fixture *t = *state;
	static const char *const paths[] = { "/a/b", "/c" };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options),
						.paths = paths, .path_count = 2, .flags = F2FS_EXTRACT_RELATIVE };
	struct collected c = { 0 };
	struct found e;
	size_t at = 0;
	f2fs_nid_t a = forge_entry(&t->forge, t->forge.root, "a", MODE_DIR | 0755, NULL);
	f2fs_nid_t b = forge_entry(&t->forge, a, "b", MODE_DIR | 0755, NULL);
	f2fs_nid_t file = forge_entry(&t->forge, b, "file", MODE_REG | 0644, "text");

	forge_set(&t->forge, file, "i_links", 2);
	forge_name(&t->forge, t->forge.root, "c", 1, file);
	assert_int_equal(extract_to(t, NULL, &options, &c), 0);
	assert_entry(&c, &at, '5', "b/", "");
	assert_entry(&c, &at, '0', "b/file", "text");
	assert_entry(&c, &at, '1', "c", "b/file");
	assert_false(next_entry(&c, &at, &e));
	free(c.bytes);
}

/* A map and two pieces of data stand for three gigabytes. */
static void sparse_files(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	struct collected c = { 0 };
	struct found e;
	size_t at = 0;
	char data[BLOCK];
	uint32_t slots[4] = { 0 };
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "sparse", MODE_REG | 0644, NULL);

	memset(data, 's', sizeof(data));
	slots[1] = forge_block(&t->forge, data, BLOCK);
	slots[3] = forge_block(&t->forge, data, BLOCK);
	forge_slots(&t->forge, ino, (uint64_t)3 << 30, slots, 4);
	forge_slots(&t->forge, forge_entry(&t->forge, t->forge.root, "hole", MODE_REG | 0644, NULL), 5000, slots, 1);
	assert_int_equal(extract_to(t, NULL, &options, &c), 0);
	assert_true(next_entry(&c, &at, &e));
	assert_true(next_entry(&c, &at, &e));
	assert_string_equal(e.path, "GNUSparseFile.0/sparse");
	assert_non_null(strstr(e.records, " GNU.sparse.name=sparse\n"));
	assert_non_null(strstr(e.records, " GNU.sparse.realsize=3221225472\n"));
	assert_int_equal(e.size, 512 + 2 * BLOCK);
	assert_string_equal(e.data, "3\n4096\n4096\n12288\n4096\n3221225472\n0\n");
	assert_memory_equal(e.data + 512, data, BLOCK);
	assert_memory_equal(e.data + 512 + BLOCK, data, BLOCK);
	assert_true(next_entry(&c, &at, &e));
	assert_string_equal(e.data, "1\n5000\n0\n");
	assert_false(next_entry(&c, &at, &e));
	free(c.bytes);
	c = (struct collected){ 0 };
	options.keep = F2FS_KEEP_DEFAULT & ~(unsigned)F2FS_KEEP_HOLES;
	options.max_bytes = 10000;
	assert_int_equal(extract_to(t, NULL, &options, &c), F2FS_ERR_TOO_BIG);
	free(c.bytes);
}

static void damage_is_zeros(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	struct collected c = { 0 };
	struct f2fs_device *faulty;
	struct found e;
	size_t at = 0;
	char data[3 * BLOCK];
	uint32_t slots[3];
	f2fs_nid_t ino = forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, NULL);

	memset(data, 'd', sizeof(data));
	for (unsigned i = 3; i-- > 0;)
		slots[i] = forge_block(&t->forge, data, BLOCK);
	forge_slots(&t->forge, ino, sizeof(data), slots, 3);
	assert_int_equal(f2fs_device_open_fault(t->forge.dev, &faulty), 0);
	f2fs_device_fault_set(faulty,
			      &(struct f2fs_fault_rule){ .bad_offset = (uint64_t)slots[1] * BLOCK, .bad_length = 1 });
	assert_int_equal(extract_to(t, faulty, &options, &c), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->problems, 1);
	assert_string_equal(t->problem_path, "/file");
	assert_true(next_entry(&c, &at, &e));
	assert_true(next_entry(&c, &at, &e));
	memset(data + BLOCK, 0, BLOCK);
	assert_int_equal(e.size, sizeof(data));
	assert_memory_equal(e.data, data, sizeof(data));
	free(c.bytes);
	f2fs_device_close(faulty);
}

/* Problems in their order. */
struct told {
	char text[2000];
	unsigned count, stop_at;
};

static int note_told(void *user, const struct f2fs_extract_problem *problem)
{
	struct told *told = user;
	const size_t used = strlen(told->text);

	snprintf(told->text + used, sizeof(told->text) - used, "%s: %s\n", problem->path, problem->detail->message);
	return ++told->count == told->stop_at;
}

static int extract_by(struct fixture *t, struct f2fs_device *dev, unsigned threads, struct told *told,
		      struct collected *to)
{
	struct f2fs_stream stream = { .write = collect, .user = to };
	struct f2fs_extract_options options = {
		F2FS_SIZED(f2fs_extract_options), .tar = &stream, .threads = threads, .problem = note_told, .user = told
	};
	struct f2fs_volume *vol = forge_volume(&t->forge, dev);
	int err = f2fs_extract(vol, &options, &t->result);

	f2fs_volume_close(vol);
	return err;
}

static void threads_make_the_same_stream(void **state)
{
	static const unsigned threads[] = { 1, 2, 8 };
	struct fixture *t = *state;
	struct told first_told = { .count = 0 };
	struct collected first = { 0 };
	struct many many;

	many_open(&many, &t->forge);
	assert_int_equal(extract_by(t, many.dev, 1, &first_told, &first), F2FS_ERR_INCOMPLETE);
	assert_int_equal(t->result.files, MANY);
	for (unsigned i = 0; i < 3; i++) {
		struct told told = { .count = 0 };
		struct collected c = { 0 };

		/* all of it */
		assert_int_equal(extract_by(t, many.dev, threads[i], &told, &c), F2FS_ERR_INCOMPLETE);
		assert_int_equal(told.count, 4);
		assert_non_null(strstr(told.text, "/f40: "));
		assert_true(strstr(told.text, "/f40: ") < strstr(told.text, "/none: "));
		assert_true(strstr(told.text, "/none: ") < strstr(told.text, "/f70: "));
		assert_true(strstr(told.text, "/f70: ") < strstr(told.text, "/f120: "));
		assert_string_equal(told.text, first_told.text);
		assert_int_equal(c.length, first.length);
		assert_memory_equal(c.bytes, first.bytes, c.length);
		free(c.bytes);
		/* the consumer stops, or the caller at its second problem: a beginning of it */
		c = (struct collected){ .limit = first.length / 2 };
		told = (struct told){ .count = 0 };
		assert_int_equal(extract_by(t, many.dev, threads[i], &told, &c), F2FS_ERR_NOSPC);
		assert_int_equal(f2fs_context_error(t->forge.ctx)->sys_errno, ENOSPC);
		assert_memory_equal(c.bytes, first.bytes, c.length);
		free(c.bytes);
		c = (struct collected){ 0 };
		told = (struct told){ .stop_at = 2 };
		assert_int_equal(extract_by(t, many.dev, threads[i], &told, &c), F2FS_ERR_CANCELED);
		assert_int_equal(told.count, 2);
		assert_true(c.length > 0 && c.length < first.length);
		assert_memory_equal(c.bytes, first.bytes, c.length);
		free(c.bytes);
	}
	free(first.bytes);
	many_close(&many);
}

/* A stream that fails at any byte ends the run with the stream's error. */
static void streams_that_fail(void **state)
{
	struct fixture *t = *state;
	struct f2fs_stream full = { .path = "/dev/full" }, none = { .path = "/nonexistent/x" };
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	struct f2fs_volume *vol;
	char *text = calloc(1, 3001);

	memset(text, 'x', 3000);
	for (unsigned i = 0; i < 30; i++) {
		char name[20];

		snprintf(name, sizeof(name), "f%u", i);
		forge_entry(&t->forge, t->forge.root, name, MODE_REG | 0644, text);
	}
	for (size_t limit = 1; limit < 120000; limit += 7000) {
		struct collected c = { .limit = limit };

		assert_int_equal(extract_to(t, NULL, &options, &c), F2FS_ERR_NOSPC);
		assert_int_equal(f2fs_context_error(t->forge.ctx)->sys_errno, ENOSPC);
		free(c.bytes);
	}
	vol = forge_volume(&t->forge, NULL);
	options.tar = &full;
	assert_int_equal(f2fs_extract(vol, &options, NULL), F2FS_ERR_NOSPC);
	options.tar = &none;
	assert_int_equal(f2fs_extract(vol, &options, NULL), F2FS_ERR_NOT_FOUND);
	assert_non_null(strstr(f2fs_context_error(t->forge.ctx)->message, "/nonexistent/x"));
	f2fs_volume_close(vol);
	free(text);
}

static void compressed_streams(void **state)
{
	struct fixture *t = *state;
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options), .tar_filter = "gzip" };
	struct collected c = { 0 };
	int err;

	forge_entry(&t->forge, t->forge.root, "file", MODE_REG | 0644, "text");
	err = extract_to(t, NULL, &options, &c);
	if (err != F2FS_ERR_UNSUPPORTED) { /* a build without libarchive */
		assert_int_equal(err, 0);
		assert_memory_equal(c.bytes, "\x1f\x8b", 2);
		assert_true(c.length < 1000);
	}
	free(c.bytes);
	c = (struct collected){ 0 };
	options.tar_filter = "no-such-filter";
	assert_int_equal(extract_to(t, NULL, &options, &c), F2FS_ERR_UNSUPPORTED);
	assert_non_null(strstr(f2fs_context_error(t->forge.ctx)->message, "no-such-filter"));
	free(c.bytes);
}

/* A list of regions stays short; no data gets out of it, and the largest holes stay. */
static void regions_are_bounded(void **state)
{
	struct fixture *t = *state;
	struct tar_regions r;
	uint64_t at = 0, data = 0, largest = (uint64_t)1 << 40;
	const struct tar_region *list;

	tar_regions_init(&r, t->forge.ctx);
	for (uint64_t i = 0; i < 3 * (uint64_t)TAR_MOST_REGIONS; i++) {
		assert_int_equal(tar_regions_add(&r, at, at + BLOCK), 0);
		at += BLOCK + BLOCK * (1 + i % 7);
		data += BLOCK;
		if (i == 100000)
			at += largest;
	}
	assert_true(r.list.count <= TAR_MOST_REGIONS);
	assert_true(tar_regions_bytes(&r) >= data);
	assert_true(tar_regions_bytes(&r) < largest);
	list = r.list.items;
	for (size_t i = 1; i < r.list.count; i++)
		assert_true(list[i - 1].end < list[i].offset);
	tar_regions_fini(&r);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(entries_in_order),	   WITH_FIXTURE(stripped_links_point_at_stripped_names),
		WITH_FIXTURE(sparse_files),	   WITH_FIXTURE(damage_is_zeros),
		WITH_FIXTURE(streams_that_fail),   WITH_FIXTURE(compressed_streams),
		WITH_FIXTURE(regions_are_bounded), WITH_FIXTURE(threads_make_the_same_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
