/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fibmap.f2fs: list where the blocks of a file are, as the kernel reports them block by block. Lines are those of the
 * program of that name in f2fs-tools. It needs the right to FIBMAP (CAP_SYS_RAWIO).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cli/program.h"
#include "mounted/kernel_calls.h"

#define RULE "--------------------------------------------\n"

static const char *const usage[] = { "FILE", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the blocks were listed" },
	{ CLI_EXIT_FAILURE, "failure, or wrong usage" },
};

static const struct cli_tool tool = {
	.name = "fibmap.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.usage = usage,
	.summary = "List the blocks of a file on a mounted volume.",
	.exits = exits,
	.exit_count = sizeof(exits) / sizeof(exits[0]),
};

struct arguments {
	const char *path;
};

/* Blocks of the file that follow each other on the device, or a hole. */
struct run {
	uint64_t position; /* in the file, in bytes */
	unsigned first, last; /* on the device; 0: a hole */
	uint64_t count;
};

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;

	if (parser->operand_count != 1)
		return cli_refuse(cli, parser->operand_count ? "one file at a time" : "no file given");
	a->path = parser->operands[0];
	return 0;
}

static int fail(struct cli *cli, const char *path, const char *what)
{
	cli_error(cli, "%s: %s: %s", path, what, strerror(errno));
	return CLI_EXIT_FAILURE;
}

/* Print name and first sector of the device, where sysfs knows it. */
static void print_device(dev_t device)
{
	unsigned long long start = 0;
	char path[64], link[PATH_MAX];
	ssize_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	size = readlink(path, link, sizeof(link) - 1);
	if (size < 0)
		return;
	link[size] = 0;
	strcat(path, "/start"); /* only partitions have it */
	file = fopen(path, "re");
	if (file && fscanf(file, "%llu", &start) != 1)
		start = 0;
	if (file)
		fclose(file);
	printf("----------------bdev info-------------------\n");
	printf("devname = %s\nstart_lba = %llu\n", strrchr(link, '/') + 1, start);
}

static void print_file(const char *path, const struct stat *st)
{
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{ "ino", st->st_ino },	 { "mode", st->st_mode },	   { "nlink", st->st_nlink },
		{ "uid", st->st_uid },	 { "gid", st->st_gid },		   { "size", (uint64_t)st->st_size },
		{ "blksize", (uint64_t)st->st_blksize }, { "blocks", (uint64_t)st->st_blocks },
	};

	printf("\n----------------file info-------------------\n");
	cli_put_text(stdout, path);
	printf(" :\n" RULE "dev       [%u:%u]\n", major(st->st_dev), minor(st->st_dev));
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("%-9s [0x%8" PRIx64 " : %" PRIu64 "]\n", rows[i].name, rows[i].value, rows[i].value);
	printf(RULE "\nfile_pos   start_blk     end_blk        blks\n");
}

static void print_run(const struct run *run)
{
	if (run->count)
		printf("%8" PRIu64 "    %8u    %8u    %8" PRIu64 "\n", run->position, run->first, run->last,
		       run->count);
}

static int print_blocks(struct cli *cli, const char *path, int fd, const struct stat *st)
{
	const uint64_t bytes = (uint64_t)st->st_blksize, blocks = ((uint64_t)st->st_size + bytes - 1) / bytes;
	struct run run = { 0, 0, 0, 0 };

	if (blocks > INT_MAX) {
		cli_error(cli, "%s: %" PRIu64 " blocks are too many for FIBMAP (use filefrag)", path, blocks);
		return CLI_EXIT_FAILURE;
	}
	for (uint64_t i = 0; i < blocks && !cli_stopped(); i++) {
		unsigned block = (unsigned)i;

		if (host_request(fd, FIBMAP, &block) < 0)
			return fail(cli, path, "FIBMAP");
		if (!run.count || block != (run.last ? run.last + 1 : 0)) {
			print_run(&run);
			run = (struct run){ i * bytes, block, block, 0 };
		}
		run.last = block;
		run.count++;
	}
	print_run(&run);
	return CLI_EXIT_OK;
}

static int show(struct cli *cli, const char *path, int fd)
{
	struct stat st;

	if (fsync(fd) || fstat(fd, &st))
		return fail(cli, path, "fsync");
	if (!S_ISREG(st.st_mode)) {
		cli_error(cli, "%s: not a regular file", path);
		return CLI_EXIT_FAILURE;
	}
	print_device(st.st_dev);
	print_file(path, &st);
	return print_blocks(cli, path, fd, &st);
}

static int run(void *arguments, struct cli *cli)
{
	const struct arguments *a = arguments;
	const int fd = open(a->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return fail(cli, a->path, "open");
	rc = show(cli, a->path, fd);
	close(fd);
	return rc;
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_FAILURE,
	.complete = complete,
	.run = run,
};

int main(int argc, char **argv)
{
	static struct arguments a;

	return cli_program_main(&program, &a, argc, argv);
}
