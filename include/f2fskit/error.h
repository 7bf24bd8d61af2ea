/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors. Every call that can fail returns 0 or a negative enum f2fs_error; the context keeps one detail record of the
 * last failure. Four families: the caller's mistake, the environment, the image, and plain outcomes.
 */
#ifndef F2FSKIT_ERROR_H
#define F2FSKIT_ERROR_H

#include <f2fskit/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NAME, number (persistent), errno it corresponds to, text. The one place where an error exists. */
#define F2FS_ERROR_TABLE(X)                                                                                            \
	X(INVALID, 1, EINVAL, "invalid argument")                                                                      \
	X(READ_ONLY, 2, EROFS, "opened read-only")                                                                     \
	X(STATE, 3, EBUSY, "not possible in this state")                                                               \
	X(IO, 10, EIO, "input/output error")                                                                           \
	X(NOMEM, 11, ENOMEM, "out of memory")                                                                          \
	X(NOSPC, 12, ENOSPC, "no space left")                                                                          \
	X(BUSY, 13, EBUSY, "in use")                                                                                   \
	X(ACCESS, 14, EACCES, "permission denied")                                                                     \
	X(NOT_F2FS, 20, EMEDIUMTYPE, "not an F2FS volume")                                                             \
	X(CORRUPT, 21, EUCLEAN, "structure breaks a rule of the format")                                               \
	X(UNSUPPORTED, 22, EOPNOTSUPP, "feature not supported")                                                        \
	X(ENCRYPTED, 23, ENOKEY, "encrypted and no key is at hand")                                                    \
	X(DAMAGED_DATA, 24, EUCLEAN, "file data cannot be decoded")                                                    \
	X(OVERWRITTEN, 25, EUCLEAN, "overwritten by other data")                                                       \
	X(FOREIGN, 26, EMEDIUMTYPE, "something else than F2FS is there")                                               \
	X(NOT_FOUND, 30, ENOENT, "not found")                                                                          \
	X(EXISTS, 31, EEXIST, "exists already")                                                                        \
	X(NOT_DIR, 32, ENOTDIR, "not a directory")                                                                     \
	X(IS_DIR, 33, EISDIR, "is a directory")                                                                        \
	X(LOOP, 34, ELOOP, "too many symbolic links")                                                                  \
	X(NAME_TOO_LONG, 35, ENAMETOOLONG, "name too long")                                                            \
	X(NO_ATTR, 36, ENODATA, "no such attribute")                                                                   \
	X(RANGE, 37, ERANGE, "buffer too small or value out of range")                                                 \
	X(TOO_BIG, 38, EFBIG, "too big")                                                                               \
	X(NOT_EMPTY, 39, ENOTEMPTY, "not empty")                                                                       \
	X(CANCELED, 40, ECANCELED, "canceled")                                                                         \
	X(INCOMPLETE, 41, EUCLEAN, "done, but not everything could be read")                                           \
	X(XDEV, 42, EXDEV, "belongs to another project or policy")                                                     \
	X(WRONG_TYPE, 43, EINVAL, "of another type")                                                                   \
	X(UNCERTAIN, 44, EIO, "not known whether it is permanent")

/* Results of calls: 0, or the negative number of a row of F2FS_ERROR_TABLE. */
enum f2fs_error {
	F2FS_OK = 0,
#define F2FS_ERROR_ENUM(name, number, posix, text) F2FS_ERR_##name = -(number),
	F2FS_ERROR_TABLE(F2FS_ERROR_ENUM)
#undef F2FS_ERROR_ENUM
};

/* "No value" of the fields of struct f2fs_error_detail, and of other block addresses, node ids and offsets. */
#define F2FS_NO_BLOCK 0xFFFFFFFFFFFFFFFFu  /* no block address */
#define F2FS_NO_NID 0u			   /* no node id */
#define F2FS_NO_OFFSET 0xFFFFFFFFFFFFFFFFu /* no byte offset */

/* What failed and where. Strings are never NULL; empty where they do not apply. */
struct f2fs_error_detail {
	int code;	    /* enum f2fs_error, 0 when the last call succeeded */
	int sys_errno;	    /* errno of the host's call that failed, else 0 */
	char message[400];  /* one sentence for a person, no newline, printable */
	char structure[32]; /* "superblock", "checkpoint", "nat", "inode", ... */
	char rule[40];	    /* name of the broken rule (see f2fs_rule_at), when code is F2FS_ERR_CORRUPT */
	uint64_t block;	    /* block address, F2FS_NO_BLOCK when it does not apply */
	uint64_t offset;    /* byte offset within structure or file, F2FS_NO_OFFSET when it does not apply */
	f2fs_nid_t nid;	    /* node id, F2FS_NO_NID when it does not apply */
};

/* Return the short text of an error code; static string, "unknown error" for other numbers. */
F2FS_API const char *f2fs_error_text(int code);
/* Return the identifier of an error code without its prefix ("CORRUPT"); "OK" for 0. */
F2FS_API const char *f2fs_error_name(int code);
/* Return the errno that corresponds to an error code; 0 for 0. */
F2FS_API int f2fs_error_errno(int code);

#ifdef __cplusplus
}
#endif
#endif
