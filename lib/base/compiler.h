/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hints to compilers beyond C11; empty for compilers that do not know them.
 */
#ifndef F2FSKIT_BASE_COMPILER_H
#define F2FSKIT_BASE_COMPILER_H

/* Argument f is a printf format, its arguments start at argument a (0: a va_list). */
#if defined(__GNUC__) && !defined(__clang__)
#define PRINTF_LIKE(f, a) __attribute__((format(gnu_printf, f, a))) /* on every host */
#elif defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF_LIKE(f, a)
#endif

#endif
