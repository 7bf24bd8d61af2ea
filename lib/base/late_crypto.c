/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load libcrypto. */
#include "base/late_crypto.h"

LATE_CRYPTO(LATE_DEFINE)

#if HAVE_DLOPEN
#include "late_sonames.h"

LATE_NOTE("crypto", "encryption, and digests other than SHA-256", LATE_SONAME_CRYPTO);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

static void load(void)
{
	static const struct late_symbol symbols[] = { LATE_CRYPTO(LATE_SYMBOL) };

	is_loaded = late_load(LATE_SONAME_CRYPTO, symbols, sizeof(symbols) / sizeof(symbols[0]));
}

bool late_crypto(void)
{
	pthread_once(&once, load);
	return is_loaded;
}
#else
bool late_crypto(void)
{
	return true;
}
#endif
