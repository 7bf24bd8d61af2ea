/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of POSIX for Windows. The headers of this folder come before those of the C library, which lacks most of these
 * calls and gives others another form. A call keeps its name in C, and has one of its own for the linker: a program
 * that links the library keeps the calls of its C library.
 */
#ifndef F2FSKIT_HOST_WINDOWS_POSIX_NAME_H
#define F2FSKIT_HOST_WINDOWS_POSIX_NAME_H

#define POSIX_NAME(name) __asm__("f2fskit_posix_" #name)

#endif
