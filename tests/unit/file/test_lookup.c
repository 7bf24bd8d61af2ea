/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths, names and directories on volumes that the kernel wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/unicode.h"
#include "common/seed.h"

static struct seed seed;

/* Return the result of a lookup: the inode number, or an error. */
static int64_t find(const char *path, unsigned flags)
{
	struct f2fs_inode *inode;
	int64_t ino;
	int rc = f2fs_lookup(seed.vol, path, flags, &inode);

	assert_int_equal(f2fs_context_error(seed.ctx)->code, rc);
	if (rc != 0)
		return rc;
	ino = f2fs_inode_number(inode);
	f2fs_inode_close(inode);
	return ino;
}

static void paths_lead_where_they_should(void **state)
{
	int64_t root = 3, tree, file;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	assert_true(find("/", 0) == root);
	assert_true(find("", 0) == root);
	assert_true(find("///", 0) == root);
	assert_true(find("/.", 0) == root);
	assert_true(find("/..", 0) == root);
	tree = find("/tree", 0);
	assert_true(tree > root);
	assert_true(find("tree", 0) == tree);
	assert_true(find("/tree/", 0) == tree);
	assert_true(find("//tree//.//sub/..", 0) == tree);
	file = find("/tree/size-5", 0);
	assert_true(file > root);
	assert_true(find("/tree/second-name", 0) == file);
	assert_int_equal(find("/tree/size-5/", 0), F2FS_ERR_NOT_DIR);
	assert_int_equal(find("/tree/size-5/x", 0), F2FS_ERR_NOT_DIR);
	assert_int_equal(find("/tree/absent", 0), F2FS_ERR_NOT_FOUND);
	assert_int_equal(find("/absent/x", 0), F2FS_ERR_NOT_FOUND);
	seed_close(&seed);
}

static void links_are_followed_as_asked(void **state)
{
	struct f2fs_inode *link;
	char target[100];
	size_t length;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	assert_true(find("/tree/short-link", F2FS_LOOKUP_FOLLOW) == find("/tree/size-5", 0));
	assert_true(find("/tree/short-link", 0) != find("/tree/size-5", 0));
	assert_int_equal(find("/tree/short-link/", 0), F2FS_ERR_NOT_DIR);
	assert_int_equal(find("/tree/short-link/x", 0), F2FS_ERR_NOT_DIR);
	/* 3800 times x is one name: too long */
	assert_int_equal(find("/tree/long-link", F2FS_LOOKUP_FOLLOW), F2FS_ERR_NAME_TOO_LONG);
	assert_int_equal(f2fs_lookup(seed.vol, "/tree/short-link", 0, &link), 0);
	assert_int_equal(f2fs_inode_readlink(link, target, sizeof(target), &length), 0);
	assert_int_equal(length, 6);
	assert_string_equal(target, "size-5");
	assert_int_equal(f2fs_inode_readlink(link, target, 6, &length), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_inode_readlink(link, target, 7, &length), 0);
	f2fs_inode_close(link);
	seed_close(&seed);
}

static void names_that_cannot_be(void **state)
{
	char path[400];

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	memset(path, 'n', sizeof(path));
	path[255] = '\0';
	assert_int_equal(find(path, 0), F2FS_ERR_NOT_FOUND);
	path[255] = 'n';
	path[256] = '\0';
	assert_int_equal(find(path, 0), F2FS_ERR_NAME_TOO_LONG);
	path[256] = 'n';
	path[399] = '\0';
	assert_int_equal(find(path, 0), F2FS_ERR_NAME_TOO_LONG);
	seed_close(&seed);
}

/* Each name that a directory shows is found by its hash, and leads to the same inode; count names. */
static unsigned check_directory(const char *path)
{
	struct f2fs_stat st;
	struct f2fs_dirent entry, found;
	struct f2fs_inode *inode;
	struct f2fs_dir *dir;
	uint64_t last = 0;
	unsigned count = 0;
	int rc;

	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_dir_open(inode, &dir), 0);
	while ((rc = f2fs_dir_next(dir, &entry)) == 0) {
		assert_true(count == 0 || entry.position > last);
		last = entry.position;
		count++;
		assert_int_equal(strlen(entry.name), entry.name_len);
		assert_int_equal(f2fs_dir_lookup(inode, entry.name, entry.name_len, &found), 0);
		assert_int_equal(found.ino, entry.ino);
		assert_true(found.position == entry.position);
	}
	assert_int_equal(rc, F2FS_ERR_NOT_FOUND);
	assert_int_equal(f2fs_dir_next(dir, &entry), F2FS_ERR_NOT_FOUND);
	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	assert_int_equal(f2fs_dir_lookup(inode, "absent", 6, &found),
			 st.is_encrypted					? F2FS_ERR_ENCRYPTED :
			 st.is_casefold && !unicode_is_available() ? F2FS_ERR_UNSUPPORTED :
										  F2FS_ERR_NOT_FOUND);
	f2fs_dir_close(dir);
	f2fs_inode_close(inode);
	return count;
}

/* Read the first entry at a position or after it; NOT_FOUND at the end. */
static int entry_from(struct f2fs_dir *dir, uint64_t position, struct f2fs_dirent *out)
{
	assert_int_equal(f2fs_dir_seek(dir, position), 0);
	return f2fs_dir_next(dir, out);
}

/* A reader goes to each entry by its position, forwards and backwards, and past the last one. */
static void check_positions(const char *path, unsigned count)
{
	static struct f2fs_dirent entries[800];
	struct f2fs_dirent entry;
	struct f2fs_inode *inode;
	struct f2fs_dir *dir;
	unsigned n = 0;

	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_dir_open(inode, &dir), 0);
	while (n < 800 && f2fs_dir_next(dir, &entries[n]) == 0)
		n++;
	assert_int_equal(n, count);
	for (unsigned i = 0; i < n; i++) {
		const unsigned back = n - 1 - i;

		assert_int_equal(entry_from(dir, entries[i].position, &entry), 0);
		assert_string_equal(entry.name, entries[i].name);
		if (i + 1 < n) {
			assert_int_equal(f2fs_dir_next(dir, &entry), 0);
			assert_string_equal(entry.name, entries[i + 1].name);
		}
		assert_int_equal(entry_from(dir, back ? entries[back - 1].position + 1 : 0, &entry), 0);
		assert_string_equal(entry.name, entries[back].name);
	}
	assert_int_equal(entry_from(dir, entries[n - 1].position + 1, &entry), F2FS_ERR_NOT_FOUND);
	assert_int_equal(entry_from(dir, UINT64_MAX, &entry), F2FS_ERR_NOT_FOUND);
	assert_int_equal(entry_from(dir, 0, &entry), 0);
	assert_string_equal(entry.name, ".");
	f2fs_dir_close(dir);
	f2fs_inode_close(inode);
}

static void readers_go_to_positions(void **state)
{
	(void)state;
	assert_int_equal(seed_open(&seed, "directories", NULL), 0);
	check_positions("/level-3", 702);
	check_positions("/one-left", 3);
	seed_close(&seed);
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	check_positions("/tree", 2 + 5 + 1 + 5 + 1);
	seed_close(&seed);
}

static void every_name_is_found_by_its_hash(void **state)
{
	(void)state;
	assert_int_equal(seed_open(&seed, "directories", NULL), 0);
	assert_int_equal(check_directory("/level-1"), 252);
	assert_int_equal(check_directory("/level-3"), 702);
	assert_int_equal(check_directory("/one-left"), 3);
	seed_close(&seed);
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	assert_int_equal(check_directory("/tree"), 2 + 5 + 1 + 5 + 1);
	seed_close(&seed);
	assert_int_equal(seed_open(&seed, "encrypted", NULL), 0);
	assert_int_equal(check_directory("/v1-1"), 6);
	assert_int_equal(check_directory("/v2-9"), 6);
	seed_close(&seed);
	assert_int_equal(seed_open(&seed, "encrypted-casefold", NULL), 0);
	assert_int_equal(check_directory("/both"), 3);
	seed_close(&seed);
}

static void folded_names(void **state)
{
	(void)state;
	assert_int_equal(seed_open(&seed, "casefold", NULL), 0);
	assert_int_equal(check_directory("/folded"), 2 + 7 + 200);
	assert_true(find("/folded/lower", 0) > 3);
	if (!unicode_is_available()) { /* exact names are found, others may be there */
		assert_int_equal(find("/folded/LOWER", 0), F2FS_ERR_UNSUPPORTED);
		assert_non_null(strstr(f2fs_context_error(seed.ctx)->message, "libutf8proc is not built in"));
		seed_close(&seed);
		return;
	}
	assert_true(find("/folded/LOWER", 0) == find("/folded/lower", 0));
	assert_true(find("/folded/uPPer", 0) == find("/folded/UPPER", 0));
	assert_true(find("/folded/STRASSE", 0) == find("/folded/stra\xc3\x9f"
						       "e",
						       0));
	assert_true(find("/folded/name-0150", 0) == find("/folded/lower", 0));
	assert_true(find("/folded/\xc3\x89"
			 "ACCENT",
			 0) == find("/folded/e\xcc\x81"
				    "accent",
				    0));
	assert_int_equal(find("/FOLDED", 0), F2FS_ERR_NOT_FOUND);
	seed_close(&seed);
}

/* Paths from inodes lead back to the same inodes. */
static int check_path(void *user, const struct f2fs_walk_entry *entry)
{
	unsigned *count = user;
	struct f2fs_inode *again;
	char path[4096];

	assert_int_equal(entry->error, 0);
	assert_non_null(entry->inode);
	assert_int_equal(f2fs_inode_path(entry->inode, path, sizeof(path)), 0);
	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &again), 0);
	assert_int_equal(f2fs_inode_number(again), f2fs_inode_number(entry->inode));
	f2fs_inode_close(again);
	snprintf(path, sizeof(path), "/%s", entry->path);
	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &again), 0);
	assert_int_equal(f2fs_inode_number(again), f2fs_inode_number(entry->inode));
	f2fs_inode_close(again);
	(*count)++;
	return F2FS_WALK_GO;
}

static void paths_of_inodes_lead_back(void **state)
{
	static const char *const names[] = { "plain", "features", "encrypted", "inline-xattr" };
	static const unsigned counts[] = { 16, 19, 16, 8 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct f2fs_inode *root;
		unsigned count = 0;

		assert_int_equal(seed_open(&seed, names[i], NULL), 0);
		assert_int_equal(f2fs_lookup(seed.vol, "/", 0, &root), 0);
		assert_int_equal(f2fs_walk(root, check_path, &count), 0);
		assert_in_range(count, counts[i] - 3, counts[i] + 3);
		f2fs_inode_close(root);
		seed_close(&seed);
	}
}

/* SKIP keeps a walk out of a directory, STOP ends it, a negative number is handed up. */
static int act(void *user, const struct f2fs_walk_entry *entry)
{
	int *script = user;

	script[1]++;
	if (strcmp(entry->path, "tree") == 0)
		return script[0];
	return F2FS_WALK_GO;
}

static void walks_do_as_they_are_told(void **state)
{
	static const int actions[] = { F2FS_WALK_SKIP, F2FS_WALK_STOP, F2FS_ERR_CANCELED };
	struct f2fs_inode *root;

	(void)state;
	assert_int_equal(seed_open(&seed, "plain", NULL), 0);
	assert_int_equal(f2fs_lookup(seed.vol, "/", 0, &root), 0);
	for (unsigned i = 0; i < 3; i++) {
		int script[2] = { actions[i], 0 };

		assert_int_equal(f2fs_walk(root, act, script), actions[i] < 0 ? actions[i] : 0);
		assert_int_equal(script[1], 2); /* the root and the directory */
	}
	f2fs_inode_close(root);
	seed_close(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_where_they_should),
		cmocka_unit_test(links_are_followed_as_asked),
		cmocka_unit_test(names_that_cannot_be),
		cmocka_unit_test(readers_go_to_positions),
		cmocka_unit_test(every_name_is_found_by_its_hash),
		cmocka_unit_test(folded_names),
		cmocka_unit_test(paths_of_inodes_lead_back),
		cmocka_unit_test(walks_do_as_they_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
