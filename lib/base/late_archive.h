/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of libarchive, which is loaded at its first use. */
#ifndef F2FSKIT_BASE_LATE_ARCHIVE_H
#define F2FSKIT_BASE_LATE_ARCHIVE_H

#include "f2fskit_config.h"

#if HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

#include "base/late.h"

/* clang-format off */
#define LATE_ARCHIVE(F) \
	F(archive_entry_acl_next) F(archive_entry_acl_reset) F(archive_entry_atime) \
	F(archive_entry_atime_is_set) F(archive_entry_atime_nsec) F(archive_entry_birthtime) \
	F(archive_entry_birthtime_is_set) F(archive_entry_birthtime_nsec) F(archive_entry_ctime) \
	F(archive_entry_ctime_is_set) F(archive_entry_ctime_nsec) F(archive_entry_fflags_text) \
	F(archive_entry_filetype) F(archive_entry_free) F(archive_entry_gid) \
	F(archive_entry_hardlink) F(archive_entry_mtime) F(archive_entry_mtime_is_set) \
	F(archive_entry_mtime_nsec) F(archive_entry_new) F(archive_entry_pathname) \
	F(archive_entry_perm) F(archive_entry_rdevmajor) F(archive_entry_rdevminor) \
	F(archive_entry_set_filetype) F(archive_entry_size) F(archive_entry_sparse_reset) \
	F(archive_entry_symlink) F(archive_entry_uid) F(archive_entry_xattr_next) \
	F(archive_entry_xattr_reset) F(archive_errno) F(archive_error_string) \
	F(archive_read_data_block) F(archive_read_free) F(archive_read_header_position) \
	F(archive_read_new) F(archive_read_next_header) F(archive_read_open) \
	F(archive_read_support_format_empty) F(archive_read_support_format_raw) \
	F(archive_read_support_format_tar) F(archive_set_error) F(archive_write_add_filter_by_name) \
	F(archive_write_close) F(archive_write_data) F(archive_write_fail) F(archive_write_free) \
	F(archive_write_header) F(archive_write_new) F(archive_write_open) \
	F(archive_write_set_bytes_per_block) F(archive_write_set_format_raw) \
	F(archive_read_support_filter_bzip2) F(archive_read_support_filter_gzip) \
	F(archive_read_support_filter_lz4) F(archive_read_support_filter_lzma) \
	F(archive_read_support_filter_xz) F(archive_read_support_filter_zstd)
/* clang-format on */

LATE_ARCHIVE(LATE_DECLARE)

/* Can the functions be called? Loads the library at the first call, on whatever thread. */
bool late_archive(void);

#endif /* HAVE_ARCHIVE */
#endif
