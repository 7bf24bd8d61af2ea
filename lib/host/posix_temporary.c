/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of temporary files of POSIX. */
#include "host/temporary.h"

#include <stdlib.h>

const char *host_temporary_directory(void)
{
	const char *given = getenv("TMPDIR");

	return given && given[0] ? given : "/tmp";
}
