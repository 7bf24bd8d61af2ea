/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices: byte storage under a volume. Each is a struct f2fs_device: a file, a block device, memory, an Android sparse
 * file, a window of a partitioned disk, several devices in a row, the host's own operations, or a layer over another
 * device (cache, overlay, recorder, fault injector).
 *
 * Devices are reference-counted. A layer keeps its own reference to the device below it, so the caller may close its
 * handle at any time.
 */
#ifndef F2FSKIT_DEVICE_H
#define F2FSKIT_DEVICE_H

#include <f2fskit/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_device;

/* Return value of a device operation that failed in a system call; the device layer turns it into F2FS_ERR_IO (or
 * NOMEM, NOSPC, ACCESS, BUSY, READ_ONLY) with the host's text. */
#define F2FS_SYS_ERROR(posix_errno) (-4096 - (posix_errno))

/* Abilities of a device. */
enum f2fs_device_cap {
	F2FS_DEVICE_WRITE = 1,		/* may be written */
	F2FS_DEVICE_PARALLEL = 2,	/* read may be called from several threads at once */
	F2FS_DEVICE_BLOCK = 4,		/* a block device of the host */
	F2FS_DEVICE_DISCARD = 8,	/* discard does something */
	F2FS_DEVICE_ZONED = 16,		/* zone operations work; sequential zones exist */
	F2FS_DEVICE_ZEROED = 32,	/* never-written bytes read as zeros (a new sparse file, memory) */
	F2FS_DEVICE_PARALLEL_WRITE = 64 /* write may be called from several threads, too, for ranges that do not
					 * overlap, and during reads of other ranges */
};

/* Size and abilities of a device. */
struct f2fs_device_info {
	uint64_t size;	       /* bytes */
	uint64_t zone_bytes;   /* zone size, 0 when not zoned */
	uint64_t start_sector; /* start within its disk in 512-byte sectors, 0 for whole disks and files */
	uint32_t sector_size;  /* logical sector, bytes; 512 for files */
	uint32_t caps;	       /* enum f2fs_device_cap */
};

/* A buffer, as struct iovec of readv(2). */
struct f2fs_iovec {
	void *base;    /* start of the buffer */
	size_t length; /* bytes */
};

/* Types of zones, as of the kernel's struct blk_zone. */
enum f2fs_zone_type { F2FS_ZONE_CONVENTIONAL = 1, F2FS_ZONE_SEQUENTIAL = 2, F2FS_ZONE_SEQUENTIAL_PREFERRED = 3 };

/* A zone of a zoned device. */
struct f2fs_zone {
	uint64_t start;		/* byte offset */
	uint64_t length;	/* bytes */
	uint64_t capacity;	/* usable bytes from start, <= length */
	uint64_t write_pointer; /* byte offset of the next write; start when empty */
	uint8_t type;		/* enum f2fs_zone_type */
	uint8_t empty;		/* nothing is written */
	uint8_t full;		/* nothing more can be written */
	uint8_t reserved;	/* 0 */
};

/*
 * Operations of a device. Each returns 0, a negative enum f2fs_error, or F2FS_SYS_ERROR(errno). Ranges are checked by
 * the device layer before a call: offset + length <= size always holds. Only read is required. An operation that is
 * NULL is refused (write), emulated (zero by writes), or ignored (discard, flush). Operations must not touch the
 * context unless they are called on the context's thread (never for read of a PARALLEL device and write of a
 * PARALLEL_WRITE one). zero and discard may return F2FS_ERR_UNSUPPORTED for a range that they cannot handle. It is then
 * emulated or ignored.
 */
struct f2fs_device_ops {
	uint32_t struct_size; /* F2FS_SIZED */
	/* read into count buffers, one after the other; required */
	int (*read)(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
	/* write from count buffers. NULL: the device is read-only */
	int (*write)(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
	/* make a range read as zeros. NULL: zeros are written */
	int (*zero)(void *self, uint64_t offset, uint64_t length);
	/* the range is no longer needed (TRIM). NULL: ignored */
	int (*discard)(void *self, uint64_t offset, uint64_t length);
	int (*flush)(void *self); /* make all writes so far durable. NULL: nothing to do */
	/* find the run of bytes of one kind at offset: *length = its length (> 0), *is_hole = reads as zeros and
	 * takes no space. NULL: everything is data. */
	int (*extent)(void *self, uint64_t offset, uint64_t *length, int *is_hole);
	/* report up to count zones from zone index first; *found = number of zones filled */
	int (*zones)(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found);
	int (*zone_reset)(void *self, uint64_t offset);	 /* empty the zone at a byte offset */
	int (*zone_finish)(void *self, uint64_t offset); /* fill the zone at a byte offset */
	void (*close)(void *self);			 /* called with the last reference; may be NULL */
};

/* Flags of the openers. */
enum f2fs_device_flag {
	F2FS_OPEN_READ = 0,
	F2FS_OPEN_WRITE = 1, /* writable */
	/* Refuse a block device that is mounted or otherwise in use, or a file in use by a loop device. Without WRITE
	 * refuse only one that is mounted for writing. */
	F2FS_OPEN_EXCLUSIVE = 2,
	F2FS_OPEN_CREATE = 4, /* f2fs_device_create: do not fail when the file exists */
	/* Take no lock. Without this flag a writer holds a lock until the device is closed: an advisory lock on a file,
	 * the host's claim on a block device. A second writer, in this process or another, is refused with BUSY. So is
	 * a reader with EXCLUSIVE as long as there is a writer. */
	F2FS_OPEN_NO_LOCK = 8
};

/*
 * Open a device of the host's operations. ops is copied, each operation gets self, and close(self) runs with the last
 * reference. Fails with INVALID (no read; writable without write; zones without their operations), TOO_BIG, NOMEM.
 */
F2FS_API int f2fs_device_open_custom(struct f2fs_context *ctx, const struct f2fs_device_ops *ops, void *self,
				     const struct f2fs_device_info *info, struct f2fs_device **out);
/* Open a file or block device of the host. Fails with NOT_FOUND, ACCESS, BUSY (the message names the user), IO. */
F2FS_API int f2fs_device_open(struct f2fs_context *ctx, const char *path, unsigned flags, struct f2fs_device **out);
/*
 * Does the descriptor belong to a file or block device that a device of this context has open? A loop device counts as
 * its backing file. 1 or 0. For hosts that write files of their own: the image must not be overwritten while it is in
 * use.
 */
F2FS_API int f2fs_device_is_open(const struct f2fs_context *ctx, int fd);
/* Kinds of signatures. */
enum f2fs_signature_kind {
	F2FS_SIGNATURE_OTHER = 0,
	F2FS_SIGNATURE_FILE_SYSTEM = 1,
	F2FS_SIGNATURE_SWAP = 2,
	F2FS_SIGNATURE_CRYPTO = 3, /* LUKS, BitLocker */
	F2FS_SIGNATURE_LVM = 4,
	F2FS_SIGNATURE_RAID = 5,
	F2FS_SIGNATURE_PARTITIONS = 6, /* partition table, Android's dynamic partitions */
	F2FS_SIGNATURE_VERIFIED = 7    /* Android Verified Boot, dm-verity */
};

/* Result of f2fs_device_signature; begin it with F2FS_SIZED. */
struct f2fs_signature {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t kind;	      /* enum f2fs_signature_kind */
	uint64_t offset;      /* byte where the signature is */
	char type[32];	      /* libblkid's name of the type where it has one: "ext4", "crypto_LUKS", "dos" */
	char label[128];      /* printable; empty: none */
	char uuid[64];	      /* empty: none */
	char what[256];	      /* a phrase: "a file system (ext4, label 'root')" */
};

/*
 * Find the signature on a device: of a file system (F2FS included), swap space, an encrypted volume, LVM, RAID, a
 * partition table or metadata of verified boot. Asks libblkid, if built in, and then f2fskit's own table. Reads at most
 * 4 MiB at the start and 1 MiB at the end. NOT_FOUND: no known signature.
 */
F2FS_API int f2fs_device_signature(struct f2fs_device *dev, struct f2fs_signature *out);
/*
 * Create a file of the host of size bytes, all holes, writable. With F2FS_OPEN_CREATE an existing file gets that size.
 * Fails with EXISTS, NOT_FOUND (a directory on the way), ACCESS, BUSY, NOSPC, IO, NOMEM.
 */
F2FS_API int f2fs_device_create(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags,
				struct f2fs_device **out);
/*
 * Open a file or block device as f2fs_device_open() does, and unpack its contents: an Android sparse file, a zstd file
 * in the seekable format, or the one within the other. The first part of a split image (image.001, image.aa, or the
 * sparse file userdata_1.img) is joined with the parts after it. Unpacked and joined contents are read-only. Fails as
 * f2fs_device_open(), with READ_ONLY (a packed file and F2FS_OPEN_WRITE), UNSUPPORTED (parts and F2FS_OPEN_WRITE),
 * INVALID (a part is missing or incomplete) and CORRUPT (a damaged packed file).
 */
F2FS_API int f2fs_device_open_image(struct f2fs_context *ctx, const char *path, unsigned flags,
				    struct f2fs_device **out);
/*
 * Open a device of size bytes in memory. Bytes read as zeros, and take memory once they are written. Fails with NOMEM,
 * TOO_BIG.
 */
F2FS_API int f2fs_device_open_memory(struct f2fs_context *ctx, uint64_t size, struct f2fs_device **out);
/*
 * Open a memory device with the contents of another one. Each changes on its own. They share pages until one is
 * written, so a fork takes constant time. Fails with INVALID (no memory device), NOMEM.
 */
F2FS_API int f2fs_device_fork_memory(struct f2fs_device *memory, struct f2fs_device **out);
/*
 * Open the contents of an Android sparse file that inner holds, read-only. Each chunk header is read once; memory is at
 * most 16 MiB. Fails with CORRUPT (rule SPARSE_HEADER or SPARSE_CHUNK), IO, NOMEM.
 */
F2FS_API int f2fs_device_open_sparse(struct f2fs_device *inner, struct f2fs_device **out);
/*
 * Write the contents of dev as an Android sparse file in blocks of block_size bytes (512 to 1 MiB, a multiple of 4; 0:
 * 4096) to sink, which gets the file's bytes in order and returns 0, a negative enum f2fs_error, or
 * F2FS_SYS_ERROR(errno). Holes become "don't care" chunks, blocks of one repeated 32-bit value "fill" chunks. dev is
 * read twice, holes are not read. A size that is no multiple of block_size is filled up with zeros.
 */
F2FS_API int f2fs_device_save_sparse(struct f2fs_device *dev, uint32_t block_size,
				     int (*sink)(void *user, const void *bytes, size_t length), void *user);
/*
 * Open the contents of a zstd file in the seekable format, read in place; read-only. Memory: 16 bytes for each frame
 * and the 16 most recently read frames. Opening reads the table at the file's end. Fails with CORRUPT (rule ZSTD_TABLE:
 * no table, or one that does not fit the file; frames above 16 MiB), UNSUPPORTED (built without zstd). A frame that
 * cannot be unpacked fails with IO when it is read.
 */
F2FS_API int f2fs_device_open_zstd(struct f2fs_device *inner, struct f2fs_device **out);

/*
 * Write the contents of dev as an Android sparse file within such a zstd file, in frames of 256 KiB with checksums:
 * `zstd -d` makes a sparse file of it, f2fs_device_open_image() reads it as it is. block_size as in
 * f2fs_device_save_sparse(), dev is read once. level: of zstd, 0 for 3. note: text at the start of the file, in a frame
 * that decoders skip; NULL for none. Fails with UNSUPPORTED (built without zstd), INVALID (no such level), NOMEM, and
 * as sink does.
 */
F2FS_API int f2fs_device_save_zstd(struct f2fs_device *dev, uint32_t block_size, int level, const char *note,
				   int (*sink)(void *user, const void *bytes, size_t length), void *user);
/* Open the window [offset, offset + length) of inner, in bytes; length 0: up to its end. Fails with RANGE, NOMEM. */
F2FS_API int f2fs_device_open_slice(struct f2fs_device *inner, uint64_t offset, uint64_t length,
				    struct f2fs_device **out);
/* Return the byte of the file, container or disk below at which the device begins: not 0 for a partition. */
F2FS_API uint64_t f2fs_device_offset(const struct f2fs_device *dev);

/* A range of a device, for f2fs_device_open_multi(). */
struct f2fs_device_part {
	struct f2fs_device *device; /* the caller keeps its own reference */
	uint64_t offset;	    /* first byte of the device that is used */
	uint64_t length;	    /* bytes used */
};
/*
 * Open count devices, or parts of them, one after the other as one. parts is copied, and a reference to each device is
 * taken. Fails with INVALID (none, or sizes that do not fit), RANGE (a part beyond its device), TOO_BIG, NOMEM.
 */
F2FS_API int f2fs_device_open_multi(struct f2fs_context *ctx, const struct f2fs_device_part *parts, unsigned count,
				    struct f2fs_device **out);
/*
 * Open a layer that holds all writes back. inner does not change until f2fs_device_overlay_apply(). Writes go to
 * memory, beyond memory_limit bytes (0: 64 MiB) to an unnamed temporary file in spill_dir. With spill_dir NULL writes
 * beyond the limit fail with NOMEM. Memory holds 8 bytes for each 4 KiB of the file. Discards are ignored; zones start
 * in the state that inner's have. Fails with NOMEM.
 */
F2FS_API int f2fs_device_open_overlay(struct f2fs_device *inner, uint64_t memory_limit, const char *spill_dir,
				      struct f2fs_device **out);
/*
 * Write the overlay's changes to inner, in ascending order, flush, and drop them from the overlay. After a failure the
 * overlay still has them all and can be applied again. Fails with UNSUPPORTED (a zoned device), READ_ONLY, IO, NOSPC.
 */
F2FS_API int f2fs_device_overlay_apply(struct f2fs_device *overlay);
/*
 * Call visit for each changed range (whole pages of 4 KiB) in ascending order; visit must not change the overlay.
 * Returns 0, or the first value of visit that is not 0, which ends the walk. Fails with INVALID (no overlay).
 */
F2FS_API int f2fs_device_overlay_changes(struct f2fs_device *overlay,
					 int (*visit)(void *user, uint64_t offset, uint64_t length), void *user);
/*
 * Options of f2fs_device_open_zoned(): zones over a device that has none; begin it with F2FS_SIZED. The first
 * `conventional` ones take writes anywhere. The others take them only at their write pointer, up to `capacity` bytes
 * (0: all). A write elsewhere fails with IO, as does one that opens too many zones (open_zones), and a reset wipes the
 * zone. At first they are empty, or full (is_full). Write pointers are lost when the device is closed.
 */
struct f2fs_zone_options {
	uint32_t struct_size;  /* F2FS_SIZED */
	uint64_t zone_bytes;   /* size of a zone */
	uint64_t capacity;     /* usable bytes of a zone; 0: all */
	uint32_t conventional; /* zones at the start that take writes anywhere */
	uint8_t is_full;       /* the others are full at first, not empty */
	uint32_t open_zones;   /* zones that may be written in part at a time; 0: any number */
};
/*
 * Open inner with the zones described by options. Fails with INVALID (sizes that are no multiple of 512, a capacity
 * above zone_bytes, an inner device with zones), NOMEM.
 */
F2FS_API int f2fs_device_open_zoned(struct f2fs_device *inner, const struct f2fs_zone_options *options,
				    struct f2fs_device **out);
/*
 * Open a read cache with read-ahead over inner; writes go through. budget: bytes of memory in all, 0: 32 MiB. Fails
 * with NOMEM.
 */
F2FS_API int f2fs_device_open_cache(struct f2fs_device *inner, uint64_t budget, struct f2fs_device **out);

/*
 * Open a layer that saves the old contents of each block of inner to log before the block is overwritten for the first
 * time. Writes, zeros and discards reach inner once their record in log is durable. log is an undo file as
 * f2fs_undo_create() makes it, or any writable device (its old contents are lost). Closing seals the file. When that
 * fails the context logs an error, and the file can be played back by force only. A write whose old contents cannot be
 * read or saved fails and changes nothing. Fails with NOSPC when log is full, UNSUPPORTED on zoned devices.
 */
F2FS_API int f2fs_device_open_undo(struct f2fs_device *inner, struct f2fs_device *log, struct f2fs_device **out);
/*
 * Create an undo file of the host for the old contents of target. Only its owner can read it. It has its largest
 * possible size at first, all holes. Closing the recording cuts it to its length. Fails with EXISTS, ACCESS, NOSPC, IO,
 * NOMEM.
 */
F2FS_API int f2fs_undo_create(struct f2fs_device *target, const char *path, struct f2fs_device **log);
/* Result of playing an undo file back; begin it with F2FS_SIZED. */
struct f2fs_undo_info {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t device_size; /* bytes of the device it was made for, set after a failure, too; 0: not known */
	uint64_t records;     /* pieces put back */
	uint64_t bytes;	      /* their length */
	int is_sealed;	      /* the recording was closed; otherwise it was cut short and a torn last piece was left
			       * out */
	uint64_t left;	      /* not sealed: pieces after an unreadable one, not put back; see f2fs_undo_play() */
};
/*
 * Undo: give target the bytes that it had before the recording in log began, and flush it. info may be NULL.
 *
 * Everything is verified before anything is written. Fails with INVALID (not an undo file), CORRUPT (damaged), or
 * STATE. STATE means that the file was made for another device, or that the device has changed since the recording. It
 * also means that the recording was cut short, as then its last writes to the device are not known.
 *
 * force: play back also when the device has changed or the recording was cut short. It must still be the device that
 * the file was made for. Later changes of the same blocks are lost. Pieces after an unreadable one are left out
 * (info->left). If the cut tore that piece, the pieces after it were never overwritten on the device. If it was damaged
 * later, their old contents are lost. A power cut during playback does no harm: play back again.
 */
F2FS_API int f2fs_undo_play(struct f2fs_device *log, struct f2fs_device *target, int force,
			    struct f2fs_undo_info *info);
/*
 * Record over all devices of a volume, the first one first, in one new file at path. out[i] takes the place of
 * devices[i], and the file is sealed when all of them are closed. count: 1 to F2FS_MAX_DEVICES. When nothing was
 * changed, the file is removed. Fails with INVALID (count), and as f2fs_undo_create() and f2fs_device_open_undo().
 */
F2FS_API int f2fs_undo_record(struct f2fs_device *const *devices, unsigned count, const char *path,
			      struct f2fs_device **out);
/*
 * Play a file of f2fs_undo_record() back to the devices, given in the same order. Fails as f2fs_undo_play(), with STATE
 * also when they are others, or in another order.
 */
F2FS_API int f2fs_undo_restore(struct f2fs_device *log, struct f2fs_device *const *targets, unsigned count, int force,
			       struct f2fs_undo_info *info);

/* Kinds of recorded operations. */
enum f2fs_record_kind { F2FS_RECORD_WRITE = 1, F2FS_RECORD_ZERO = 2, F2FS_RECORD_DISCARD = 3, F2FS_RECORD_FLUSH = 4 };
/* One recorded operation of a recorder device, in order. */
struct f2fs_record {
	int kind;	     /* enum f2fs_record_kind */
	uint64_t offset;     /* bytes */
	uint64_t length;     /* bytes */
	const uint8_t *data; /* bytes written; NULL except for writes; valid as long as the device */
};
/*
 * Open a layer that passes everything to inner and keeps each write, zero, discard and flush in memory. Fails with
 * NOMEM.
 */
F2FS_API int f2fs_device_open_recorder(struct f2fs_device *inner, struct f2fs_device **out);
/* Return the number of operations that a recorder has kept; 0 for other devices. */
F2FS_API uint64_t f2fs_device_record_count(const struct f2fs_device *recorder);
/* Get operation number index, from 0. Fails with INVALID (no recorder), RANGE. */
F2FS_API int f2fs_device_record_at(const struct f2fs_device *recorder, uint64_t index, struct f2fs_record *out);
/* Drop all operations recorded so far. */
F2FS_API void f2fs_device_record_clear(struct f2fs_device *recorder);

/*
 * Open a layer that reports each read of inner to seen, one at a time, after it has succeeded or failed. seen must not
 * call the library, and user must last until the device is closed. Everything else is passed to inner. Fails with
 * NOMEM.
 */
F2FS_API int f2fs_device_open_watch(struct f2fs_device *inner,
				    void (*seen)(void *user, uint64_t offset, uint64_t length, int failed), void *user,
				    struct f2fs_device **out);

/* Rule of a fault injector. Zero the struct first. Counters count operations of the kind since the rule was set. */
struct f2fs_fault_rule {
	uint64_t fail_read;  /* fail the n-th read, 1-based; 0: none */
	uint64_t fail_write; /* fail the n-th write (zero and discard count as writes) */
	uint64_t fail_flush; /* fail the n-th flush */
	uint64_t bad_offset; /* reads and writes that touch [bad_offset, bad_offset + bad_length) fail */
	uint64_t bad_length; /* bytes; 0: none fails */
	int sticky;	     /* from the first failure on every operation of that kind fails */
	int torn;	     /* a failing write leaves its first half (whole 512-byte sectors) written */
};
/* Open a layer that fails by the rule of f2fs_device_fault_set(); it begins without a rule. Fails with NOMEM. */
F2FS_API int f2fs_device_open_fault(struct f2fs_device *inner, struct f2fs_device **out);
/* Set the rule of a fault injector, which is copied, and reset its counters. */
F2FS_API void f2fs_device_fault_set(struct f2fs_device *fault, const struct f2fs_fault_rule *rule);
/* Numbers of operations since the rule was set. */
F2FS_API void f2fs_device_fault_counts(const struct f2fs_device *fault, uint64_t *reads, uint64_t *writes,
				       uint64_t *flushes);

/* Take a further reference, which f2fs_device_close() releases. Returns the device. */
F2FS_API struct f2fs_device *f2fs_device_ref(struct f2fs_device *dev);
/* Release a reference to a device; the last one closes it. NULL is allowed. */
F2FS_API void f2fs_device_close(struct f2fs_device *dev);

/* Return a device's size, sectors, zones and abilities. The struct belongs to the device. */
F2FS_API const struct f2fs_device_info *f2fs_device_info(const struct f2fs_device *dev);
/* Return how many zones of a device may be written in part at a time; 0: any number, or not known. */
F2FS_API uint32_t f2fs_device_open_zones(const struct f2fs_device *dev);
/*
 * Read length bytes at a byte offset. Fails with RANGE (beyond the end), IO, or the error of the host's operation.
 * After a failure part of the buffer may be filled.
 */
F2FS_API int f2fs_device_read(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length);
/*
 * Write length bytes at a byte offset. Fails with RANGE (beyond the end), READ_ONLY, NOSPC, IO, or the error of the
 * host's operation.
 */
F2FS_API int f2fs_device_write(struct f2fs_device *dev, uint64_t offset, const void *buffer, size_t length);
/* Read as f2fs_device_read() does, into count buffers one after the other. Fails with the same errors. */
F2FS_API int f2fs_device_readv(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
/* Write as f2fs_device_write() does, from count buffers one after the other. Fails with the same errors. */
F2FS_API int f2fs_device_writev(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
/* Make length bytes at a byte offset read as zeros, by holes where that is possible. Fails as f2fs_device_write(). */
F2FS_API int f2fs_device_zero(struct f2fs_device *dev, uint64_t offset, uint64_t length);
/*
 * Discard (TRIM) length bytes at a byte offset: they are no longer needed, and may read as anything. A device that
 * cannot discard does nothing. Fails with RANGE, READ_ONLY, IO.
 */
F2FS_API int f2fs_device_discard(struct f2fs_device *dev, uint64_t offset, uint64_t length);
/* Make all writes so far durable. Fails with IO. */
F2FS_API int f2fs_device_flush(struct f2fs_device *dev);
/*
 * Find out whether there is a hole at a byte offset. *is_hole: 1 if so; *length: bytes from offset on of which the same
 * holds. Devices that do not know report no hole up to their end. Fails with RANGE, IO.
 */
F2FS_API int f2fs_device_extent(struct f2fs_device *dev, uint64_t offset, uint64_t *length, int *is_hole);
/*
 * Get up to count zones, from zone number first on; *found gets their number. Fails with UNSUPPORTED (a
 * device without zones), RANGE, IO.
 */
F2FS_API int f2fs_device_zones(struct f2fs_device *dev, uint64_t first, struct f2fs_zone *zones, unsigned count,
			       unsigned *found);
/* Empty the zone at a byte offset. Fails with UNSUPPORTED (a device without zones), READ_ONLY, RANGE, IO. */
F2FS_API int f2fs_device_zone_reset(struct f2fs_device *dev, uint64_t offset);
/* Fill the zone at a byte offset, so that nothing more is written to it. Fails as f2fs_device_zone_reset(). */
F2FS_API int f2fs_device_zone_finish(struct f2fs_device *dev, uint64_t offset);

#ifdef __cplusplus
}
#endif
#endif
