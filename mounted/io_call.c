/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run one command of f2fs_io: letters, number of operands, the file, messages.
 */
#include "mounted/io_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/size.h"
#include "mounted/kernel_calls.h"

enum { WRONG_LETTER = 2 }; /* the peer's exit status for an unknown letter */

int io_fail(const struct io_call *call, const char *what)
{
	cli_error(call->cli, "%s %s: %s failed: %s", call->command->name, call->path, what, strerror(errno));
	return -1;
}

int io_refuse(const struct io_call *call, const char *word, const char *why)
{
	cli_error(call->cli, "%s: '%s' %s (f2fs_io %s -h explains)", call->command->name, word, why,
		  call->command->name);
	return -1;
}

int io_open(struct io_call *call, const char *path, int flags)
{
	call->path = path;
	call->fd = open(path, flags | O_CLOEXEC, 0644);
	return call->fd < 0 ? io_fail(call, "open") : 0;
}

int io_number(const struct io_call *call, int operand, uint64_t min, uint64_t max, uint64_t *value)
{
	const char *why = cli_parse_u64(call->words[operand], min, max, value);

	return why ? io_refuse(call, call->words[operand], why) : 0;
}

int io_request(const struct io_call *call, unsigned long request, const char *name, void *argument)
{
	const int rc = host_request(call->fd, request, argument);

	return rc < 0 ? io_fail(call, name) : rc;
}

int io_advise(const struct io_call *call, int advice, const char *name)
{
	errno = posix_fadvise(call->fd, 0, advice == POSIX_FADV_RANDOM ? 0 : BLOCK_BYTES, advice);
	if (!errno)
		errno = posix_fadvise(call->fd, 0, BLOCK_BYTES, POSIX_FADV_WILLNEED);
	if (errno)
		return io_fail(call, "fadvise");
	printf("fadvise %s|WILLNEED to a file: %s\n", name, call->path);
	return 0;
}

uint64_t io_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

uint64_t io_now(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Take the letters before the operands. Returns 0, or -1 after a message. */
static int take_letters(struct io_call *call)
{
	if (!call->command->letters[0])
		return 0;
	for (; call->count && call->words[0][0] == '-' && call->words[0][1]; call->words++, call->count--)
		for (const char *at = call->words[0] + 1; *at; at++) {
			const char *found = strchr(call->command->letters, *at);

			if (!found)
				return io_refuse(call, call->words[0], "is not an option of this command");
			call->letters |= 1U << (found - call->command->letters);
		}
	return 0;
}

static int run_opened(struct io_call *call)
{
	const struct io_command *c = call->command;

	if (call->count < c->fewest || call->count > c->most) {
		cli_error(call->cli, "%s: %s operands (f2fs_io %s -h explains)", c->name,
			  call->count < c->fewest ? "missing" : "too many", c->name);
		return -1;
	}
	const int file = c->file == LAST_FILE ? call->count - 1 : c->file;

	if (c->file != NO_FILE && io_open(call, call->words[file], c->opening))
		return -1;
	return c->run(call);
}

int io_run(struct cli *cli, const struct io_command *command, char **words, int count)
{
	struct io_call call = { .cli = cli, .command = command, .words = words, .count = count, .path = "", .fd = -1 };
	int rc;

	if (take_letters(&call))
		return WRONG_LETTER;
	rc = run_opened(&call);
	if (call.fd >= 0)
		close(call.fd);
	return rc ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}
