/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The error table's texts, and the error record of a context: what failed, where, and in words.
 */
#define F2FSKIT_ERROR_C
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define F2FSKIT_ERRORS_THEMSELVES /* they are defined here */
#include "base/context.h"
#include "base/error.h"

#ifndef EMEDIUMTYPE
#define EMEDIUMTYPE EINVAL
#endif
#ifndef EUCLEAN
#define EUCLEAN EIO
#endif
#ifndef ENOKEY
#define ENOKEY EACCES
#endif
#ifndef ENODATA
#define ENODATA ENOENT
#endif

struct error_row {
	int code;
	int posix;
	const char *name;
	const char *text;
};

static const struct error_row rows[] = {
#define ERROR_ROW(name, number, posix, text) { -(number), posix, #name, text },
	F2FS_ERROR_TABLE(ERROR_ROW)
#undef ERROR_ROW
};

static const struct error_row *find_row(int code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == code)
			return &rows[i];
	return NULL;
}

const char *f2fs_error_text(int code)
{
	const struct error_row *row = find_row(code);

	return row ? row->text : code == 0 ? "success" : "unknown error";
}

const char *f2fs_error_name(int code)
{
	const struct error_row *row = find_row(code);

	return row ? row->name : code == 0 ? "OK" : "UNKNOWN";
}

int f2fs_error_errno(int code)
{
	const struct error_row *row = find_row(code);

	return row ? row->posix : code == 0 ? 0 : EIO;
}

/* Map an errno to an error code of the environment family. */
static int code_of_errno(int sys_errno)
{
	switch (sys_errno) {
	case ENOMEM:
		return F2FS_ERR_NOMEM;
	case ENOSPC:
	case EDQUOT:
		return F2FS_ERR_NOSPC;
	case EBUSY:
	case ETXTBSY:
		return F2FS_ERR_BUSY;
	case EACCES:
	case EPERM:
		return F2FS_ERR_ACCESS;
	case EROFS:
		return F2FS_ERR_READ_ONLY;
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return F2FS_ERR_NOT_FOUND;
	case EEXIST:
		return F2FS_ERR_EXISTS;
	case ENOTDIR:
		return F2FS_ERR_NOT_DIR;
	case EISDIR:
		return F2FS_ERR_IS_DIR;
	case EFBIG:
		return F2FS_ERR_TOO_BIG;
	case ENAMETOOLONG:
		return F2FS_ERR_NAME_TOO_LONG;
	default:
		return F2FS_ERR_IO;
	}
}

/* Make a message printable, because it may quote names from an image. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

void error_clear(struct f2fs_context *ctx)
{
	if (ctx->error.code == 0 && ctx->error.block == F2FS_NO_BLOCK)
		return; /* already so: this is called by the million */
	memset(&ctx->error, 0, sizeof(ctx->error));
	ctx->error.block = F2FS_NO_BLOCK;
	ctx->error.offset = F2FS_NO_OFFSET;
	ctx->error.nid = F2FS_NO_NID;
}

int error_set(struct f2fs_context *ctx, int code, const char *format, ...)
{
	va_list args;

	work_note(ctx);
	error_clear(ctx);
	ctx->error.code = code;
	va_start(args, format);
	vsnprintf(ctx->error.message, sizeof(ctx->error.message), format, args);
	va_end(args);
	make_printable(ctx->error.message);
	return code;
}

void error_append(struct f2fs_context *ctx, const char *format, ...)
{
	const size_t used = strlen(ctx->error.message);
	va_list args;

	va_start(args, format);
	vsnprintf(ctx->error.message + used, sizeof(ctx->error.message) - used, format, args);
	va_end(args);
	make_printable(ctx->error.message);
}

int error_at(struct f2fs_context *ctx, int code, const struct error_where *where, const char *format, ...)
{
	va_list args;

	work_note(ctx);
	error_clear(ctx);
	ctx->error.code = code;
	copy_text(ctx->error.structure, sizeof(ctx->error.structure), where->structure);
	copy_text(ctx->error.rule, sizeof(ctx->error.rule), where->rule);
	if (where->block_plus1)
		ctx->error.block = where->block_plus1 - 1;
	if (where->offset_plus1)
		ctx->error.offset = where->offset_plus1 - 1;
	ctx->error.nid = where->nid;
	va_start(args, format);
	vsnprintf(ctx->error.message, sizeof(ctx->error.message), format, args);
	va_end(args);
	make_printable(ctx->error.message);
	return code;
}

int error_sys(struct f2fs_context *ctx, int sys_errno, const char *format, ...)
{
	va_list args;
	size_t n;

	error_clear(ctx);
	ctx->error.code = code_of_errno(sys_errno);
	ctx->error.sys_errno = sys_errno;
	va_start(args, format);
	vsnprintf(ctx->error.message, sizeof(ctx->error.message), format, args);
	va_end(args);
	n = strlen(ctx->error.message);
	snprintf(ctx->error.message + n, sizeof(ctx->error.message) - n, ": %s", strerror(sys_errno));
	make_printable(ctx->error.message);
	return ctx->error.code;
}

int error_nomem(struct f2fs_context *ctx)
{
	return error_set(ctx, F2FS_ERR_NOMEM, "out of memory");
}

int f2fs_context_fail(struct f2fs_context *ctx, int code, const char *message)
{
	return error_set(ctx, code < 0 ? code : F2FS_ERR_INVALID, "%s", message ? message : "");
}
