/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A command of f2fs_io and one call of it. The frame counts the operands, takes the letters and opens the file,
 * then calls the function. A function prints its lines and returns 0, or -1 after a message.
 */
#ifndef F2FSKIT_MOUNTED_IO_CALL_H
#define F2FSKIT_MOUNTED_IO_CALL_H

#include <stdint.h>

#include "cli/host.h"

enum { NO_FILE = -2, LAST_FILE = -1 };

struct io_call;

struct io_command {
	const char *name; /* NULL: the title of a group */
	const char *letters;
	int fewest, most; /* operands */
	int file;	  /* which operand is opened, or NO_FILE, LAST_FILE */
	int opening;	  /* flags of open(2) */
	int (*run)(struct io_call *call);
	unsigned long request; /* of commands that make one ioctl */
	const char *request_name;
	const char *says; /* the line after success; NULL: none */
};

struct io_call {
	struct cli *cli;
	const struct io_command *command;
	char **words; /* operands */
	int count;
	unsigned letters;  /* bits: which of command->letters were given */
	const char *path;  /* of the file, for messages */
	int fd;		   /* -1: none */
};

/* Run a command with the words after its name. Returns an exit status. */
int io_run(struct cli *cli, const struct io_command *command, char **words, int count);

/* Write a message about errno: command, file, the part that failed, cause. Returns -1. */
int io_fail(const struct io_call *call, const char *what);
/* Write a message about a wrong operand. Returns -1. */
int io_refuse(const struct io_call *call, const char *word, const char *why);
/* Open the file of the call. Returns 0, or -1 after a message. */
int io_open(struct io_call *call, const char *path, int flags);
/* Take a number from an operand. Returns 0, or -1 after a message. */
int io_number(const struct io_call *call, int operand, uint64_t min, uint64_t max, uint64_t *value);
/* Make an ioctl on the file. Returns its result, or -1 after a message. */
int io_request(const struct io_call *call, unsigned long request, const char *name, void *argument);
#define io_ask(call, request, argument) io_request(call, request, #request, argument)
/* Announce how the file is read (POSIX_FADV_*, and its name), and that its beginning is needed. Returns 0, or -1
 * after a message. */
int io_advise(const struct io_call *call, int advice, const char *name);
/* xorshift64: the next number of a sequence. The state is not 0. */
uint64_t io_random(uint64_t *state);
/* Microseconds of a clock that nobody sets. */
uint64_t io_now(void);

#endif
