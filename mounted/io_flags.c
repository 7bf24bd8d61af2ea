/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands for flags and extended attributes of a file.
 */
#include "mounted/io_flags.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "mounted/kernel_calls.h"

enum { CAN_SET = 1, CAN_CLEAR = 2, CAN_BOTH = 3, ADVICE_BITS = 8, LARGE_FOLIO = 1 };

/* In the order in which getflags shows them. */
static const struct flag {
	const char *name;  /* in setflags and clearflags */
	const char *shown; /* by getflags */
	unsigned bit;
	int can;
} flags[] = {
	{ "casefold", "casefold", FS_CASEFOLD_FL, CAN_SET },
	{ "compression", "compression", FS_COMPR_FL, CAN_BOTH },
	{ "nocompression", "nocompression", FS_NOCOMP_FL, CAN_BOTH },
	{ "encrypt", "encrypt", FS_ENCRYPT_FL, 0 },
	{ "verity", "verity", FS_VERITY_FL, 0 },
	{ "inline_data", "inline_data", FS_INLINE_DATA_FL, 0 },
	{ "nocow", "nocow(pinned)", FS_NOCOW_FL, CAN_BOTH },
	{ "immutable", "immutable", FS_IMMUTABLE_FL, CAN_BOTH },
};

enum { FLAG_COUNT = sizeof(flags) / sizeof(flags[0]) };

int io_getflags(struct io_call *call)
{
	const char *between = "";
	unsigned set = 0;

	if (io_ask(call, FS_IOC_GETFLAGS, &set) < 0)
		return -1;
	printf("get a flag on %s ret=0, flags=", call->path);
	for (int i = 0; i < FLAG_COUNT; i++)
		if (set & flags[i].bit) {
			printf("%s%s", between, flags[i].shown);
			between = ",";
		}
	printf("%s\n", between[0] ? "" : "none");
	return 0;
}

/* Set or clear the flag of the first operand, and say it in the peer's words. */
static int change_flag(struct io_call *call, int can, const char *verb)
{
	const struct flag *flag = NULL;
	unsigned set = 0;

	for (int i = 0; i < FLAG_COUNT; i++)
		if ((flags[i].can & can) && !strcmp(flags[i].name, call->words[0]))
			flag = &flags[i];
	if (!flag)
		return io_refuse(call, call->words[0], "is not a flag of this command");
	if (io_ask(call, FS_IOC_GETFLAGS, &set) < 0)
		return -1;
	printf("get a flag on %s ret=0, flags=%x\n", flag->name, set);
	set = can == CAN_SET ? set | flag->bit : set & ~flag->bit;
	if (io_ask(call, FS_IOC_SETFLAGS, &set) < 0)
		return -1;
	printf("%s a flag on %s ret=0, flags=%s\n", verb, call->path, flag->name);
	return 0;
}

int io_setflags(struct io_call *call)
{
	return change_flag(call, CAN_SET, "set");
}

int io_clearflags(struct io_call *call)
{
	return change_flag(call, CAN_CLEAR, "clear");
}

static int pin(struct io_call *call)
{
	uint32_t on = 1;
	uint64_t size = 0;
	struct stat st;

	if (call->count > 2 && io_number(call, 2, 1, INT64_MAX, &size))
		return -1;
	if (io_ask(call, F2FS_IOC_SET_PIN_FILE, &on) < 0)
		return -1;
	if (!size) {
		printf("set pinfile: 0 blocks moved in %s\n", call->path);
		return 0;
	}
	if (fallocate(call->fd, 0, 0, (off_t)size))
		return io_fail(call, "fallocate");
	if (fstat(call->fd, &st))
		return io_fail(call, "fstat");
	printf("set pinfile: 0 blocks moved and fallocate %" PRIu64 " bytes in %s\n", (uint64_t)st.st_size, call->path);
	return 0;
}

static int unpin(struct io_call *call)
{
	uint32_t on = 0;

	if (io_ask(call, F2FS_IOC_SET_PIN_FILE, &on) < 0)
		return -1;
	printf("unset pinfile in %s\n", call->path);
	return 0;
}

static int show_pin(struct io_call *call)
{
	uint32_t moved = 0;
	unsigned set = 0;

	if (io_ask(call, F2FS_IOC_GET_PIN_FILE, &moved) < 0 || io_ask(call, FS_IOC_GETFLAGS, &set) < 0)
		return -1;
	printf("get_pin_file: %s with %u blocks moved in %s\n", set & FS_NOCOW_FL ? "pinned" : "un-pinned", moved,
	       call->path);
	return 0;
}

int io_pinfile(struct io_call *call)
{
	if (!strcmp(call->words[0], "set"))
		return pin(call);
	if (call->count > 2)
		return io_refuse(call, call->words[2], "is for pinfile set alone");
	if (!strcmp(call->words[0], "unset"))
		return unpin(call);
	if (!strcmp(call->words[0], "get"))
		return show_pin(call);
	return io_refuse(call, call->words[0], "is not get, set or unset");
}

int io_get_advise(struct io_call *call)
{
	static const char *const names[ADVICE_BITS] = { "cold",	     "lost_pino", "encrypt", "enc_name",
							"keep_size", "hot",	  "verity",  "trunc" };
	unsigned char bits = 0;

	if (fgetxattr(call->fd, "system.advise", &bits, sizeof(bits)) != sizeof(bits))
		return io_fail(call, "getxattr of system.advise");
	printf("i_advise=0x%x, advise_type: ", bits);
	for (int i = 0; i < ADVICE_BITS; i++)
		if (bits & 1U << i)
			printf("%s ", names[i]);
	printf("\n");
	return 0;
}

int io_get_fadvise(struct io_call *call)
{
	uint32_t bits = 0;

	if (fgetxattr(call->fd, "user.fadvise", &bits, sizeof(bits)) != sizeof(bits))
		return io_fail(call, "getxattr of user.fadvise");
	printf("fadvise=0x%" PRIx32 ", advise_type: %s\n", bits, bits & LARGE_FOLIO ? "largefolio" : "");
	return 0;
}

/* Print the value of an attribute, with control characters as escapes. */
static int print_value(const struct io_call *call, const char *name)
{
	char *value = calloc(1, XATTR_SIZE_MAX + 1);
	ssize_t size;

	if (!value)
		return io_fail(call, "memory for the value");
	size = fgetxattr(call->fd, name, value, XATTR_SIZE_MAX);
	if (size >= 0) {
		printf("%s: ", name);
		cli_put_text(stdout, size ? value : "<no value>");
		printf("\n");
	}
	free(value);
	return size < 0 ? io_fail(call, "getxattr") : 0;
}

int io_listxattr(struct io_call *call)
{
	char *names = calloc(1, XATTR_LIST_MAX + 1);
	int rc = 0;
	ssize_t size;

	if (!names)
		return io_fail(call, "memory for the names");
	size = flistxattr(call->fd, names, XATTR_LIST_MAX);
	if (size < 0)
		rc = io_fail(call, "listxattr");
	if (!size)
		printf("%s has no attributes.\n", call->path);
	for (const char *name = names; !rc && name < names + size; name += strlen(name) + 1)
		rc = print_value(call, name);
	free(names);
	return rc;
}

int io_setxattr(struct io_call *call)
{
	const char *name = call->words[0], *value = call->words[1];
	size_t size = strlen(value);
	unsigned char byte;
	uint32_t word;
	uint64_t parsed;
	int rc;

	if (!strcmp(name, "system.advise")) {
		if (io_number(call, 1, 0, UINT8_MAX, &parsed))
			return -1;
		byte = (unsigned char)parsed;
		value = (const char *)&byte;
		size = sizeof(byte);
	} else if (!strcmp(name, "user.fadvise")) {
		if (io_number(call, 1, 0, UINT32_MAX, &parsed))
			return -1;
		word = (uint32_t)parsed;
		value = (const char *)&word;
		size = sizeof(word);
	}
	rc = fsetxattr(call->fd, name, value, size, XATTR_CREATE);
	printf("setxattr %s CREATE: name: %s, value: %s: ret=%d\n", call->path, name, call->words[1], rc);
	if (rc && errno == EEXIST) {
		rc = fsetxattr(call->fd, name, value, size, XATTR_REPLACE);
		printf("setxattr %s REPLACE: name: %s, value: %s: ret=%d\n", call->path, name, call->words[1], rc);
	}
	return rc ? io_fail(call, "setxattr") : 0;
}

int io_removexattr(struct io_call *call)
{
	if (fremovexattr(call->fd, call->words[0]))
		return io_fail(call, "removexattr");
	printf("removexattr %s REMOVE: name: %s: ret=0\n", call->words[0], call->path);
	return 0;
}
