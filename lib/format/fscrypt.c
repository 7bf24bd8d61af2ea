/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encryption contexts: versions, modes, and which of them go together.
 */
#include "format/fscrypt.h"

#include "format/structs.h"

enum {
	MODE_AES_256_XTS = 1,
	MODE_AES_256_CTS = 4,
	MODE_AES_128_CBC = 5,
	MODE_AES_128_CTS = 6,
	MODE_SM4_XTS = 7,
	MODE_SM4_CTS = 8,
	MODE_ADIANTUM = 9,
	MODE_AES_256_HCTR2 = 10,
};

#define LOG_DATA_UNIT_MIN 9

static const struct {
	uint8_t mode;
	const char *name;
} modes[] = {
	{ MODE_AES_256_XTS, "AES-256-XTS" },
	{ MODE_AES_256_CTS, "AES-256-CBC-CTS" },
	{ MODE_AES_128_CBC, "AES-128-CBC-ESSIV" },
	{ MODE_AES_128_CTS, "AES-128-CBC-CTS" },
	{ MODE_SM4_XTS, "SM4-XTS" },
	{ MODE_SM4_CTS, "SM4-CBC-CTS" },
	{ MODE_ADIANTUM, "Adiantum" },
	{ MODE_AES_256_HCTR2, "AES-256-HCTR2" },
};

static const struct {
	uint8_t contents, names, version; /* the first version that has it */
} pairs[] = {
	{ MODE_AES_256_XTS, MODE_AES_256_CTS, 1 },   { MODE_AES_128_CBC, MODE_AES_128_CTS, 1 },
	{ MODE_ADIANTUM, MODE_ADIANTUM, 1 },	     { MODE_SM4_XTS, MODE_SM4_CTS, 2 },
	{ MODE_AES_256_XTS, MODE_AES_256_HCTR2, 2 },
};

static void decode_v1(const uint8_t *raw, struct fscrypt_context *out)
{
	out->contents_mode = fscrypt1_contents_mode(raw);
	out->filenames_mode = fscrypt1_filenames_mode(raw);
	out->flags = fscrypt1_flags(raw);
	out->log_data_unit = 0;
	out->key_id_size = fscrypt1_SIZE_key_descriptor;
	memcpy(out->key_id, fscrypt1_key_descriptor(raw), fscrypt1_SIZE_key_descriptor);
	memcpy(out->nonce, fscrypt1_nonce(raw), FSCRYPT_NONCE_SIZE);
}

static void decode_v2(const uint8_t *raw, struct fscrypt_context *out)
{
	out->contents_mode = fscrypt2_contents_mode(raw);
	out->filenames_mode = fscrypt2_filenames_mode(raw);
	out->flags = fscrypt2_flags(raw);
	out->log_data_unit = fscrypt2_log2_data_unit_size(raw);
	out->key_id_size = fscrypt2_SIZE_key_identifier;
	memcpy(out->key_id, fscrypt2_key_identifier(raw), fscrypt2_SIZE_key_identifier);
	memcpy(out->nonce, fscrypt2_nonce(raw), FSCRYPT_NONCE_SIZE);
}

enum rule fscrypt_decode(const uint8_t *value, size_t size, struct fscrypt_context *out)
{
	if (size == fscrypt1_SIZE && fscrypt1_version(value) == 1)
		decode_v1(value, out);
	else if (size == fscrypt2_SIZE && fscrypt2_version(value) == 2 &&
		 is_zero(fscrypt2_reserved(value), fscrypt2_SIZE_reserved))
		decode_v2(value, out);
	else
		return RULE_FSCRYPT_CONTEXT;
	out->version = value[0];
	return RULE_NONE;
}

size_t fscrypt_encode(const struct fscrypt_context *context, uint8_t *value)
{
	memset(value, 0, FSCRYPT_CONTEXT_MAX);
	value[0] = context->version;
	value[1] = context->contents_mode;
	value[2] = context->filenames_mode;
	value[3] = context->flags;
	if (context->version == 1) {
		memcpy(value + fscrypt1_OFS_key_descriptor, context->key_id, fscrypt1_SIZE_key_descriptor);
		memcpy(value + fscrypt1_OFS_nonce, context->nonce, FSCRYPT_NONCE_SIZE);
		return fscrypt1_SIZE;
	}
	value[fscrypt2_OFS_log2_data_unit_size] = context->log_data_unit;
	memcpy(value + fscrypt2_OFS_key_identifier, context->key_id, fscrypt2_SIZE_key_identifier);
	memcpy(value + fscrypt2_OFS_nonce, context->nonce, FSCRYPT_NONCE_SIZE);
	return fscrypt2_SIZE;
}

static bool is_pair(const struct fscrypt_context *ctx)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].contents == ctx->contents_mode && pairs[i].names == ctx->filenames_mode)
			return ctx->version >= pairs[i].version;
	return false;
}

/*
 * With inode numbers in the IV, 32 bits are left to number the data units of the longest file: 2^42 bytes with blocks
 * of 4 KiB, 2^44 with 16 KiB. IV_INO_LBLK_32 may go round within them, which must not happen inside a block.
 */
static const char *check_inode_iv(const struct fscrypt_context *ctx, unsigned int log_block)
{
	const unsigned int unit = ctx->log_data_unit ? ctx->log_data_unit : log_block;

	if (ctx->version < 2)
		return "unknown flags";
	if (ctx->contents_mode != MODE_AES_256_XTS)
		return "inode numbers in the IV need AES-256-XTS";
	if (ctx->flags & FSCRYPT_FLAG_IV_INO_LBLK_32 && unit != log_block)
		return "hashed inode numbers in the IV need data units of a block";
	return unit < log_block - 2 ? "data units are too small for inode numbers in the IV" : NULL;
}

static const char *check_flags(const struct fscrypt_context *ctx, unsigned int log_block)
{
	unsigned int iv = ctx->flags & ~(unsigned int)FSCRYPT_FLAG_PADDING;

	switch (iv) {
	case 0:
		return NULL;
	case FSCRYPT_FLAG_DIRECT_KEY:
		return ctx->contents_mode == MODE_ADIANTUM ? NULL : "direct key needs Adiantum";
	case FSCRYPT_FLAG_IV_INO_LBLK_64:
	case FSCRYPT_FLAG_IV_INO_LBLK_32:
		return check_inode_iv(ctx, log_block);
	default:
		return "unknown flags";
	}
}

const char *fscrypt_check(const struct fscrypt_context *ctx, unsigned int log_block)
{
	if (!is_pair(ctx))
		return "unknown pair of modes";
	if (ctx->log_data_unit != 0 && (ctx->log_data_unit < LOG_DATA_UNIT_MIN || ctx->log_data_unit > log_block))
		return "data unit size out of range";
	return check_flags(ctx, log_block);
}

unsigned int fscrypt_padding(const struct fscrypt_context *ctx)
{
	return 4u << (ctx->flags & FSCRYPT_FLAG_PADDING);
}

const char *fscrypt_mode_name(unsigned int mode)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i].mode == mode)
			return modes[i].name;
	return NULL;
}

static void print_mode(struct text *out, const char *what, unsigned int mode)
{
	const char *name = fscrypt_mode_name(mode);

	if (name)
		text_printf(out, ", %s %s", what, name);
	else
		text_printf(out, ", %s mode %u", what, mode);
}

void fscrypt_print(const struct fscrypt_context *ctx, struct text *out)
{
	text_printf(out, "policy v%u, key ", (unsigned int)ctx->version);
	for (unsigned int i = 0; i < ctx->key_id_size; i++)
		text_printf(out, "%02x", (unsigned int)ctx->key_id[i]);
	print_mode(out, "contents", ctx->contents_mode);
	print_mode(out, "names", ctx->filenames_mode);
	text_printf(out, ", padding %u", fscrypt_padding(ctx));
	if (ctx->flags & FSCRYPT_FLAG_DIRECT_KEY)
		text_add(out, ", direct key");
	if (ctx->flags & FSCRYPT_FLAG_IV_INO_LBLK_64)
		text_add(out, ", iv-ino-lblk-64");
	if (ctx->flags & FSCRYPT_FLAG_IV_INO_LBLK_32)
		text_add(out, ", iv-ino-lblk-32");
	if (ctx->log_data_unit != 0)
		text_printf(out, ", data units 2^%u", (unsigned int)ctx->log_data_unit);
}
