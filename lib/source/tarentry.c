/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn an archive's entry into an item: the data that libarchive read from ustar, pax and GNU headers. The counterpart
 * of extraction to tar.
 */
#include "base/error.h"
#include "f2fskit_config.h"
#include "source/tarentry.h"

#if HAVE_ARCHIVE

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/acl.h"
#include "base/late_archive.h"
#include "format/flags.h"
#include "source/attribute.h"
#include "source/path.h"

/* ---- the fields of stat(2) */

/* A time before 1970 is a sign and a magnitude in the archive, and libarchive gives the magnitude's parts. */
static struct f2fs_time make_time(int64_t seconds, long nanoseconds)
{
	struct f2fs_time t = { .seconds = seconds, .nanoseconds = (uint32_t)nanoseconds };

	if (seconds < 0 && nanoseconds > 0) {
		t.seconds = seconds - 1;
		t.nanoseconds = 1000000000 - (uint32_t)nanoseconds;
	}
	return t;
}

static void take_times(struct archive_entry *entry, struct source_item *item)
{
	if (sym_archive_entry_mtime_is_set(entry)) {
		item->given |= GIVEN_MTIME;
		item->mtime = make_time(sym_archive_entry_mtime(entry), sym_archive_entry_mtime_nsec(entry));
	}
	if (sym_archive_entry_atime_is_set(entry)) {
		item->given |= GIVEN_ATIME;
		item->atime = make_time(sym_archive_entry_atime(entry), sym_archive_entry_atime_nsec(entry));
	}
	if (sym_archive_entry_ctime_is_set(entry)) {
		item->given |= GIVEN_CTIME;
		item->ctime = make_time(sym_archive_entry_ctime(entry), sym_archive_entry_ctime_nsec(entry));
	}
	if (sym_archive_entry_birthtime_is_set(entry)) {
		item->given |= GIVEN_CRTIME;
		item->crtime = make_time(sym_archive_entry_birthtime(entry), sym_archive_entry_birthtime_nsec(entry));
	}
}

/* Flags by the names that extraction writes. */
static void take_flags(struct archive_entry *entry, struct source_item *item)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ FLAG_i_flags_append, "sappnd" },  { FLAG_i_flags_append, "sappend" },
		{ FLAG_i_flags_immutable, "schg" }, { FLAG_i_flags_immutable, "simmutable" },
		{ FLAG_i_flags_nodump, "nodump" },  { FLAG_i_flags_noatime, "noatime" },
		{ FLAG_i_flags_sync, "sync" },	    { FLAG_i_flags_dirsync, "dirsync" },
	};
	const char *text = sym_archive_entry_fflags_text(entry);
	size_t n;

	for (; text && (n = strcspn(text, ",")) > 0; text += n + (text[n] == ',')) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i].name) == n && memcmp(names[i].name, text, n) == 0)
				item->flags |= names[i].bit;
		item->given |= GIVEN_FLAGS;
	}
}

static int take_owner(struct source *src, struct archive_entry *entry, struct source_item *item)
{
	const int64_t uid = sym_archive_entry_uid(entry), gid = sym_archive_entry_gid(entry);

	if (uid < 0 || uid >= UINT32_MAX || gid < 0 || gid >= UINT32_MAX)
		return error_set(src->ctx, F2FS_ERR_RANGE, "owner %lld:%lld is out of range", (long long)uid,
				 (long long)gid);
	item->uid = (uint32_t)uid;
	item->gid = (uint32_t)gid;
	item->given |= GIVEN_OWNER;
	return 0;
}

static int take_type(struct source *src, struct archive_entry *entry, struct vec *link, struct source_item *item)
{
	const char *hardlink = sym_archive_entry_hardlink(entry);

	item->mode = ((uint32_t)sym_archive_entry_filetype(entry) & MODE_TYPE) |
		     (sym_archive_entry_perm(entry) & 07777u);
	item->given |= GIVEN_MODE;
	if (hardlink) {
		int err = source_clean_path(src, hardlink, link);

		item->link = link->items;
		return err;
	}
	switch (item->mode & MODE_TYPE) {
	case MODE_REG:
		item->size = (uint64_t)sym_archive_entry_size(entry);
		item->has_holes = sym_archive_entry_sparse_reset(entry) > 0;
		return 0;
	case MODE_LNK:
		item->target = sym_archive_entry_symlink(entry);
		item->target_length = item->target ? strlen(item->target) : 0;
		return 0;
	case MODE_CHR:
	case MODE_BLK:
		item->rdev_major = (uint32_t)sym_archive_entry_rdevmajor(entry);
		item->rdev_minor = (uint32_t)sym_archive_entry_rdevminor(entry);
		return 0;
	case MODE_DIR:
	case MODE_FIFO:
	case MODE_SOCK:
		return 0;
	default:
		return error_set(src->ctx, F2FS_ERR_UNSUPPORTED, "an entry of this kind (mode %o) cannot be copied",
				 (unsigned)item->mode);
	}
}

int tar_describe(struct source *src, struct archive_entry *entry, struct vec *link, struct source_item *item)
{
	int err = take_type(src, entry, link, item);

	if (!err)
		err = take_owner(src, entry, item);
	take_times(entry, item);
	take_flags(entry, item);
	return err;
}

/* ---- attributes */

/* GNU tar writes '%' and '=' in names as "%25" and "%3D". */
static void decode_name(char *name)
{
	char *to = name;

	for (; *name; to++) {
		const char *const code = name;

		*to = *name++;
		if (strncmp(code, "%25", 3) == 0 || strncmp(code, "%3D", 3) == 0) {
			*to = code[1] == '2' ? '%' : '=';
			name += 2;
		}
	}
	*to = '\0';
}

static int add_xattr(struct source *src, const char *name, const void *value, size_t size)
{
	char *copy;
	int err = 0;

	if (!source_attribute_is_wanted(src, name))
		return 0;
	copy = mem_strdup(src->ctx, name);
	if (!copy)
		return F2FS_ERR_NOMEM;
	decode_name(copy);
	err = source_attribute_add(src, copy, value, size);
	mem_free(src->ctx, copy);
	return err;
}

static int compare_entries(const void *a, const void *b)
{
	const struct acl_entry *x = a, *y = b;

	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static uint16_t acl_tag(int tag)
{
	switch (tag) {
	case ARCHIVE_ENTRY_ACL_USER_OBJ:
		return ACL_USER_OBJ;
	case ARCHIVE_ENTRY_ACL_USER:
		return ACL_USER;
	case ARCHIVE_ENTRY_ACL_GROUP_OBJ:
		return ACL_GROUP_OBJ;
	case ARCHIVE_ENTRY_ACL_GROUP:
		return ACL_GROUP;
	case ARCHIVE_ENTRY_ACL_MASK:
		return ACL_MASK;
	case ARCHIVE_ENTRY_ACL_OTHER:
		return ACL_OTHER;
	default:
		return 0;
	}
}

/* Find an id by name, as GNU tar writes ACLs: a number, or a name that the host knows. */
static bool find_id(bool is_user, const char *name, uint32_t *id)
{
	char room[4096], *end;
	struct passwd user, *found_user = NULL;
	struct group group, *found_group = NULL;
	unsigned long long number = strtoull(name, &end, 10);

	if (name[0] >= '0' && name[0] <= '9' && !*end && number < ACL_NO_ID) {
		*id = (uint32_t)number;
		return true;
	}
	if (is_user && getpwnam_r(name, &user, room, sizeof(room), &found_user) == 0 && found_user)
		*id = user.pw_uid;
	else if (!is_user && getgrnam_r(name, &group, room, sizeof(room), &found_group) == 0 && found_group)
		*id = group.gr_gid;
	return found_user || found_group;
}

/* The id of an entry; libarchive gives INT_MAX for all that are beyond it. */
static int take_id(struct source *src, struct acl_entry *to, int id, const char *name)
{
	to->id = ACL_NO_ID;
	if (to->tag != ACL_USER && to->tag != ACL_GROUP)
		return 0;
	to->id = (uint32_t)id;
	if (id == INT_MAX)
		return error_set(src->ctx, F2FS_ERR_RANGE, "libarchive does not read ids of ACLs beyond %d",
				 INT_MAX - 1);
	if (id >= 0 || (name && find_id(to->tag == ACL_USER, name, &to->id)))
		return 0;
	return error_set(src->ctx, F2FS_ERR_NOT_FOUND, "the host does not know %s, whom the ACL names",
			 name && name[0] ? name : "one");
}

/* Put the entries of one ACL together and, for that of access, the mask into the mode. */
static int read_acl(struct source *src, struct archive_entry *entry, int type, struct vec *entries,
		    struct source_item *item)
{
	int kind, perm, tag, id, err;
	const char *name;

	while (sym_archive_entry_acl_next(entry, type, &kind, &perm, &tag, &id, &name) == ARCHIVE_OK) {
		struct acl_entry *to = vec_push(entries, 1);

		if (!to)
			return F2FS_ERR_NOMEM;
		to->tag = acl_tag(tag);
		to->perm = (uint16_t)(perm & 7);
		err = take_id(src, to, id, name);
		if (err)
			return err;
		if (to->tag == ACL_MASK && type == ARCHIVE_ENTRY_ACL_TYPE_ACCESS)
			item->mode = (item->mode & ~070u) | (uint32_t)to->perm << 3;
	}
	vec_sort(entries, compare_entries);
	return 0;
}

static int add_acl(struct source *src, struct archive_entry *entry, int type, const char *name,
		   struct source_item *item)
{
	struct vec entries;
	uint8_t *value;
	int err;

	if (!source_attribute_is_wanted(src, name) || sym_archive_entry_acl_reset(entry, type) == 0)
		return 0;
	vec_init(&entries, src->ctx, sizeof(struct acl_entry));
	err = read_acl(src, entry, type, &entries, item);
	value = err ? NULL : mem_alloc(src->ctx, ACL_SIZE_MAX(entries.count));
	if (!err && !value)
		err = F2FS_ERR_NOMEM;
	if (!err)
		err = source_attribute_add(src, name, value, acl_encode_xattr(entries.items, entries.count, value));
	mem_free(src->ctx, value);
	vec_fini(&entries);
	return err && err != F2FS_ERR_NOMEM ? source_problem(src, name) : err;
}

int tar_attributes(struct source *src, struct archive_entry *entry, struct source_item *item)
{
	const char *name;
	const void *value;
	size_t size;
	int err = 0;

	sym_archive_entry_xattr_reset(entry);
	while (!err && sym_archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK)
		err = add_xattr(src, name, value, size);
	if (!err)
		err = add_acl(src, entry, ARCHIVE_ENTRY_ACL_TYPE_ACCESS, "system.posix_acl_access", item);
	if (!err)
		err = add_acl(src, entry, ARCHIVE_ENTRY_ACL_TYPE_DEFAULT, "system.posix_acl_default", item);
	return err;
}

#endif
