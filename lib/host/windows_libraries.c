/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Libraries that are loaded at their first use under Windows. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "host/windows/wide.h"

/* Not from the current folder, where everybody may put one. */
void *dlopen(const char *name, int flags)
{
	wchar_t *const wide = host_wide(name);
	const HMODULE library = wide ? LoadLibraryExW(wide, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS) : NULL;

	(void)flags;
	free(wide);
	return library;
}

void *dlsym(void *library, const char *name)
{
	const FARPROC found = GetProcAddress(library, name);
	void *address;

	memcpy(&address, &found, sizeof(address));
	return address;
}

int dlclose(void *library)
{
	return FreeLibrary(library) ? 0 : -1;
}
