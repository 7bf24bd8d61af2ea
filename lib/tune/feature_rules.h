/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Features that can be turned on and off later: their table features.def, and the needs of inodes.
 */
#ifndef F2FSKIT_TUNE_FEATURE_RULES_H
#define F2FSKIT_TUNE_FEATURE_RULES_H

#include <f2fskit/label.h>
#include <stdbool.h>

/* Is one of these features among them? */
static inline bool turns(uint32_t features, uint32_t feature)
{
	return (features & feature) != 0;
}

/* The name of a feature; "?" for an unknown one. */
const char *feature_name(uint32_t feature);
/*
 * Complete and judge wishes by the table alone: *on and *off are the features that change, with those that others need.
 * Fails with INVALID, UNSUPPORTED.
 */
int feature_rules_plan(struct f2fs_context *ctx, uint32_t now, const struct f2fs_features_options *o, uint32_t *on,
		       uint32_t *off);
/* The first of these features that an inode needs; 0: it needs none. */
uint32_t feature_needed(uint32_t features, const uint8_t *inode);
/* Do inodes decide whether these features can be off? */
bool feature_is_for_inodes(uint32_t features);

bool inode_has_extra_attr(const uint8_t *inode);
/* Words for attributes that an inode has without flexible_inline_xattr. */
uint32_t inode_usual_xattr_words(const uint8_t *inode);
bool inode_has_other_xattr_words(const uint8_t *inode);

#endif
