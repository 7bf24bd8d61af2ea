/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files with fs-verity of many sizes and kinds in a volume, and the same files in a directory of the host. Usage:
 * sealed IMAGE DIRECTORY; prints for each file its name, hash algorithm, block size, salt in hexadecimal ("-": none)
 * and digest.
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kind {
	const char *name;
	size_t size;
	struct f2fs_verity_params params;
	int is_compressed;
};

static const struct kind kinds[] = {
	{ "empty", 0, { 0 }, 0 },
	{ "inline", 100, { 0 }, 0 },
	{ "block", 4096, { .hash_algorithm = 2 }, 0 },
	{ "more", 4097, { .salt = "salt", .salt_size = 4 }, 0 },
	{ "small-blocks",
	  300000,
	  { .block_size = 1024, .salt = "0123456789abcdef0123456789abcdef", .salt_size = 32 },
	  0 },
	{ "levels", 3000001, { .hash_algorithm = 2, .block_size = 1024 }, 0 },
	{ "border", 65536, { .block_size = 2048 }, 0 },
	{ "long", 20 << 20, { 0 }, 0 },
	{ "packed", 1000000, { .hash_algorithm = 1 }, 1 },
	{ "packed-whole", 1 << 20, { .block_size = 1024 }, 1 },
	{ "signed", 5000, { .signature = "no signature", .signature_size = 12 }, 0 },
};

static struct f2fs_context *ctx;

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, f2fs_context_error(ctx)->message);
	exit(1);
}

static void fill(char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i % 250 + i / 5000 % 5);
}

static void copy_to_host(const char *directory, const struct kind *kind, const char *bytes)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, kind->name);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, kind->size, file) != kind->size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void print_hex(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
}

static void print_file(struct f2fs_inode *inode, const char *name)
{
	struct f2fs_verity v;

	check(f2fs_verity_get(inode, &v), name);
	check(f2fs_verity_verify(inode), name);
	printf("%s %u %u ", name, v.hash_algorithm, (unsigned)v.block_size);
	print_hex(v.salt, v.salt_size);
	printf(v.salt_size ? " " : "- ");
	print_hex(v.file_digest, v.digest_size);
	printf("\n");
}

/* Codecs and hashes that are not built in leave the file as it is. */
static int enable(struct f2fs_inode *inode, const struct kind *kind)
{
	struct f2fs_verity_params params = kind->params;
	int err;

	params.struct_size = sizeof(params);
	err = f2fs_verity_enable(inode, &params);
	if (err == F2FS_ERR_UNSUPPORTED)
		return 0;
	check(err, kind->name);
	return 1;
}

static void make(struct f2fs_inode *root, const struct kind *kind, const char *bytes)
{
	const struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZO, .log_cluster = 3 };
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_inode *inode;

	check(f2fs_create(root, kind->name, strlen(kind->name), &spec, &inode), kind->name);
	if (kind->is_compressed && f2fs_compress_set(inode, &how) != F2FS_ERR_UNSUPPORTED)
		check(f2fs_context_error(ctx)->code, kind->name);
	check(f2fs_inode_write(inode, 0, bytes, kind->size), kind->name);
	if (!enable(inode, kind)) {
		f2fs_inode_close(inode);
		return;
	}
	if (f2fs_verity_enable(inode, NULL) != F2FS_ERR_ACCESS ||
	    f2fs_inode_write(inode, 0, "x", 1) != F2FS_ERR_ACCESS || f2fs_inode_truncate(inode, 0) != F2FS_ERR_ACCESS) {
		fprintf(stderr, "%s can be changed\n", kind->name);
		exit(1);
	}
	print_file(inode, kind->name);
	f2fs_inode_close(inode);
}

int main(int argc, char **argv)
{
	char *bytes = malloc(20 << 20);
	struct f2fs_device *dev = NULL;
	struct f2fs_volume *vol = NULL;
	struct f2fs_inode *root = NULL;

	if (argc != 3 || !bytes || f2fs_context_open(NULL, &ctx) != 0)
		return 2;
	fill(bytes, 20 << 20);
	check(f2fs_device_open(ctx, argv[1], F2FS_OPEN_WRITE, &dev), argv[1]);
	check(f2fs_volume_open(ctx, dev, NULL, &vol), argv[1]);
	check(f2fs_lookup(vol, "/", 0, &root), "/");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		make(root, &kinds[i], bytes);
		copy_to_host(argv[2], &kinds[i], bytes);
	}
	f2fs_inode_close(root);
	check(f2fs_volume_commit(vol), "commit");
	f2fs_volume_close(vol);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
	free(bytes);
	return 0;
}
