/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Containers of evidence and of virtual machines that f2fs_device_open_image() reads in place: E01, Ex01, qcow2, VHD,
 * VHDX and VMDK, through libewf, libqcow, libvhdi and libvmdk where the host has them.
 */
#ifndef F2FSKIT_EVIDENCE_H
#define F2FSKIT_EVIDENCE_H

#include <f2fskit/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A container, and the digests that it stores of its contents. */
struct f2fs_evidence {
	uint32_t struct_size;	/* F2FS_SIZED */
	uint8_t has_md5;	/* one is stored; only E01 and Ex01 store digests */
	uint8_t has_sha1;	/* as has_md5 */
	uint8_t is_incomplete;	/* parts are missing or damaged: reading there fails */
	uint8_t is_verified;	/* the digests were computed again, and are the stored ones */
	const char *format;	/* such as "an EnCase image (E01)"; of the library */
	uint64_t bytes;		/* of contents */
	uint8_t md5[16];	/* stored; zeros: none */
	uint8_t sha1[20];	/* as md5 */
	uint8_t found_md5[16];	/* computed by f2fs_device_verify_evidence(), if one is stored; else zeros */
	uint8_t found_sha1[20]; /* as found_md5 */
};

/*
 * Describe the container that a device, or one that it is above, reads from. Fails with NOT_FOUND: it is no container.
 */
F2FS_API int f2fs_device_evidence(struct f2fs_device *dev, struct f2fs_evidence *out);
/*
 * Read all contents of the container, and compute the digests that it stores. out is filled also when they differ.
 * Reports progress "verify". Fails with NOT_FOUND (no container, or one without digests), DAMAGED_DATA (rule
 * CONTAINER: a digest differs), IO (parts cannot be read), UNSUPPORTED (no libcrypto), CANCELED, NOMEM.
 */
F2FS_API int f2fs_device_verify_evidence(struct f2fs_device *dev, struct f2fs_evidence *out);

#ifdef __cplusplus
}
#endif
#endif
