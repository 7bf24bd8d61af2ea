/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source gives one item after the other, with its path below the source's top: a directory of the host, an archive, a
 * manifest or a volume. Its user does not know which. Parents may come late or not at all.
 */
#ifndef F2FSKIT_SOURCE_SOURCE_H
#define F2FSKIT_SOURCE_SOURCE_H

#include <f2fskit/populate.h>

#include "base/context.h"
#include "base/pattern_set.h"
#include "base/vec.h"
#include "source/filter.h"
#include "source/item.h"

struct source;

#define SOURCE_END 1

struct source_ops {
	/*
	 * Go to the next item and pass its path to source_set_path(). Returns 0, SOURCE_END, or an error. The user may
	 * continue after an error unless the source set is_broken.
	 */
	int (*next)(struct source *src, struct source_item *item);
	/* The item is wanted: make its contents, target and attributes (source_attribute_add) ready. NULL: they are. */
	int (*prepare)(struct source *src, struct source_item *item);
	/* Give the next piece of contents. */
	int (*read)(struct source *src, struct source_item *item, struct source_chunk *chunk);
	/* Give the contents of the current item again from their start. NULL: they can be read once. */
	void (*again)(struct source *src);
	/* Skip the contents of the directory given last. NULL: the source has nothing to do for that. */
	void (*skip)(struct source *src);
	void (*close)(struct source *src);
};

/* The tree to read. Pointers are the caller's and valid as long as the source. */
struct source_options {
	/* one of these; a manifest may have a directory of contents with it */
	struct f2fs_volume *volume;
	const char *directory;
	const struct f2fs_input *tar, *manifest;
	unsigned keep; /* enum f2fs_keep */
	const char *const *include, *const *exclude;
	unsigned include_count, exclude_count;
	const struct f2fs_populate_rule *rules;
	unsigned rule_count;
	const char *fs_config;
	const char *const *file_contexts;
	unsigned file_contexts_count;
	const char *mount_point; /* NULL: "/" */
	bool only_describes;	 /* a manifest without contents will do */
	bool needs_end;		 /* items missing in the source matter: it must be read to its end */
	bool gives_lengths;	 /* the bytes of contents do not matter, only how many there are */
	bool only_counts;	 /* contents are not asked for at all */
};

/* Calls to the user. Each returns 0 or an error that ends the run. */
struct source_events {
	/* A part of the current item cannot be read, for the error in the context; what: "" or the part. */
	int (*problem)(void *user, const char *what);
	/* The current item is a directory, and some of its entries cannot be read. */
	int (*unread)(void *user);
};

/*
 * Users of the current path. Paths are kept from one item to the next, and may be long, so each user only examines the
 * changed part: the source counts the leading bytes that are still those that each user saw last.
 */
enum source_follower { FOLLOW_PLACE, FOLLOW_CHOICE, FOLLOW_COUNT };

struct source {
	struct f2fs_context *ctx;
	struct source_options opt;
	const struct source_events *events;
	void *user; /* of events */
	const struct source_ops *ops;
	void *own;		       /* of ops */
	bool is_broken;		       /* the source cannot continue: the current error ends the run */
	bool may_repeat;	       /* the source may give a name twice: the later one replaces the earlier */
	struct f2fs_progress progress; /* in bytes of contents */
	char *buffer;		       /* SOURCE_BUFFER bytes, for ops */
	struct vec path;	   /* char: of the current item, NUL-terminated, no slash at either end; "": the top */
	size_t same[FOLLOW_COUNT]; /* by enum source_follower */
	struct source_chooser chosen; /* for path */
	struct pattern_set include;   /* of opt */
	struct pattern_set ruled;     /* of the rules in opt */
	struct vec attributes;	      /* of the current item: see source_attribute_add() */
	struct fs_config *fs_config;  /* NULL: none */
	struct contexts *contexts;    /* NULL: none */
	struct vec mounted;	      /* char: scratch */
};

#define SOURCE_BUFFER (1u << 20)

static inline const char *source_path(const struct source *src)
{
	return src->path.count ? src->path.items : "";
}

/* The last component of the path of the current item. */
static inline const char *source_name(const struct source *src)
{
	const char *path = source_path(src), *name = path + src->path.count;

	while (name > path && name[-1] != '/')
		name--;
	return name;
}

/* Report a problem with the current item; the error is in the context. Returns an error to end the run. */
static inline int source_problem(struct source *src, const char *what)
{
	return src->events->problem(src->user, what);
}

/* Begin with a source whose ctx, opt, events and user are set; source_fini() must follow, also on failure. */
int source_init(struct source *src);
/* Open the source that the options name. */
int source_open(struct source *src);
/* Close everything that was opened. It can be opened again. */
void source_close(struct source *src);
void source_fini(struct source *src);
/* That many bytes of contents were taken, or an item was: the host may want to know, and to stop. */
int source_progress(struct source *src, uint64_t bytes);

#endif
