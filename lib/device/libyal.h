/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Libraries of the libyal family, which read images of evidence and of virtual machines. Their functions differ by
 * prefix alone, so one table of functions serves all. Each is loaded when such an image is opened. Their headers are
 * not needed to build.
 */
#ifndef F2FSKIT_DEVICE_LIBYAL_H
#define F2FSKIT_DEVICE_LIBYAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An error or image of the library; each call takes where to put an error, or NULL. Results: 1, 0 for nothing there,
 * -1 on failure. */
struct libyal {
	int (*initialize)(void **image, void **error);
	int (*free_image)(void **image, void **error);
	int (*open_image)(void *image, const char *path, int flags, void **error); /* not of libewf */
	int (*close)(void *image, void **error);
	int (*get_media_size)(void *image, uint64_t *size, void **error);
	ssize_t (*read_at)(void *image, void *buffer, size_t length, int64_t offset, void **error);
	void (*free_error)(void **error);
	int (*print_error)(void *error, char *text, size_t size);

	/* libewf */
	int (*knows_file)(const char *path, void **error);
	int (*glob)(const char *path, size_t length, uint8_t format, char ***names, int *count, void **error);
	int (*glob_free)(char **names, int count, void **error);
	int (*open_parts)(void *image, char *const names[], int count, int flags, void **error);
	int (*is_corrupted)(void *image, void **error);
	int (*count_bad)(void *image, uint32_t *count, void **error); /* runs of sectors whose checksum was wrong */
	int (*get_bad)(void *image, uint32_t index, uint64_t *sector, uint64_t *count, void **error);
	int (*get_sector_size)(void *image, uint32_t *bytes, void **error);
	int (*get_md5)(void *image, uint8_t *digest, size_t size, void **error);
	int (*get_sha1)(void *image, uint8_t *digest, size_t size, void **error);
	/* libvhdi */
	int (*get_disk_type)(void *image, uint32_t *type, void **error);
	/* libvmdk */
	int (*open_extents)(void *image, void **error);
	int (*get_parent)(void *image, uint32_t *content_id, void **error);
};

enum { LIBYAL_READ = 1 }; /* flags of the openers */

enum libyal_kind { LIBYAL_EWF, LIBYAL_QCOW, LIBYAL_VHDI, LIBYAL_VMDK, LIBYAL_KINDS };

/* "libewf": the name of a library, for messages. */
const char *libyal_name(enum libyal_kind kind);
/* Load a library; false when the host has none, or the build loads nothing. Functions of other libraries stay NULL. */
bool libyal_load(enum libyal_kind kind, struct libyal *out);

#endif
