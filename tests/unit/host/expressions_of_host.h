/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The judge of regular expressions: those of the C library.
 */
#ifndef F2FSKIT_TESTS_EXPRESSIONS_OF_HOST_H
#define F2FSKIT_TESTS_EXPRESSIONS_OF_HOST_H

/* 1: the text matches, 0: it does not, -1: the pattern does not compile. */
int host_expression_matches(const char *pattern, const char *text);

#endif
