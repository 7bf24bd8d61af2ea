/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mark the output of libraries without MemorySanitizer as written. Each function here wraps one of a library, and
 * reports its results to the sanitizer. Linked into every program of the build of msan-test; no part of the project
 * otherwise.
 */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <lz4.h>
#include <lz4hc.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <sanitizer/msan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <utf8proc.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

/* The next library's function of this name. */
static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

/* `type name(parameters)` calls the library's with `arguments`; then `after` may use `result`. */
#define BEFORE(type, name, parameters, arguments, after)                  \
	type name parameters                                              \
	{                                                                 \
		static type(*real) parameters;                            \
		type result;                                              \
		if (!real)                                                \
			real = (type(*) parameters)next(#name);           \
		/* arguments of the library to the C library are no findings */ \
		__msan_scoped_disable_interceptor_checks();               \
		result = real arguments;                                  \
		__msan_scoped_enable_interceptor_checks();                \
		__msan_unpoison(&result, sizeof(result));                 \
		after;                                                    \
		return result;                                            \
	}

/* As many bytes of `to` as a signed or an unsigned result says. */
#define WRITTEN(to, count) \
	if ((count) > 0)   \
	__msan_unpoison(to, (size_t)(count))
#define STAT(st)         \
	if (result == 0) \
	__msan_unpoison(st, sizeof(*st))
#define TEXT(text)  \
	if (text)   \
	__msan_unpoison_string(text)

/* the C library, since the sanitizer of this clang knows these by older names */
BEFORE(int, stat, (const char *path, struct stat *st), (path, st), STAT(st))
BEFORE(int, lstat, (const char *path, struct stat *st), (path, st), STAT(st))
BEFORE(int, fstat, (int fd, struct stat *st), (fd, st), STAT(st))
BEFORE(int, fstatat, (int dir, const char *path, struct stat *st, int flags), (dir, path, st, flags), STAT(st))
BEFORE(int, stat64, (const char *path, struct stat64 *st), (path, st), STAT(st))
BEFORE(int, lstat64, (const char *path, struct stat64 *st), (path, st), STAT(st))
BEFORE(int, fstat64, (int fd, struct stat64 *st), (fd, st), STAT(st))
BEFORE(int, fstatat64, (int dir, const char *path, struct stat64 *st, int flags), (dir, path, st, flags), STAT(st))

/* zlib: a stream's output is before next_out */
BEFORE(int, inflate, (z_streamp s, int flush), (s, flush),
       (__msan_unpoison(s, sizeof(*s)), __msan_unpoison(s->next_out - s->total_out, s->total_out)))
BEFORE(int, deflate, (z_streamp s, int flush), (s, flush),
       (__msan_unpoison(s, sizeof(*s)), __msan_unpoison(s->next_out - s->total_out, s->total_out)))
BEFORE(int, gzread, (gzFile file, voidp to, unsigned n), (file, to, n), WRITTEN(to, result))
BEFORE(int, uncompress, (Bytef * to, uLongf *n, const Bytef *from, uLong length), (to, n, from, length),
       (__msan_unpoison(n, sizeof(*n)), __msan_unpoison(to, *n)))
BEFORE(int, compress2, (Bytef * to, uLongf *n, const Bytef *from, uLong length, int level),
       (to, n, from, length, level), (__msan_unpoison(n, sizeof(*n)), __msan_unpoison(to, *n)))

/* liblz4, libzstd */
BEFORE(int, LZ4_decompress_safe, (const char *from, char *to, int length, int room), (from, to, length, room),
       WRITTEN(to, result))
BEFORE(int, LZ4_compress_fast_extState, (void *work, const char *from, char *to, int length, int room, int speed),
       (work, from, to, length, room, speed), WRITTEN(to, result))
BEFORE(int, LZ4_compress_HC_extStateHC, (void *work, const char *from, char *to, int length, int room, int level),
       (work, from, to, length, room, level), WRITTEN(to, result))
BEFORE(size_t, ZSTD_compress2, (ZSTD_CCtx * work, void *to, size_t room, const void *from, size_t length),
       (work, to, room, from, length), if (result <= room) WRITTEN(to, result))
BEFORE(size_t, ZSTD_decompressDCtx, (ZSTD_DCtx * work, void *to, size_t room, const void *from, size_t length),
       (work, to, room, from, length), if (result <= room) WRITTEN(to, result))
BEFORE(ZSTD_bounds, ZSTD_cParam_getBounds, (ZSTD_cParameter which), (which), )

/* libcrypto */
static __thread unsigned digest_size; /* where nobody asks for it */
BEFORE(int, EVP_CipherUpdate, (EVP_CIPHER_CTX * work, unsigned char *to, int *n, const unsigned char *from, int length),
       (work, to, n, from, length), (__msan_unpoison(n, sizeof(*n)), __msan_unpoison(to, (size_t)*n)))
BEFORE(int, EVP_DigestFinal_ex, (EVP_MD_CTX * work, unsigned char *to, unsigned *n), (work, to, n ? n : &digest_size),
       __msan_unpoison(n ? n : &digest_size, sizeof(*n)); __msan_unpoison(to, n ? *n : digest_size))
BEFORE(int, EVP_KDF_derive, (EVP_KDF_CTX * work, unsigned char *to, size_t n, const OSSL_PARAM params[]),
       (work, to, n, params), __msan_unpoison(to, n))
BEFORE(EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX * from, const char *name, const char *query), (from, name, query), )
BEFORE(EVP_CIPHER *, EVP_CIPHER_fetch, (OSSL_LIB_CTX * from, const char *name, const char *query),
       (from, name, query), )
BEFORE(EVP_KDF *, EVP_KDF_fetch, (OSSL_LIB_CTX * from, const char *name, const char *query), (from, name, query), )
BEFORE(int, RAND_bytes, (unsigned char *to, int n), (to, n), __msan_unpoison(to, (size_t)n))
BEFORE(OSSL_PARAM, OSSL_PARAM_construct_int, (const char *key, int *value), (key, value), )
BEFORE(OSSL_PARAM, OSSL_PARAM_construct_utf8_string, (const char *key, char *text, size_t n), (key, text, n), )
BEFORE(OSSL_PARAM, OSSL_PARAM_construct_octet_string, (const char *key, void *bytes, size_t n), (key, bytes, n), )
BEFORE(OSSL_PARAM, OSSL_PARAM_construct_end, (void), (), )

/* libutf8proc */
BEFORE(utf8proc_ssize_t, utf8proc_decompose_char,
       (utf8proc_int32_t cp, utf8proc_int32_t *to, utf8proc_ssize_t room, utf8proc_option_t options, int *last),
       (cp, to, room, options, last),
       if (last) __msan_unpoison(last, sizeof(*last));
       WRITTEN(to, (result < room ? result : room) * (utf8proc_ssize_t)sizeof(*to)))

/* libarchive: its results, and its arguments to our callbacks */
BEFORE(const char *, archive_entry_pathname, (struct archive_entry * e), (e), TEXT(result))
BEFORE(const char *, archive_entry_hardlink, (struct archive_entry * e), (e), TEXT(result))
BEFORE(const char *, archive_entry_symlink, (struct archive_entry * e), (e), TEXT(result))
BEFORE(const char *, archive_entry_fflags_text, (struct archive_entry * e), (e), TEXT(result))
BEFORE(const char *, archive_error_string, (struct archive * a), (a), TEXT(result))
BEFORE(int, archive_entry_xattr_next, (struct archive_entry * e, const char **name, const void **value, size_t *n),
       (e, name, value, n),
       (__msan_unpoison(name, sizeof(*name)), __msan_unpoison(value, sizeof(*value)), __msan_unpoison(n, sizeof(*n)));
       TEXT(*name); if (*value) __msan_unpoison(*value, *n))
BEFORE(int, archive_entry_acl_next,
       (struct archive_entry * e, int want, int *type, int *permset, int *tag, int *id, const char **name),
       (e, want, type, permset, tag, id, name),
       (__msan_unpoison(type, sizeof(*type)), __msan_unpoison(permset, sizeof(*permset)),
	__msan_unpoison(tag, sizeof(*tag)), __msan_unpoison(id, sizeof(*id)), __msan_unpoison(name, sizeof(*name)));
       TEXT(*name))
BEFORE(int, archive_read_data_block, (struct archive * a, const void **data, size_t *n, la_int64_t *at),
       (a, data, n, at),
       (__msan_unpoison(data, sizeof(*data)), __msan_unpoison(n, sizeof(*n)), __msan_unpoison(at, sizeof(*at)));
       if (result == ARCHIVE_OK) __msan_unpoison(*data, *n))
BEFORE(int, archive_read_next_header, (struct archive * a, struct archive_entry **e), (a, e),
       __msan_unpoison(e, sizeof(*e)))

/* One writing archive of a thread at a time is all that there is. */
static __thread archive_write_callback *to_call;

static la_ssize_t tell_written(struct archive *a, void *user, const void *data, size_t n)
{
	__msan_unpoison(&a, sizeof(a));
	__msan_unpoison(&user, sizeof(user));
	__msan_unpoison(&data, sizeof(data));
	__msan_unpoison(&n, sizeof(n));
	__msan_unpoison(data, n);
	return to_call(a, user, data, n);
}

int archive_write_open(struct archive *a, void *user, archive_open_callback *opener, archive_write_callback *writer,
		       archive_close_callback *closer)
{
	static int (*real)(struct archive *, void *, archive_open_callback *, archive_write_callback *,
			   archive_close_callback *);

	if (!real)
		real = (int (*)(struct archive *, void *, archive_open_callback *, archive_write_callback *,
				archive_close_callback *))next("archive_write_open");
	to_call = writer;
	return real(a, user, opener, tell_written, closer);
}
