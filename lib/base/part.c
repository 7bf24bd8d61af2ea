/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The version and the optional parts, as the build made them. */
#include "base/part.h"

#include <f2fskit/error.h>

#include "base/sized.h"
#include "f2fskit_config.h"

/* Is the part in the build, how is its library loaded at its first use, and by which name. */
#define PART_HAS_ARCHIVE HAVE_ARCHIVE, LATE(ARCHIVE, late_archive)
#define PART_HAS_BLKID HAVE_BLKID, NULL, NULL
#define PART_HAS_CASEFOLD HAVE_UTF8PROC, NULL, NULL
#define PART_HAS_CRYPTO HAVE_CRYPTO, LATE(CRYPTO, late_crypto)
#define PART_HAS_LIBDEFLATE HAVE_LIBDEFLATE, NULL, NULL
#define PART_HAS_LZ4 HAVE_LZ4, NULL, NULL
#define PART_HAS_ZSTD HAVE_ZSTD, NULL, NULL

#if HAVE_DLOPEN
#include "late_sonames.h"
#define LATE(name, load) load, LATE_SONAME_##name " is not installed"
#else
#define LATE(name, load) NULL, NULL
#endif
#if HAVE_DLOPEN && !HAVE_ARCHIVE
#define late_archive NULL
#define LATE_SONAME_ARCHIVE ""
#elif HAVE_DLOPEN
#include "base/late_archive.h"
#endif
#if HAVE_DLOPEN && !HAVE_CRYPTO
#define late_crypto NULL
#define LATE_SONAME_CRYPTO ""
#elif HAVE_DLOPEN
#include "base/late_crypto.h"
#endif

static const struct {
	const char *option, *library, *purpose, *why_not;
	bool is_built_in;
	bool (*load)(void); /* NULL: it is linked */
	const char *why_not_loaded;
} parts[PART_COUNT] = {
#define PART(name, option, library, purpose) { option, library, purpose, library " is not built in", PART_HAS_##name },
#include "base/part.def"
#undef PART
};

const char *f2fs_version(void)
{
	return F2FSKIT_VERSION;
}

bool part_is_usable(enum part part)
{
	return part == PART_NONE || (parts[part].is_built_in && (!parts[part].load || parts[part].load()));
}

const char *part_why_not(enum part part)
{
	return parts[part].is_built_in && parts[part].load ? parts[part].why_not_loaded : parts[part].why_not;
}

int f2fs_build_info(unsigned index, struct f2fs_build_part *part)
{
	struct f2fs_build_part own = { F2FS_SIZED(f2fs_build_part) };

	if (index >= PART_COUNT)
		return F2FS_ERR_NOT_FOUND;
	own.name = parts[index].option;
	own.library = parts[index].library;
	own.purpose = parts[index].purpose;
	own.is_built_in = parts[index].is_built_in;
	own.is_usable = part_is_usable((enum part)index);
	sized_give(part, &own, sizeof(own));
	return 0;
}
