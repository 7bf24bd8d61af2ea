/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles that outlive commits, rollbacks and removals, held against a model. Files are known by a serial number, which
 * no two files share, while the volume gives an inode number to one file after the other. A handle of a file that was
 * rolled back must fail with STATE in whatever is done with it; every other handle must show its own file, and names
 * must lead to the contents that the model has. Usage: handles SEEDS STEPS [FIRST-SEED].
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fresh.h"

#define NAMES 8u
#define HANDLES 24u
#define MAX_FILES 4096u
#define MAX_BYTES 6000u /* more than fits into an inode, and than a block has */

struct file {
	uint8_t bytes[2][MAX_BYTES]; /* now, and at the last checkpoint */
	uint32_t size[2];
	f2fs_nid_t ino;
	uint8_t is_dir;
	uint8_t is_unnamed[2]; /* made without a name, and linked to none: now, and at the last checkpoint */
	uint8_t made_at_checkpoint; /* it is part of the last checkpoint */
	uint8_t is_gone;	    /* its changes were rolled back */
};

struct handle {
	struct f2fs_inode *inode;
	struct f2fs_dir *reader; /* of a directory, or NULL */
	unsigned file;
};

static struct fresh v;
static struct file files[MAX_FILES];
static unsigned file_count;
static unsigned names[2][NAMES]; /* file that has the name, 0 for none: now, and at the last checkpoint */
static struct handle handles[HANDLES];
static unsigned seed, step;
static uint64_t state;
static unsigned long refused, served, inherited;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static void wrong(const char *what, int err)
{
	fprintf(stderr, "seed %u, step %u: %s: %s (%s)\n", seed, step, what, f2fs_error_name(err),
		f2fs_context_error(v.ctx)->message);
	exit(1);
}

static void check(int err, const char *what)
{
	if (err)
		wrong(what, err);
}

static const char *name_of(unsigned n)
{
	static char text[8];

	snprintf(text, sizeof(text), "n%u", n);
	return text;
}

static struct f2fs_inode *root_of(void)
{
	struct f2fs_inode *root;

	check(f2fs_lookup(v.vol, "/", 0, &root), "opening the root");
	return root;
}

static struct handle *free_handle(void)
{
	for (unsigned i = 0; i < HANDLES; i++)
		if (!handles[i].inode)
			return &handles[i];
	return NULL;
}

static void close_handle(struct handle *h)
{
	f2fs_dir_close(h->reader);
	f2fs_inode_close(h->inode);
	memset(h, 0, sizeof(*h));
}

static struct handle *any_handle(void)
{
	struct handle *h = &handles[below(HANDLES)];

	return h->inode ? h : NULL;
}

static unsigned links_of(unsigned file)
{
	unsigned n = 0;

	for (unsigned i = 0; i < NAMES; i++)
		n += names[0][i] == file;
	return n;
}

/* A handle answered: with STATE if its file is gone, else without error. True: continue with the answer. */
static int judge(const struct handle *h, int err, const char *what)
{
	const int is_dead = f2fs_inode_is_dead(h->inode);

	if (is_dead != files[h->file].is_gone)
		wrong("a handle is dead or alive by mistake", 0);
	if (is_dead != (err == F2FS_ERR_STATE))
		wrong(what, err);
	if (!is_dead && err)
		wrong(what, err);
	refused += (unsigned)is_dead;
	served += (unsigned)!is_dead;
	return !is_dead;
}

static void compare(struct f2fs_inode *inode, unsigned file)
{
	static uint8_t buffer[MAX_BYTES + 1];
	size_t done;

	if (files[file].is_dir)
		return;
	check(f2fs_inode_read(inode, 0, buffer, sizeof(buffer), &done), "reading");
	if (done != files[file].size[0] || memcmp(buffer, files[file].bytes[0], done) != 0)
		wrong("a handle shows other contents", 0);
}

static void do_create(void)
{
	const unsigned n = below(NAMES), is_dir = below(4) == 0;
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = is_dir ? 040755 : 0100644 };
	struct handle *h = free_handle();
	struct f2fs_inode *root = root_of(), *inode;

	if (!names[0][n] && file_count < MAX_FILES - 1) {
		struct file *f = &files[++file_count];

		memset(f, 0, sizeof(*f));
		check(f2fs_create(root, name_of(n), strlen(name_of(n)), &spec, &inode), "making");
		f->ino = f2fs_inode_number(inode);
		f->is_dir = (uint8_t)is_dir;
		names[0][n] = file_count;
		for (unsigned i = 0; i < HANDLES; i++)
			inherited += handles[i].inode && files[handles[i].file].is_gone &&
				     files[handles[i].file].ino == f->ino;
		if (h && below(4))
			*h = (struct handle){ .inode = inode, .file = file_count };
		else
			f2fs_inode_close(inode);
	}
	f2fs_inode_close(root);
}

/* A file without a name, which do_link() may give one. */
static void do_create_unnamed(void)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644, .flags = F2FS_NEW_UNNAMED };
	struct handle *h = free_handle();
	struct f2fs_inode *root;
	struct file *f;

	if (!h || file_count >= MAX_FILES - 1)
		return;
	root = root_of();
	f = &files[++file_count];
	memset(f, 0, sizeof(*f));
	check(f2fs_create(root, NULL, 0, &spec, &h->inode), "making without a name");
	f->ino = f2fs_inode_number(h->inode);
	f->is_unnamed[0] = 1;
	h->file = file_count;
	f2fs_inode_close(root);
}

static void do_open(void)
{
	const unsigned n = below(NAMES);
	struct handle *h = free_handle();
	char path[16];

	if (!h || !names[0][n])
		return;
	snprintf(path, sizeof(path), "/%s", name_of(n));
	h->file = names[0][n];
	check(f2fs_lookup(v.vol, path, 0, &h->inode), "opening by name");
	compare(h->inode, h->file);
}

/* Open the number of a handle, dead ones above all: it is the handle of whatever has the number now. */
static void do_open_number(void)
{
	const struct handle *from = any_handle();
	struct handle *h = free_handle();
	unsigned owner = 0;

	if (!from || !h)
		return;
	for (unsigned i = 1; i <= file_count; i++)
		if (files[i].ino == files[from->file].ino && !files[i].is_gone && links_of(i))
			owner = i;
	if (!owner)
		return;
	check(f2fs_inode_open(v.vol, files[owner].ino, &h->inode), "opening by number");
	h->file = owner;
	compare(h->inode, owner);
}

static void do_write(void)
{
	static uint8_t bytes[MAX_BYTES];
	struct handle *h = any_handle();
	const uint32_t length = 1 + below(below(2) ? 100 : MAX_BYTES);
	const uint32_t at = below(MAX_BYTES - length + 1);
	struct file *f;

	if (!h || files[h->file].is_dir)
		return;
	for (uint32_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)below(256);
	if (!judge(h, f2fs_inode_write(h->inode, at, bytes, length), "writing"))
		return;
	f = &files[h->file];
	if (at > f->size[0])
		memset(f->bytes[0] + f->size[0], 0, at - f->size[0]);
	memcpy(f->bytes[0] + at, bytes, length);
	if (at + length > f->size[0])
		f->size[0] = at + length;
}

static void do_truncate(void)
{
	const uint32_t size = below(MAX_BYTES);
	struct handle *h = any_handle();
	struct file *f;

	if (!h || files[h->file].is_dir || !judge(h, f2fs_inode_truncate(h->inode, size), "truncating"))
		return;
	f = &files[h->file];
	if (size > f->size[0])
		memset(f->bytes[0] + f->size[0], 0, size - f->size[0]);
	f->size[0] = size;
}

static void do_read(void)
{
	struct handle *h = any_handle();
	struct f2fs_stat stat;

	if (h && judge(h, f2fs_inode_stat(h->inode, &stat), "stat"))
		compare(h->inode, h->file);
}

/* Readers of directories, here all empty: the dots, and the end. */
static void do_list(void)
{
	struct handle *h = any_handle();
	struct f2fs_dirent entry;
	int err;

	if (!h || !files[h->file].is_dir)
		return;
	if (!h->reader && !judge(h, f2fs_dir_open(h->inode, &h->reader), "opening a reader"))
		return;
	err = f2fs_dir_next(h->reader, &entry);
	judge(h, err == F2FS_ERR_NOT_FOUND ? 0 : err, "reading a directory");
	if (err) {
		f2fs_dir_close(h->reader);
		h->reader = NULL;
	}
}

static void do_make_inside(void)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct handle *h = any_handle();

	/* only in a removed directory: directories of this model stay empty */
	if (h && files[h->file].is_dir && files[h->file].is_gone)
		judge(h, f2fs_create(h->inode, "x", 1, &spec, NULL), "making a file in it");
}

static void do_link(void)
{
	const unsigned n = below(NAMES);
	struct handle *h = any_handle();
	struct f2fs_inode *root;

	if (!h || names[0][n] || files[h->file].is_dir ||
	    (!files[h->file].is_gone && !links_of(h->file) && !files[h->file].is_unnamed[0]))
		return;
	root = root_of();
	if (judge(h, f2fs_link(root, name_of(n), strlen(name_of(n)), h->inode), "linking")) {
		names[0][n] = h->file;
		files[h->file].is_unnamed[0] = 0;
	}
	f2fs_inode_close(root);
}

static void do_remove(void)
{
	const unsigned n = below(NAMES);
	struct f2fs_inode *root;

	if (!names[0][n])
		return;
	root = root_of();
	check(f2fs_remove(root, name_of(n), strlen(name_of(n))), "removing");
	names[0][n] = 0;
	f2fs_inode_close(root);
}

static void do_close(void)
{
	struct handle *h = any_handle();

	if (h)
		close_handle(h);
}

static void do_commit(void)
{
	check(f2fs_volume_commit(v.vol), "committing");
	memcpy(names[1], names[0], sizeof(names[0]));
	for (unsigned i = 1; i <= file_count; i++) {
		struct file *f = &files[i];

		if (f->is_gone)
			continue;
		f->made_at_checkpoint = 1;
		f->is_unnamed[1] = f->is_unnamed[0];
		memcpy(f->bytes[1], f->bytes[0], f->size[0]);
		f->size[1] = f->size[0];
	}
}

static void do_roll_back(void)
{
	if (below(3) == 0) {
		f2fs_volume_fail(v.vol);
		if (f2fs_volume_transaction(v.vol) && f2fs_volume_commit(v.vol) != F2FS_ERR_STATE)
			wrong("a failed transaction was committed", 0);
	}
	f2fs_volume_rollback(v.vol);
	memcpy(names[0], names[1], sizeof(names[0]));
	for (unsigned i = 1; i <= file_count; i++) {
		struct file *f = &files[i];

		f->is_gone |= !f->made_at_checkpoint;
		f->is_unnamed[0] = f->is_unnamed[1];
		memcpy(f->bytes[0], f->bytes[1], f->size[1]);
		f->size[0] = f->size[1];
	}
}

static void look_at_names(void)
{
	for (unsigned n = 0; n < NAMES; n++) {
		struct f2fs_inode *inode;
		char path[16];
		int err;

		snprintf(path, sizeof(path), "/%s", name_of(n));
		err = f2fs_lookup(v.vol, path, 0, &inode);
		if (err != (names[0][n] ? 0 : F2FS_ERR_NOT_FOUND))
			wrong("a name", err);
		if (err)
			continue;
		compare(inode, names[0][n]);
		f2fs_inode_close(inode);
	}
}

static void look_at_handles(void)
{
	struct f2fs_stat stat;

	for (unsigned i = 0; i < HANDLES; i++)
		if (handles[i].inode && judge(&handles[i], f2fs_inode_stat(handles[i].inode, &stat), "stat"))
			compare(handles[i].inode, handles[i].file);
}

static const struct {
	void (*run)(void);
	unsigned weight;
} operations[] = { { do_create, 6 }, { do_open, 3 },	    { do_open_number, 2 }, { do_write, 8 },
		   { do_truncate, 2 }, { do_read, 4 },	    { do_list, 3 },	   { do_make_inside, 1 },
		   { do_create_unnamed, 1 },
		   { do_link, 1 },     { do_remove, 4 },    { do_close, 2 },	   { do_commit, 2 },
		   { do_roll_back, 3 } };

static void take_step(void)
{
	unsigned total = 0, pick;

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		total += operations[i].weight;
	pick = below(total);
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (pick < operations[i].weight) {
			operations[i].run();
			return;
		}
		pick -= operations[i].weight;
	}
}

static void expect_clean(void)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options) };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	check(f2fs_check(v.ctx, v.dev, &options, &result), "checking");
	if (result.found)
		wrong("the check finds problems", 0);
}

static void run(unsigned steps)
{
	fresh_open(&v, 64 << 20, seed % 2 ? F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM : 0);
	memset(names, 0, sizeof(names));
	file_count = 0;
	state = seed;
	for (step = 0; step < steps; step++) {
		take_step();
		look_at_handles();
		if (step % 16 == 0)
			look_at_names();
	}
	for (unsigned i = 0; i < HANDLES; i++)
		close_handle(&handles[i]);
	do_commit();
	look_at_names();
	f2fs_volume_close(v.vol);
	expect_clean();
	check(f2fs_volume_open(v.ctx, v.dev, NULL, &v.vol), "opening again");
	look_at_names();
	fresh_close(&v);
}

int main(int argc, char **argv)
{
	const unsigned first = argc > 3 ? (unsigned)atoi(argv[3]) : 1;

	if (argc < 3)
		return 2;
	for (seed = first; seed < first + (unsigned)atoi(argv[1]); seed++)
		run((unsigned)atoi(argv[2]));
	printf("%lu calls refused, %lu served, %lu numbers given out again\n", refused, served, inherited);
	return refused && served && inherited ? 0 : 1;
}
