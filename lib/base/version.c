/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library's version, as the build gives it. */
#include <f2fskit/base.h>

const char *f2fs_version(void)
{
	return F2FSKIT_VERSION;
}
