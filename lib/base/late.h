/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Libraries that are loaded at their first use, so that a program which needs nothing of them starts without them, as
 * in an initramfs. A header late_NAME.h lists the functions that are used as LATE_NAME(F). Each is called through a
 * pointer, sym_FUNCTION, after late_NAME() returned true. A build with -Ddlopen=disabled links the libraries, and the
 * pointers lead to their functions from the start.
 */
#ifndef F2FSKIT_BASE_LATE_H
#define F2FSKIT_BASE_LATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "f2fskit_config.h"

#define LATE_DECLARE(function) extern __typeof__(function) *sym_##function;

#if HAVE_DLOPEN
#define LATE_DEFINE(function) __typeof__(function) *sym_##function;
#else
#define LATE_DEFINE(function) __typeof__(function) *sym_##function = function;
#endif

struct late_symbol {
	const char *name;
	void *pointer; /* to the sym_ pointer */
};

#define LATE_SYMBOL(function) { #function, (void *)&sym_##function },

/* Load a library and set the pointers. False: there is no such library, or it lacks one of the functions. */
bool late_load(const char *soname, const struct late_symbol *symbols, size_t count);

/* The note by which packagers find what the library loads (uapi-group.org, ELF dlopen metadata). */
#define LATE_NOTE(feature, purpose, soname) LATE_NOTE_NAMED(late_note, feature, purpose, soname)
#define LATE_NOTE_NAMED(note, feature, purpose, soname) \
	static const struct { \
		uint32_t name_size, text_size, type; \
		char name[4]; \
		_Alignas(4) char text[sizeof(LATE_TEXT(feature, purpose, soname))]; \
	} note __attribute__((used, section(".note.dlopen"), aligned(4))) = { \
		4, sizeof(LATE_TEXT(feature, purpose, soname)), 0x407c0c0a, "FDO", \
		LATE_TEXT(feature, purpose, soname), \
	}
#define LATE_TEXT(feature, purpose, soname) \
	"[{\"feature\":\"" feature "\",\"description\":\"" purpose "\",\"priority\":\"suggested\",\"soname\":[\"" \
	soname "\"]}]"

#endif
