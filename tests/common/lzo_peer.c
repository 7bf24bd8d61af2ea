/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The LZO library as a judge, loaded when it is asked for. */
#include "common/lzo_peer.h"

#include <dlfcn.h>
#include <string.h>

typedef int peer_function(const unsigned char *in, size_t in_len, unsigned char *out, size_t *out_len, void *work);

static peer_function *peer_compress, *peer_decompress;

static peer_function *find(void *library, const char *name)
{
	void *symbol = dlsym(library, name);
	peer_function *function = NULL;

	/* POSIX promises that this works, the language has no cast for it */
	if (symbol)
		memcpy(&function, &symbol, sizeof(function));
	return function;
}

bool lzo_peer_load(void)
{
	static void *library;

	if (!library) {
		library = dlopen("liblzo2.so.2", RTLD_NOW | RTLD_LOCAL);
		if (!library)
			return false;
		peer_compress = find(library, "lzo1x_1_compress");
		peer_decompress = find(library, "lzo1x_decompress_safe");
	}
	return peer_compress && peer_decompress;
}

bool lzo_peer_compress(const uint8_t *in, size_t in_len, uint8_t *out, size_t *out_len, void *work)
{
	return peer_compress(in, in_len, out, out_len, work) == 0;
}

bool lzo_peer_decompress(const uint8_t *in, size_t in_len, uint8_t *out, size_t cap, size_t *out_len)
{
	*out_len = cap;
	return peer_decompress(in, in_len, out, out_len, NULL) == 0;
}
