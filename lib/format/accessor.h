/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Typed accessors generated from a structure's field table: for SCALAR(U32, magic, ..) of prefix sb
 *     uint32_t sb_magic(const uint8_t *raw);  void sb_set_magic(uint8_t *raw, uint32_t value);
 * arrays take an index in front of the value, BYTES give a pointer: sb_uuid(raw), sb_uuid_w(raw). And the offset is
 * a constant: SB's enum { sb_OFS_magic }. structs.h includes each table with ACCESSOR_PREFIX set to its prefix.
 */
#ifndef F2FSKIT_FORMAT_ACCESSOR_H
#define F2FSKIT_FORMAT_ACCESSOR_H

#include "base/bytes.h"

#define TYPE_U8 uint8_t
#define TYPE_U16 uint16_t
#define TYPE_U32 uint32_t
#define TYPE_U64 uint64_t
#define TYPE_S64 int64_t
#define LOAD_U8(p) (*(p))
#define LOAD_U16(p) get_le16(p)
#define LOAD_U32(p) get_le32(p)
#define LOAD_U64(p) get_le64(p)
#define LOAD_S64(p) ((int64_t)get_le64(p))
#define STORE_U8(p, v) (*(p) = (v))
#define STORE_U16(p, v) put_le16(p, v)
#define STORE_U32(p, v) put_le32(p, v)
#define STORE_U64(p, v) put_le64(p, v)
#define STORE_S64(p, v) put_le64(p, (uint64_t)(v))
#define WIDTH_U8 1u
#define WIDTH_U16 2u
#define WIDTH_U32 4u
#define WIDTH_U64 8u
#define WIDTH_S64 8u

/* The prefix is a macro itself: it is expanded here, before it becomes a part of names. */
#define ACCESS_SCALAR(pre, type, name, off) MAKE_SCALAR(pre, type, name, off)
#define ACCESS_ARRAY(pre, type, name, off, n) MAKE_ARRAY(pre, type, name, off, n)
#define ACCESS_BYTES(pre, name, off, n) MAKE_BYTES(pre, name, off, n)

#define MAKE_SCALAR(pre, type, name, off)                                                                            \
	enum { pre##_OFS_##name = (off) };                                                                             \
	static inline TYPE_##type pre##_##name(const uint8_t *raw)                                                     \
	{                                                                                                              \
		return LOAD_##type(raw + (off));                                                                       \
	}                                                                                                              \
	static inline void pre##_set_##name(uint8_t *raw, TYPE_##type value)                                           \
	{                                                                                                              \
		STORE_##type(raw + (off), value);                                                                      \
	}
#define MAKE_ARRAY(pre, type, name, off, n)                                                                          \
	enum { pre##_OFS_##name = (off), pre##_COUNT_##name = (n) };                                                   \
	static inline TYPE_##type pre##_##name(const uint8_t *raw, unsigned i)                                         \
	{                                                                                                              \
		return LOAD_##type(raw + (off) + i * WIDTH_##type);                                                    \
	}                                                                                                              \
	static inline void pre##_set_##name(uint8_t *raw, unsigned i, TYPE_##type value)                               \
	{                                                                                                              \
		STORE_##type(raw + (off) + i * WIDTH_##type, value);                                                   \
	}
#define MAKE_BYTES(pre, name, off, n)                                                                                \
	enum { pre##_OFS_##name = (off), pre##_SIZE_##name = (n) };                                                    \
	static inline const uint8_t *pre##_##name(const uint8_t *raw)                                                  \
	{                                                                                                              \
		return raw + (off);                                                                                    \
	}                                                                                                              \
	static inline uint8_t *pre##_##name##_w(uint8_t *raw)                                                          \
	{                                                                                                              \
		return raw + (off);                                                                                    \
	}

#endif
