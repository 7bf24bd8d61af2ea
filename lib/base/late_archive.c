/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load libarchive. */
#include "base/late_archive.h"

LATE_ARCHIVE(LATE_DEFINE)

#if HAVE_DLOPEN
#include "late_sonames.h"

LATE_NOTE("archive", "tar archives to read, and compressed ones to write", LATE_SONAME_ARCHIVE);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

static void load(void)
{
	static const struct late_symbol symbols[] = { LATE_ARCHIVE(LATE_SYMBOL) };

	is_loaded = late_load(LATE_SONAME_ARCHIVE, symbols, sizeof(symbols) / sizeof(symbols[0]));
}

bool late_archive(void)
{
	pthread_once(&once, load);
	return is_loaded;
}
#else
bool late_archive(void)
{
	return true;
}
#endif
