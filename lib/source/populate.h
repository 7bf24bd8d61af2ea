/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a volume: a source (host directory, archive) gives one item after the other, with its path below the source's
 * top; the rest does not know where items come from. Parents may come late or not at all, so the way from an item's
 * path to its directory in the volume is a stack of open directories that follows the paths.
 */
#ifndef F2FSKIT_SOURCE_POPULATE_H
#define F2FSKIT_SOURCE_POPULATE_H

#include <f2fskit/populate.h>

#include "base/map32.h"
#include "base/vec.h"
#include "file/write.h"
#include "format/inode.h"

/* What an item says of itself; what is missing has a default. */
enum populate_given {
	GIVEN_MODE = 1,
	GIVEN_OWNER = 2,
	GIVEN_MTIME = 4,
	GIVEN_ATIME = 8,
	GIVEN_CTIME = 16,
	GIVEN_CRTIME = 32,
	GIVEN_FLAGS = 64,
	GIVEN_PROJECT = 128
};

/* One entry of a source. Pointers are the source's and good until the next call of its functions. */
struct populate_item {
	unsigned given;	 /* enum populate_given */
	unsigned forced; /* GIVEN_MODE, _OWNER, _MTIME (all times): applied whatever opt.keep says */
	uint32_t mode;	 /* type, and permissions with GIVEN_MODE */
	uint32_t uid, gid;
	uint32_t rdev_major, rdev_minor;
	uint32_t flags, projid;
	uint64_t size; /* of a regular file; the source corrects it while it gives the contents */
	uint64_t stored; /* bytes of it that are no holes, as far as the source knows */
	bool has_holes;	 /* there after prepare() */
	struct f2fs_time atime, mtime, ctime, crtime;
	const char *target; /* of a symbolic link, not NUL-terminated; there after prepare() */
	size_t target_length;
	const char *link; /* a further name of what has this path below the top */
	bool has_links;	  /* other items may be the same file; then they have the same dev and ino */
	uint64_t dev, ino;
	uint32_t nlink;	     /* names that it has, 0: not known */
	bool is_listed, is_capable; /* fs_config has a line for it, and that has capabilities */
	bool lacks_attributes; /* some could not be read: what the volume has of them stays */
	bool has_no_contents; /* with only_describes: nothing is known of a regular file's contents but their size */
};

/* A piece of a file's contents, holes left out; pieces come in order. */
struct populate_chunk {
	const void *data;
	uint64_t offset;
	size_t length; /* 0: no more */
};

struct populate;

#define POPULATE_END 1

struct populate_source_ops {
	/*
	 * Go to the next item and hand its path to populate_set_path(). Returns 0, POPULATE_END, or an error. The run
	 * goes on after an error unless it is fatal or the source set is_broken.
	 */
	int (*next)(struct populate *p, struct populate_item *item);
	/* The item is wanted: make its contents, target and attributes (populate_attribute_add) ready. NULL: they are.
	 */
	int (*prepare)(struct populate *p, struct populate_item *item);
	/* Give the next piece of contents. */
	int (*read)(struct populate *p, struct populate_item *item, struct populate_chunk *chunk);
	/* Give the contents of the item at hand once more from their start. NULL: they can be read once. */
	void (*again)(struct populate *p);
	/* Skip the contents of the directory given last. NULL: the source has nothing to do for that. */
	void (*skip)(struct populate *p);
	void (*close)(struct populate *p);
};

/* What a directory is made from when something in it is. */
struct populate_noted {
	bool is_given; /* by the source, so that its attributes are applied even if the directory existed before */
	struct populate_item item; /* without pointers */
	struct vec attributes;
};

/* One directory of the volume on the path of the current item. */
struct populate_level {
	f2fs_nid_t ino;		/* F2FS_NO_NID: not made until something in it is */
	struct f2fs_inode *dir; /* NULL: not made, or far up */
	size_t path_length;	/* its path is that much of level_path */
	bool is_changed;	/* its times are to be put back */
	struct f2fs_time mtime, ctime;
	struct populate_noted *noted; /* while it is not made */
};

/* Choices for the directories on the way of a path: see populate_choose(). */
struct populate_chooser {
	struct vec parts; /* struct populate_part */
};

/*
 * Paths are kept from one item to the next, and may be long, so what follows them only looks at what has changed: how
 * many bytes of the path at hand are known to be those that each of these saw last.
 */
enum populate_follower { FOLLOW_PLACE, FOLLOW_CHOICE, FOLLOW_COUNT };

struct populate {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct f2fs_populate_options opt;
	struct f2fs_populate_result *result;
	const struct populate_source_ops *ops;
	void *source;	   /* of ops */
	bool is_broken;	   /* the source cannot go on: the error at hand ends the run */
	bool is_ahead;	   /* counting in advance: problems are told later, when copying meets them again */
	bool only_describes; /* a manifest without contents will do */
	bool is_of_source; /* the error at hand is the source's, not the volume's */
	const char *what;  /* of the item at hand is being copied, for a problem: "" or "contents" */
	bool needs_end;	   /* what the source does not have matters: it must have been read to its end */
	bool may_repeat;   /* the source may give a name twice: the later one replaces the earlier */
	struct f2fs_time now;
	struct change_rules ways;      /* of changes through the run's handles */
	struct f2fs_progress progress; /* in bytes of contents */
	char *buffer;		       /* POPULATE_BUFFER bytes, for the source */
	uint8_t *zeros;		       /* the same of zeros, copied instead of contents; NULL: contents are */
	struct vec path;       /* char: of the item at hand, NUL-terminated, no slash at either end; "": the top */
	size_t same[FOLLOW_COUNT];	/* by enum populate_follower */
	struct populate_chooser chosen; /* for path */
	struct vec attributes; /* of the item at hand: see populate_attribute_add() */
	struct fs_config *fs_config; /* NULL: none */
	struct contexts *contexts;   /* NULL: none */
	struct vec mounted;	     /* char: scratch */
	struct vec levels;	     /* struct populate_level; the first is the target */
	size_t made_levels;	     /* that many of them are made */
	struct vec level_path;	     /* char: path of the last level */
	struct vec links;	     /* struct populate_link */
	struct map32 link_index;     /* mix of device and inode -> 1 + number of the first link */
	struct map32 capable;        /* inodes that fs_config gave capabilities */
	struct map32 made;	     /* with may_repeat: inodes made in this run */
	struct map32 linked;	     /* inodes that had several names -> enum populate_linked */
	struct vec seen;	     /* with DELETE: uint64_t, a hash of each directory and name that the source has */
	struct map32 visited;	     /* with DELETE: inodes of the source's directories */
	struct map32 spared;	     /* with DELETE: inodes of what could not be read */
	bool spares_all;	     /* with DELETE: nothing is deleted */
};

#define POPULATE_BUFFER (1u << 20)

/* An inode of the volume that had several names when one of them was met. */
enum populate_linked {
	POPULATE_LINKED = 1,
	POPULATE_TAKEN = 2 /* and it is a file of the source now */
};

/* A file of the source with further links, and what it became. */
struct populate_link {
	uint64_t dev, ino;
	f2fs_nid_t to;
	uint64_t next; /* 1 + number of the next one of the same mix, 0: none */
};

static inline const char *populate_path(const struct populate *p)
{
	return p->path.count ? p->path.items : "";
}

/* The last component of the path of the item at hand. */
static inline const char *populate_name(const struct populate *p)
{
	const char *path = populate_path(p), *name = path + p->path.count;

	while (name > path && name[-1] != '/')
		name--;
	return name;
}

/* ---- populate/populate.c */

/* f2fs_populate(); is_dry: files get zeros for contents. */
/* Copy the options of a caller, and to *compression what they say of that, if anything; own points to it then. */
int populate_take(struct f2fs_context *ctx, struct f2fs_populate_options *own,
		  struct f2fs_populate_compression *compression, const struct f2fs_populate_options *given);
int populate_run(struct f2fs_volume *vol, const struct f2fs_populate_options *options,
		 struct f2fs_populate_result *result, bool is_dry);
/* What any run over the items of a source begins and ends with. */
void populate_init(struct populate *p);
void populate_fini(struct populate *p);
/* Open the source that the options name. */
int populate_source_open(struct populate *p);

/* ---- source/report.c */

/* Set the path of the item at hand: the first length bytes of what it is now, a slash between, and name. */
int populate_set_path(struct populate *p, size_t length, const char *name);
/* Bring a path from elsewhere into the form of paths here, in out (char, NUL-terminated): no slashes at the ends, none
 * doubled, no "."; INVALID when it has "..". */
int populate_clean_path(struct populate *p, const char *path, struct vec *out);
/* That many bytes of contents were copied, or an item was: the host may want to know, and to stop. */
int populate_progress(struct populate *p, uint64_t bytes);
/* Tell of a problem with the entry at hand; the error is in the context. Returns non-zero to end the run. */
int populate_problem(struct populate *p, const char *what);
/* Does an error end the run, rather than being a problem of one entry? */
bool populate_is_fatal(const struct populate *p, int err);

/* ---- source/attribute.c: extended attributes of the item at hand */

/* Add an attribute to the item at hand; one that is not to be kept is left out. */
int populate_attribute_add(struct populate *p, const char *name, const void *value, size_t size);
/* Add an attribute to a list, in place of one of that name. */
int populate_attribute_put(struct populate *p, struct vec *list, const char *name, const void *value, size_t size);
/* Is an attribute of that name to be kept? */
bool populate_attribute_is_wanted(const struct populate *p, const char *name);
/* Set all attributes of a list on an inode of the volume; those that do not go are problems. */
int populate_attributes_set(struct populate *p, const struct vec *list, struct f2fs_inode *inode);
/* Remove attributes of the kinds that are kept and that are not in a list from an inode. */
int populate_attributes_prune(struct populate *p, const struct vec *list, struct f2fs_inode *inode);

/* ---- populate/place.c: directories of the volume */

void populate_noted_free(struct populate_noted *noted);
/* Open the target and make it the first level. */
int populate_place_open(struct populate *p);
/* Find or make the directory that the item at hand goes to; *name is the last component of its path. The directory
 * stays the stack's, and is about to be changed. */
int populate_place_parent(struct populate *p, struct f2fs_inode **dir, const char **name);
/* The item at hand has become the directory dir (taken over) in what populate_place_parent() gave: go into it. */
int populate_place_enter(struct populate *p, struct f2fs_inode *dir);
/* The item at hand is a directory to be made when something in it is. */
int populate_place_note(struct populate *p, const struct populate_item *item);
/* The item at hand is the top: give the target its attributes. */
int populate_place_top(struct populate *p, const struct populate_item *item);
/* The source has no more: leave all directories, and delete what is to be deleted. */
int populate_place_end(struct populate *p);
/* Find the inode that a path below the target is in the volume, links not followed. When that fails *out is the last
 * one that was found on the way. */
int populate_place_find(struct populate *p, const char *path, f2fs_nid_t *out);
/* The same, and open it. */
int populate_place_lookup(struct populate *p, const char *path, struct f2fs_inode **out);

/* ---- populate/entry.c: one item */

/* Copy the item at hand, which is no directory, to a name in a directory of the volume. */
int populate_entry(struct populate *p, struct f2fs_inode *dir, const char *name, struct populate_item *item);
/* Copy the item at hand, a directory, and go into it. */
int populate_directory(struct populate *p, struct f2fs_inode *parent, const char *name, struct populate_item *item);

/* ---- populate/new_inode.c */

/* What a new inode for an item starts with. */
void populate_fill_new(const struct populate *p, const struct populate_item *item, struct f2fs_new *spec);
/* Give an inode that is complete its item's flags and project id: they may forbid further changes. */
int populate_set_flags(struct populate *p, struct f2fs_inode *inode, const struct populate_item *item);
/* Remember an inode of this run, where an item may come twice. */
int populate_note_made(struct populate *p, f2fs_nid_t ino);
/* Make a directory from an item and a list of attributes. */
int populate_make_dir(struct populate *p, struct f2fs_inode *parent, const char *name, size_t length,
		      const struct populate_item *item, const struct vec *attributes, struct f2fs_inode **out);
/* Give an inode that exists an item's owner, mode, times and attributes. */
int populate_update(struct populate *p, struct f2fs_inode *inode, const struct populate_item *item,
		    const struct vec *attributes);

/* ---- populate/meet.c: names that exist already */

/* What had the name of the item at hand and waits under another one until that is made. */
struct populate_aside {
	char name[32]; /* "": there is nothing */
	bool is_tree;  /* a directory that goes with all that is in it */
};

/* Something in dir has the name of the item at hand: get it out of the way, or leave it (*done), or refuse, as the
 * policy says. populate_end_meet() must follow when it was neither left nor refused. */
int populate_meet(struct populate *p, struct f2fs_inode *dir, const char *name, struct populate_item *item, bool *done,
		  struct populate_aside *aside);
/* The item was made, or not (err, which is returned unless this fails, too): remove what was in its way, or put that
 * back. */
int populate_end_meet(struct populate *p, struct f2fs_inode *dir, const char *name, const struct populate_aside *aside,
		    int err);

/* ---- populate/spare.c: what could not be read */

/* The item at hand could not be read, or not all that is in it: what has its path in the volume stays, with all below.
 */
int populate_spare(struct populate *p);

/* ---- populate/same_contents.c */

/* Are contents of an inode those of the item at hand, of the same size? Where those can be read but once: yes. */
int populate_same_contents(struct populate *p, struct f2fs_inode *inode, const struct populate_item *item, bool *same);

/* ---- populate/delete.c: what the source does not have */

/* Note that the source has a name in a directory, and that a directory is one of the source's. */
int populate_saw(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length);
int populate_visited(struct populate *p, const struct f2fs_inode *dir);
/* May the directory that has the name of the item at hand go, with all that is in it? NOT_EMPTY: something in it stays,
 * as patterns leave it out or as it could not be read. */
int populate_may_remove(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length);
/* Remove a name and, of a directory, all that is in it. */
int populate_remove(struct populate *p, struct f2fs_inode *dir, const char *name, size_t length);
/* Remove what the source does not have from all directories that it has. */
int populate_delete(struct populate *p);

/* ---- source/link.c: files with several names */

/* The inode of the volume that an item became before; F2FS_NO_NID if it did not. */
f2fs_nid_t populate_link_find(const struct populate *p, const struct populate_item *item);
int populate_link_add(struct populate *p, const struct populate_item *item, f2fs_nid_t to);

/* ---- populate/further.c: further names of a file */

/* Remember whether an inode made of an item has capabilities by a list. */
int populate_note_capable(struct populate *p, const struct populate_item *item, f2fs_nid_t ino);
/* The item at hand is a further name of an inode: do lists and rules say the same of it? What differs is a problem. */
int populate_check_further(struct populate *p, const struct populate_item *item, struct f2fs_inode *first);

/* ---- populate/compress.c */

/* Make p->ways from the options. */
int populate_ways_set(struct populate *p);
/* Create an inode for the item at hand, compressed or not as the options say. */
int populate_create(struct populate *p, struct f2fs_inode *dir, const char *name, const struct populate_item *item,
		    const struct f2fs_new *spec, struct f2fs_inode **out);
/* Open an inode whose changes go by p->ways. */
int populate_open(struct populate *p, f2fs_nid_t ino, struct f2fs_inode **out);
/* A file is complete: store what waits of it, give back what that saved if it is wanted. */
int populate_compress_file(struct populate *p, struct f2fs_inode *inode);

/* ---- source/filter.c */

enum populate_choice { POPULATE_EXCLUDED, POPULATE_NOT_INCLUDED, POPULATE_WANTED };

/* Does a pattern match a path? Without a slash it is held against the last component. */
bool populate_matches(const char *pattern, const char *path);
void populate_chooser_init(struct populate_chooser *c, struct f2fs_context *ctx);
void populate_chooser_fini(struct populate_chooser *c);
/* What the patterns say of a path, which is changed meanwhile and begins with the same bytes as the one before. */
int populate_choose(const struct populate *p, struct populate_chooser *c, char *path, size_t same,
		    enum populate_choice *out);
/* The same for the item at hand. */
int populate_choose_item(struct populate *p, enum populate_choice *out);

/* ---- source/rules.c */

/* Read the lists that the options name. */
int populate_rules_open(struct populate *p);
void populate_rules_close(struct populate *p);
/* Change an item of that path, and its attributes, as rules, fs_config and file_contexts say. */
int populate_adjust(struct populate *p, const char *path, struct populate_item *item, struct vec *attributes);

/* ---- populate/total.c */

/* Count ahead what a directory holds, for the progress. Fails only with what ends the run as well. */
int populate_total(struct populate *p);

/* ---- sources */

int populate_host_open(struct populate *p, const char *directory);
int populate_tar_open(struct populate *p, const struct f2fs_input *input);
int populate_manifest_open(struct populate *p, const struct f2fs_input *input);

#endif
