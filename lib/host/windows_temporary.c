/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder of temporary files under Windows. */
#include "host/temporary.h"

#include <stdlib.h>

#include <windows.h>

#include "host/windows/wide.h"

/* Asked for once; it lives as long as the program. */
const char *host_temporary_directory(void)
{
	static char *folder;
	wchar_t wide[MAX_PATH + 1];
	const DWORD n = folder ? 0 : GetTempPathW(MAX_PATH + 1, wide);

	if (n)
		folder = host_narrow(wide, n - 1); /* without the '\\' at its end */
	return folder ? folder : ".";
}
