/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of libcrypto, which is loaded at its first use. */
#ifndef F2FSKIT_BASE_LATE_CRYPTO_H
#define F2FSKIT_BASE_LATE_CRYPTO_H

#include "f2fskit_config.h"

#if HAVE_CRYPTO
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "base/late.h"

/* clang-format off */
#define LATE_CRYPTO(F) \
	F(EVP_CIPHER_CTX_free) F(EVP_CIPHER_CTX_new) F(EVP_CIPHER_CTX_set_padding) \
	F(EVP_CIPHER_fetch) F(EVP_CIPHER_free) F(EVP_CipherInit_ex2) F(EVP_CipherUpdate) \
	F(EVP_DigestFinal_ex) F(EVP_DigestInit_ex2) F(EVP_DigestUpdate) F(EVP_KDF_CTX_free) \
	F(EVP_KDF_CTX_new) F(EVP_KDF_derive) F(EVP_KDF_fetch) F(EVP_KDF_free) F(EVP_MD_CTX_free) \
	F(EVP_MD_CTX_new) F(EVP_MD_fetch) F(EVP_MD_free) F(OSSL_PARAM_construct_end) \
	F(OSSL_PARAM_construct_int) F(OSSL_PARAM_construct_octet_string) \
	F(OSSL_PARAM_construct_utf8_string) F(RAND_bytes)
/* clang-format on */

LATE_CRYPTO(LATE_DECLARE)

/* Can the functions be called? Loads the library at the first call, on whatever thread. */
bool late_crypto(void);

#endif /* HAVE_CRYPTO */
#endif
