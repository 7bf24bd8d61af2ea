/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encryption contexts and the table of modes.
 */
#include "format/fscrypt.h"

#include <stdio.h>
#include <string.h>

#include "format/structs.h"

struct mode_row {
	uint8_t mode;
	const char *name;
};

static const struct mode_row modes[] = {
	{ 1, "AES-256-XTS" }, { 4, "AES-256-CBC-CTS" }, { 5, "AES-128-CBC-ESSIV" }, { 6, "AES-128-CBC-CTS" },
	{ 7, "SM4-XTS" },     { 8, "SM4-CBC-CTS" },	{ 9, "Adiantum" },	    { 10, "AES-256-HCTR2" },
};

static const struct mode_row *find_mode(unsigned mode)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i].mode == mode)
			return &modes[i];
	return NULL;
}

const char *fscrypt_mode_name(unsigned mode)
{
	const struct mode_row *row = find_mode(mode);

	return row ? row->name : "unknown";
}

static void decode_v1(const uint8_t *raw, struct fscrypt_context *out)
{
	out->contents_mode = fscrypt1_contents_mode(raw);
	out->filenames_mode = fscrypt1_filenames_mode(raw);
	out->flags = fscrypt1_flags(raw);
	out->key_id_size = fscrypt1_SIZE_key_descriptor;
	memcpy(out->key_id, fscrypt1_key_descriptor(raw), fscrypt1_SIZE_key_descriptor);
	memcpy(out->nonce, fscrypt1_nonce(raw), FSCRYPT_NONCE_SIZE);
}

static void decode_v2(const uint8_t *raw, struct fscrypt_context *out)
{
	out->contents_mode = fscrypt2_contents_mode(raw);
	out->filenames_mode = fscrypt2_filenames_mode(raw);
	out->flags = fscrypt2_flags(raw);
	out->log2_data_unit_size = fscrypt2_log2_data_unit_size(raw);
	out->key_id_size = fscrypt2_SIZE_key_identifier;
	memcpy(out->key_id, fscrypt2_key_identifier(raw), fscrypt2_SIZE_key_identifier);
	memcpy(out->nonce, fscrypt2_nonce(raw), FSCRYPT_NONCE_SIZE);
}

int fscrypt_decode(const uint8_t *raw, size_t size, struct fscrypt_context *out)
{
	memset(out, 0, sizeof(*out));
	if (size == fscrypt1_SIZE && raw[0] == 1)
		decode_v1(raw, out);
	else if (size == fscrypt2_SIZE && raw[0] == 2)
		decode_v2(raw, out);
	else
		return -1;
	out->version = raw[0];
	if (!find_mode(out->contents_mode) || !find_mode(out->filenames_mode))
		return -1;
	return out->flags & ~(FSCRYPT_PADDING_MASK | FSCRYPT_DIRECT_KEY | FSCRYPT_IV_INO_LBLK_64 |
			      FSCRYPT_IV_INO_LBLK_32)
		       ? -1
		       : 0;
}

void fscrypt_describe(const struct fscrypt_context *context, char *text, size_t room)
{
	char key[2 * FSCRYPT_KEY_ID_MAX + 1] = "";

	for (unsigned i = 0; i < context->key_id_size; i++)
		snprintf(key + (size_t)i * 2, 3, "%02x", context->key_id[i]);
	snprintf(text, room, "policy v%u, key %s, %s, %s, padding %u", context->version, key,
		 fscrypt_mode_name(context->contents_mode), fscrypt_mode_name(context->filenames_mode),
		 4u << (context->flags & FSCRYPT_PADDING_MASK));
}
