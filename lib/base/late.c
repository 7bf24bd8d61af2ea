/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load a library that the build did not link. */
#include "base/late.h"

#include <dlfcn.h>
#include <string.h>

bool late_load(const char *soname, const struct late_symbol *symbols, size_t count)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	for (size_t i = 0; i < count; i++) {
		void *address = dlsym(library, symbols[i].name);

		if (!address) {
			dlclose(library);
			return false;
		}
		memcpy(symbols[i].pointer, &address, sizeof(address));
	}
	return true; /* it stays until the program ends */
}
