/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Basics of the public interface: export macro, version, unit types.
 *
 * Units are in the types. A block address counts file system blocks from the start of the volume. A segment number
 * counts segments from the start of the main area. A node id indexes the NAT (an inode's number is its node id).
 */
#ifndef F2FSKIT_BASE_H
#define F2FSKIT_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(F2FSKIT_CDEF)
#define F2FS_API __attribute__((visibility("default")))
#else
#define F2FS_API /* mark of an exported function */
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t f2fs_blk_t; /* block address */
typedef uint32_t f2fs_seg_t; /* segment number within the main area */
typedef uint32_t f2fs_nid_t; /* node id; inode numbers are node ids */

/* Reserved block addresses in node slots (FORMAT volume 1.3). */
#define F2FS_NULL_ADDR 0x00000000u     /* hole */
#define F2FS_NEW_ADDR 0xFFFFFFFFu      /* reserved, never written: reads as zeros */
#define F2FS_COMPRESS_ADDR 0xFFFFFFFEu /* head slot of a compressed cluster */

/*
 * Structs whose first member is struct_size may get further members at their end. A program begins each of them,
 * options and results alike, with the size that it was compiled with. Members that it does not set are zero:
 *
 *	struct f2fs_check_options options = {F2FS_SIZED(f2fs_check_options), .repair = 1};
 *	struct f2fs_check_result result = {F2FS_SIZED(f2fs_check_result)};
 *
 * A newer library accepts the smaller structs of an older program: missing options are zero, missing results are not
 * returned. A struct that is larger than the library's, or has no size, fails with INVALID before anything is done. A
 * call that cannot fail leaves such a struct as it is. Structs without struct_size never change, but those that only
 * callbacks get may have further members in a later version.
 */
#define F2FS_SIZED(name) .struct_size = sizeof(struct name)

/* Return the library's version, "MAJOR.MINOR.PATCH"; static string. */
F2FS_API const char *f2fs_version(void);

/* An optional part of the library. The strings are static. */
struct f2fs_build_part {
	uint32_t struct_size; /* F2FS_SIZED */
	const char *name;     /* the build option, "lz4" */
	const char *library;  /* the library that it needs, "liblz4" */
	const char *purpose;  /* "files compressed with LZ4" */
	int is_built_in;      /* the build has it */
	int is_usable;	      /* it can be used here and now */
};

/*
 * Describe an optional part of this build of the library. index counts the parts from 0. Returns 0, or NOT_FOUND past
 * the last part. Calls that need a missing part fail with UNSUPPORTED and name its library.
 */
F2FS_API int f2fs_build_info(unsigned index, struct f2fs_build_part *part);

/*
 * Make n untrusted bytes (a name from an image) safe to show. Valid UTF-8 of visible characters stays. The rest, and
 * the backslash, become reversible escapes (\xNN for a byte, \\). out gets a terminated string. With cap = 4 * n + 1
 * everything fits; a shorter one cuts the text off with "..." at the end. Returns its length.
 */
F2FS_API size_t f2fs_text_printable(const void *bytes, size_t n, char *out, size_t cap);
/*
 * Turn at most count little-endian UTF-16 units, up to a zero unit, into terminated UTF-8; lone surrogates become
 * U+FFFD. Text that does not fit is cut off. With cap = 3 * count + 1 everything fits. Returns the length.
 */
F2FS_API size_t f2fs_text_from_utf16(const uint8_t *units, size_t count, char *out, size_t cap);
/* Are n bytes valid UTF-8? */
F2FS_API int f2fs_text_is_utf8(const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif
#endif
