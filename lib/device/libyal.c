/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load a library of the libyal family. */
#include "device/libyal.h"

#include <stdio.h>
#include <string.h>

#include "base/late.h"

static const struct library {
	const char *name, *prefix, *object, *sonames[2];
} libraries[LIBYAL_KINDS] = {
	[LIBYAL_EWF] = { "libewf", "libewf", "libewf_handle", { "libewf.so.3", "libewf.so.2" } },
	[LIBYAL_QCOW] = { "libqcow", "libqcow", "libqcow_file", { "libqcow.so.1", NULL } },
	[LIBYAL_VHDI] = { "libvhdi", "libvhdi", "libvhdi_file", { "libvhdi.so.1", NULL } },
	[LIBYAL_VMDK] = { "libvmdk", "libvmdk", "libvmdk_handle", { "libvmdk.so.1", NULL } },
};

const char *libyal_name(enum libyal_kind kind)
{
	return libraries[kind].name;
}

#if HAVE_DLOPEN

LATE_NOTE_NAMED(note_ewf, "ewf", "images of EnCase (E01)", "libewf.so.2");
LATE_NOTE_NAMED(note_qcow, "qcow", "qcow2 images", "libqcow.so.1");
LATE_NOTE_NAMED(note_vhdi, "vhdi", "VHD and VHDX images", "libvhdi.so.1");
LATE_NOTE_NAMED(note_vmdk, "vmdk", "VMDK images", "libvmdk.so.1");

enum { ALL = (1 << LIBYAL_KINDS) - 1, EWF = 1 << LIBYAL_EWF, VHDI = 1 << LIBYAL_VHDI, VMDK = 1 << LIBYAL_VMDK };

/* Functions: whose, before which word the name of the object stands, or of the library alone. */
static const struct function {
	unsigned kinds;
	bool is_of_object;
	const char *name, *older; /* older: its name in older versions */
	size_t offset;
} functions[] = {
#define OBJECT(kinds, name, older, member) { kinds, true, name, older, offsetof(struct libyal, member) },
#define PLAIN(kinds, name, member) { kinds, false, name, NULL, offsetof(struct libyal, member) },
	OBJECT(ALL, "initialize", NULL, initialize)
	OBJECT(ALL, "free", NULL, free_image)
	OBJECT(ALL & ~EWF, "open", NULL, open_image)
	OBJECT(ALL, "close", NULL, close)
	OBJECT(ALL, "get_media_size", NULL, get_media_size)
	OBJECT(ALL, "read_buffer_at_offset", "read_random", read_at)
	PLAIN(ALL, "error_free", free_error)
	PLAIN(ALL, "error_sprint", print_error)
	PLAIN(EWF, "check_file_signature", knows_file)
	PLAIN(EWF, "glob", glob)
	PLAIN(EWF, "glob_free", glob_free)
	OBJECT(EWF, "open", NULL, open_parts)
	OBJECT(EWF, "segment_files_corrupted", NULL, is_corrupted)
	OBJECT(EWF, "get_number_of_checksum_errors", NULL, count_bad)
	OBJECT(EWF, "get_checksum_error", NULL, get_bad)
	OBJECT(EWF, "get_bytes_per_sector", NULL, get_sector_size)
	OBJECT(EWF, "get_md5_hash", NULL, get_md5)
	OBJECT(EWF, "get_sha1_hash", NULL, get_sha1)
	OBJECT(VHDI, "get_disk_type", NULL, get_disk_type)
	OBJECT(VMDK, "open_extent_data_files", NULL, open_extents)
	OBJECT(VMDK, "get_parent_content_identifier", NULL, get_parent)
#undef OBJECT
#undef PLAIN
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* Load all functions at once; is_older: by their older names, where they have some. */
static bool load_all(enum libyal_kind kind, const char *soname, bool is_older, struct libyal *out)
{
	const struct library *library = &libraries[kind];
	struct late_symbol symbols[FUNCTIONS];
	char names[FUNCTIONS][64];
	size_t count = 0;

	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct function *function = &functions[i];

		if (!(function->kinds & 1u << kind))
			continue;
		snprintf(names[count], sizeof(names[count]), "%s_%s",
			 function->is_of_object ? library->object : library->prefix,
			 is_older && function->older ? function->older : function->name);
		symbols[count] = (struct late_symbol){ names[count], (char *)out + function->offset };
		count++;
	}
	memset(out, 0, sizeof(*out));
	return late_load(soname, symbols, count);
}

bool libyal_load(enum libyal_kind kind, struct libyal *out)
{
	const struct library *library = &libraries[kind];

	for (size_t i = 0; i < 2 && library->sonames[i]; i++)
		if (load_all(kind, library->sonames[i], false, out) || load_all(kind, library->sonames[i], true, out))
			return true;
	return false;
}
#else
bool libyal_load(enum libyal_kind kind, struct libyal *out)
{
	(void)kind;
	memset(out, 0, sizeof(*out));
	return false;
}
#endif
