/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policies of directories: version 1, AES-256-XTS for contents and AES-256-CBC-CTS for names.
 */
#include "mounted/crypt_dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/hex.h"
#include "cli/keys.h"
#include "mounted/crypt_keys.h"
#include "mounted/crypt_salts.h"
#include "mounted/kernel_calls.h"

/* Check before anything is changed that operands from one on are directories that may be written. */
static int check_dirs(const struct crypt_call *call, int first)
{
	struct stat st;
	int rc = 0;

	for (int i = first; i < call->count; i++)
		if (access(call->words[i], W_OK) || stat(call->words[i], &st))
			rc = crypt_fail(call, call->words[i], "access");
		else if (!S_ISDIR(st.st_mode))
			rc = crypt_refuse(call, call->words[i], "is not a directory");
	return rc;
}

/* Flags of a policy: names are padded to 4, 8, 16 or 32 bytes. Returns 0, or -1 after a message. */
static int take_padding(const struct crypt_call *call, uint8_t *flags)
{
	for (*flags = FSCRYPT_POLICY_FLAGS_PAD_4; *flags <= FSCRYPT_POLICY_FLAGS_PAD_32; ++*flags)
		if (call->padding == UINT64_C(4) << *flags)
			return 0;
	return crypt_refuse(call, "-p", "is 4, 8, 16 or 32");
}

static int set_policy(const struct crypt_call *call, const char *path, uint8_t flags,
		      const uint8_t descriptor[F2FS_KEY_DESCRIPTOR])
{
	struct fscrypt_policy_v1 policy = {
		.version = FSCRYPT_POLICY_V1,
		.contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
		.filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
		.flags = flags,
	};
	char shown[DESCRIPTOR_TEXT];
	int fd, rc;

	memcpy(policy.master_key_descriptor, descriptor, F2FS_KEY_DESCRIPTOR);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return crypt_fail(call, path, "open");
	rc = host_request(fd, FS_IOC_SET_ENCRYPTION_POLICY, &policy);
	if (rc)
		rc = crypt_fail(call, path, "FS_IOC_SET_ENCRYPTION_POLICY");
	close(fd);
	if (!rc)
		printf("Key with descriptor [%s] applied to %s.\n", crypt_descriptor(descriptor, shown), path);
	return rc;
}

static int insert_keys(struct crypt_call *call)
{
	char passphrase[F2FS_PASSPHRASE_MAX + 1];
	const int32_t keyring = crypt_keyring(call);
	size_t length;
	int rc;

	if (!keyring || crypt_ask(call, passphrase, &length))
		return -1;
	rc = 0;
	for (unsigned i = 0; !rc && i < call->salt_count; i++)
		rc = crypt_insert(call, keyring, &call->salts[i], passphrase, length);
	cli_wipe(passphrase, sizeof(passphrase));
	return rc;
}

int crypt_add_key(struct crypt_call *call)
{
	uint8_t flags;
	int rc = 0;

	if (take_padding(call, &flags))
		return -1;
	if (!call->count && !call->salt_count && crypt_add_mounted(call))
		return -1;
	if (check_dirs(call, 0))
		return -1;
	for (int i = 0; i < call->count; i++)
		if (crypt_add_volume(call, call->words[i]))
			return -1;
	if (insert_keys(call))
		return -1;
	for (int i = 0; i < call->count; i++) {
		const struct crypt_salt *salt = crypt_salt_of(call, call->words[i]);

		if (!salt || set_policy(call, call->words[i], flags, salt->descriptor))
			rc = -1;
	}
	return rc;
}

int crypt_set_policy(struct crypt_call *call)
{
	uint8_t flags, descriptor[F2FS_KEY_DESCRIPTOR];
	const char *word = call->words[0];
	int rc = 0;

	if (strspn(word, "0123456789abcdef") != sizeof(descriptor) * 2 || word[sizeof(descriptor) * 2] ||
	    cli_parse_hex(word, sizeof(descriptor) * 2, descriptor))
		return crypt_refuse(call, word, "is not a descriptor of 16 hexadecimal digits in lower case");
	if (take_padding(call, &flags) || check_dirs(call, 1))
		return -1;
	for (int i = 1; i < call->count; i++)
		if (set_policy(call, call->words[i], flags, descriptor))
			rc = -1;
	return rc;
}

/* Get a policy of either version; kernels before 5.4 have version 1 alone. */
static int ask_policy(int fd, struct fscrypt_get_policy_ex_arg *answer)
{
	memset(answer, 0, sizeof(*answer));
	answer->policy_size = sizeof(answer->policy);
	if (host_request(fd, FS_IOC_GET_ENCRYPTION_POLICY_EX, answer) == 0)
		return 0;
	return errno == ENOTTY ? host_request(fd, FS_IOC_GET_ENCRYPTION_POLICY, &answer->policy.v1) : -1;
}

static int show_policy(const struct crypt_call *call, const char *path)
{
	struct fscrypt_get_policy_ex_arg answer;
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const uint8_t *name;
	size_t size;
	int rc;

	if (fd < 0)
		return crypt_fail(call, path, "open");
	rc = ask_policy(fd, &answer);
	if (rc)
		rc = crypt_fail(call, path, "FS_IOC_GET_ENCRYPTION_POLICY");
	close(fd);
	if (rc)
		return rc;
	const int is_new = answer.policy.version != FSCRYPT_POLICY_V1;

	name = is_new ? answer.policy.v2.master_key_identifier : answer.policy.v1.master_key_descriptor;
	size = is_new ? FSCRYPT_KEY_IDENTIFIER_SIZE : FSCRYPT_KEY_DESCRIPTOR_SIZE;
	cli_put_text(stdout, path);
	printf(": ");
	for (size_t i = 0; i < size; i++)
		printf("%02x", name[i]);
	printf("\n");
	return 0;
}

int crypt_get_policy(struct crypt_call *call)
{
	int rc = 0;

	for (int i = 0; i < call->count; i++)
		if (show_policy(call, call->words[i]))
			rc = -1;
	return rc;
}
