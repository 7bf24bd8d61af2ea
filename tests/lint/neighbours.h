/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stand-in for the headers of our neighbours: declares each name that f2fs_fs.h of f2fs-tools (1.15, and its sources of
 * May 2026) and <linux/f2fs.h> define, and nothing else of them. neighbours.py includes it before and after ours.
 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

/* structs */
struct blk_zone_report_v2 {
	int member;
};
struct blk_zone_v2 {
	int member;
};
struct compress_ctx {
	int member;
};
struct compress_data {
	int member;
};
struct device_info {
	int member;
};
struct direct_node {
	int member;
};
struct f2fs_checkpoint {
	int member;
};
struct f2fs_comp_option {
	int member;
};
struct f2fs_compr_blk_cnt {
	int member;
};
struct f2fs_configuration {
	int member;
};
struct f2fs_defragment {
	int member;
};
struct f2fs_dentry_block {
	int member;
};
struct f2fs_device {
	int member;
};
struct f2fs_dir_entry {
	int member;
};
struct f2fs_extent {
	int member;
};
struct f2fs_extra_info {
	int member;
};
struct f2fs_flush_device {
	int member;
};
struct f2fs_gc_range {
	int member;
};
struct f2fs_inode {
	int member;
};
struct f2fs_journal {
	int member;
};
struct f2fs_move_range {
	int member;
};
struct f2fs_nat_block {
	int member;
};
struct f2fs_nat_entry {
	int member;
};
struct f2fs_nls_ops {
	int member;
};
struct f2fs_nls_table {
	int member;
};
struct f2fs_node {
	int member;
};
struct f2fs_orphan_block {
	int member;
};
struct f2fs_sectrim_range {
	int member;
};
struct f2fs_sit_block {
	int member;
};
struct f2fs_sit_entry {
	int member;
};
struct f2fs_summary {
	int member;
};
struct f2fs_summary_block {
	int member;
};
struct f2fs_super_block {
	int member;
};
struct feature {
	int member;
};
struct indirect_node {
	int member;
};
struct nat_journal {
	int member;
};
struct nat_journal_entry {
	int member;
};
struct node_footer {
	int member;
};
struct sit_journal {
	int member;
};
struct sit_journal_entry {
	int member;
};
struct summary_footer {
	int member;
};

/* enums */
enum FILE_TYPE { NEIGHBOUR_OF_FILE_TYPE };
enum compress_algorithms { NEIGHBOUR_OF_compress_algorithms };
enum default_set { NEIGHBOUR_OF_default_set };
enum f2fs_config_func { NEIGHBOUR_OF_f2fs_config_func };
enum filter_policy { NEIGHBOUR_OF_filter_policy };

/* enumerators */
enum {
	COLD_BIT_SHIFT,
	COMPR_FILTER_ALLOW,
	COMPR_FILTER_DENY,
	COMPR_FILTER_UNASSIGNED,
	COMPR_LZ4,
	COMPR_LZO,
	CONF_ANDROID,
	CONF_NONE,
	CURSEG_COLD_DATA,
	CURSEG_COLD_NODE,
	CURSEG_HOT_DATA,
	CURSEG_HOT_NODE,
	CURSEG_WARM_DATA,
	CURSEG_WARM_NODE,
	DEFRAG,
	DENT_BIT_SHIFT,
	DUMP,
	F2FS_FT_BLKDEV,
	F2FS_FT_CHRDEV,
	F2FS_FT_DIR,
	F2FS_FT_FIFO,
	F2FS_FT_LAST_FILE_TYPE,
	F2FS_FT_MAX,
	F2FS_FT_ORPHAN,
	F2FS_FT_REG_FILE,
	F2FS_FT_SOCK,
	F2FS_FT_SYMLINK,
	F2FS_FT_UNKNOWN,
	F2FS_FT_XATTR,
	FSCK,
	FSYNC_BIT_SHIFT,
	LABEL,
	LFS,
	MAX_COMPRESS_ALGS,
	MKFS,
	NAT_JOURNAL,
	NO_CHECK_TYPE,
	OFFSET_BIT_SHIFT,
	RESIZE,
	SIT_JOURNAL,
	SLOAD,
	SSR,
};

/* types */
typedef int block_t;
typedef int f2fs_hash_t;
typedef int nid_t;
typedef int pgoff_t;
typedef int umode_t;

/* functions */
int addrs_per_block(void);
int addrs_per_inode(void);
int blk_zone_cond_str(void);
int blk_zone_type_str(void);
int bswap_16(void);
int bswap_32(void);
int bswap_64(void);
int calc_extra_isize(void);
int dcache_init(void);
int dcache_release(void);
int dev_fill(void);
int dev_fill_block(void);
int dev_read(void);
int dev_read_block(void);
int dev_read_version(void);
int dev_reada_block(void);
int dev_readahead(void);
int dev_write(void);
int dev_write_block(void);
int dev_write_dump(void);
int exist_qf_ino(void);
int f2fs_cal_crc32(void);
int f2fs_check_zones(void);
int f2fs_checkpoint_chksum(void);
int f2fs_clear_bit(void);
int f2fs_crc_valid(void);
int f2fs_dev_is_umounted(void);
int f2fs_dev_is_writable(void);
int f2fs_devs_are_umounted(void);
int f2fs_encoding2str(void);
int f2fs_finalize_device(void);
int f2fs_fsync_device(void);
int f2fs_get_device_info(void);
int f2fs_get_encoding_flags(void);
int f2fs_get_f2fs_info(void);
int f2fs_get_usable_segments(void);
int f2fs_get_zone_blocks(void);
int f2fs_get_zoned_model(void);
int f2fs_has_extra_isize(void);
int f2fs_init_configuration(void);
int f2fs_init_qf_inode(void);
int f2fs_init_sparse_file(void);
int f2fs_inode_chksum(void);
int f2fs_load_nls_table(void);
int f2fs_max_file_offset(void);
int f2fs_release_sparse_resource(void);
int f2fs_report_zone(void);
int f2fs_report_zones(void);
int f2fs_reset_zones(void);
int f2fs_set_bit(void);
int f2fs_str2encoding(void);
int f2fs_str2encoding_flags(void);
int f2fs_test_bit(void);
int feature_map(void);
int find_next_bit_le(void);
int find_next_zero_bit_le(void);
int get_best_overprovision(void);
int get_bits_in_byte(void);
int get_cp_crc(void);
int get_device_info(void);
int get_inline_xattr_addrs(void);
int get_kernel_uname_version(void);
int get_kernel_version(void);
int is_qf_ino(void);
int log_base_2(void);
int parse_feature(void);
int parse_root_owner(void);
int set_feature_bits(void);
int show_version(void);
int test_and_clear_bit_le(void);
int test_and_set_bit_le(void);
int test_bit_le(void);
int utf16_to_utf8(void);
int utf8_to_utf16(void);
int write_inode(void);

/* macros with arguments */
#define ADDRS_PER_BLOCK(...) 1
#define ADDRS_PER_INODE(...) 1
#define ALIGN(...) 1
#define ALIGN_DOWN(...) 1
#define ALIGN_UP(...) 1
#define ASSERT(...) 1
#define ASSERT_MSG(...) 1
#define BIT_MASK(...) 1
#define BIT_WORD(...) 1
#define BUF_DISP_u32(...) 1
#define BUF_DISP_u64(...) 1
#define BUF_DISP_utf(...) 1
#define CUR_ADDRS_PER_INODE(...) 1
#define DBG(...) 1
#define DISP(...) 1
#define DISP_u16(...) 1
#define DISP_u32(...) 1
#define DISP_u64(...) 1
#define DISP_utf(...) 1
#define ERR_MSG(...) 1
#define F2FS_BLK_ALIGN(...) 1
#define F2FS_BYTES_TO_BLK(...) 1
#define F2FS_META_INO(...) 1
#define F2FS_NODE_INO(...) 1
#define F2FS_ROOT_INO(...) 1
#define FIX_MSG(...) 1
#define GET_DENTRY_SLOTS(...) 1
#define GET_SIT_TYPE(...) 1
#define GET_SIT_VBLOCKS(...) 1
#define GET_SUM_TYPE(...) 1
#define INLINE_DENTRY_BITMAP_SIZE(...) 1
#define INLINE_RESERVED_SIZE(...) 1
#define IS_CASEFOLDED(...) 1
#define LINUX_S_ISREG(...) 1
#define MAX_INLINE_DATA(...) 1
#define MSG(...) 1
#define NAT_BLOCK_OFFSET(...) 1
#define NR_INLINE_DENTRY(...) 1
#define QUOTA_DATA(...) 1
#define QUOTA_INO(...) 1
#define SEG_ALIGN(...) 1
#define SET_SUM_TYPE(...) 1
#define SIZE_ALIGN(...) 1
#define UNUSED(...) 1
#define ZONE_ALIGN(...) 1
#define be32_to_cpu(...) 1
#define blk_zone_capacity(...) 1
#define blk_zone_cond(...) 1
#define blk_zone_conv(...) 1
#define blk_zone_empty(...) 1
#define blk_zone_length(...) 1
#define blk_zone_need_reset(...) 1
#define blk_zone_non_seq(...) 1
#define blk_zone_sector(...) 1
#define blk_zone_seq(...) 1
#define blk_zone_seq_pref(...) 1
#define blk_zone_seq_req(...) 1
#define blk_zone_type(...) 1
#define blk_zone_wp_sector(...) 1
#define cpu_to_le16(...) 1
#define cpu_to_le32(...) 1
#define cpu_to_le64(...) 1
#define file_enc_name(...) 1
#define file_is_encrypt(...) 1
#define get_cp(...) 1
#define get_cp_le16(...) 1
#define get_cp_le32(...) 1
#define get_cp_le64(...) 1
#define get_extra_isize(...) 1
#define get_newsb(...) 1
#define get_newsb_le16(...) 1
#define get_newsb_le32(...) 1
#define get_newsb_le64(...) 1
#define get_sb(...) 1
#define get_sb_le16(...) 1
#define get_sb_le32(...) 1
#define get_sb_le64(...) 1
#define le16_to_cpu(...) 1
#define le32_to_cpu(...) 1
#define le64_to_cpu(...) 1
#define max(...) 1
#define min(...) 1
#define round_down(...) 1
#define round_up(...) 1
#define set_cp(...) 1
#define set_cp_le16(...) 1
#define set_cp_le32(...) 1
#define set_cp_le64(...) 1
#define set_sb(...) 1
#define set_sb_le16(...) 1
#define set_sb_le32(...) 1
#define set_sb_le64(...) 1
#define typecheck(...) 1

/* macros without */
#define BITS_PER_BYTE 1
#define BITS_PER_LONG 1
#define BLK_ZONE_REP_CAPACITY 1
#define CHEADER_PGOFS_NONE 1
#define CHECKSUM_OFFSET 1
#define COMPRESS_ADDR 1
#define COMPRESS_DATA_RESERVED_SIZE 1
#define COMPRESS_HEADER_SIZE 1
#define CP_BITMAP_OFFSET 1
#define CP_CHKSUM_OFFSET 1
#define CP_COMPACT_SUM_FLAG 1
#define CP_CRC_RECOVERY_FLAG 1
#define CP_DISABLED_FLAG 1
#define CP_ERROR_FLAG 1
#define CP_FASTBOOT_FLAG 1
#define CP_FSCK_FLAG 1
#define CP_LARGE_NAT_BITMAP_FLAG 1
#define CP_MIN_CHKSUM_OFFSET 1
#define CP_NAT_BITS_FLAG 1
#define CP_NOCRC_RECOVERY_FLAG 1
#define CP_ORPHAN_PRESENT_FLAG 1
#define CP_QUOTA_NEED_FSCK_FLAG 1
#define CP_RESIZEFS_FLAG 1
#define CP_TRIMMED_FLAG 1
#define CP_UMOUNT_FLAG 1
#define DEFAULT_BLOCKS_PER_SEGMENT 1
#define DEFAULT_INLINE_XATTR_ADDRS 1
#define DEFAULT_NAT_ENTRY_RATIO 1
#define DEFAULT_SECTORS_PER_BLOCK 1
#define DEFAULT_SECTOR_SIZE 1
#define DEFAULT_SEGMENTS_PER_SECTION 1
#define DEF_ADDRS_PER_BLOCK 1
#define DEF_ADDRS_PER_INODE 1
#define DEF_ADDRS_PER_INODE_INLINE_XATTR 1
#define DEF_DIR_LEVEL 1
#define DEF_INLINE_RESERVED_SIZE 1
#define DEF_MAX_INLINE_DATA 1
#define ENTRIES_IN_SUM 1
#define EXTRA_INFO_RESERVED 1
#define F2FS_BLKSIZE 1
#define F2FS_BLKSIZE_BITS 1
#define F2FS_CASEFOLD_FL 1
#define F2FS_COMPRESS_RELEASED 1
#define F2FS_COMPR_FL 1
#define F2FS_CP_PACKS 1
#define F2FS_DATA_EXIST 1
#define F2FS_DDOT_HASH 1
#define F2FS_DEF_PROJID 1
#define F2FS_DOT_HASH 1
#define F2FS_ENC_STRICT_MODE_FL 1
#define F2FS_ENC_UTF8_12_0 1
#define F2FS_ENC_UTF8_12_1 1
#define F2FS_EXTENSION_LEN 1
#define F2FS_EXTRA_ATTR 1
#define F2FS_EXTRA_ISIZE_OFFSET 1
#define F2FS_FEATURE_ATOMIC_WRITE 1
#define F2FS_FEATURE_BLKZONED 1
#define F2FS_FEATURE_CASEFOLD 1
#define F2FS_FEATURE_COMPRESSION 1
#define F2FS_FEATURE_ENCRYPT 1
#define F2FS_FEATURE_EXTRA_ATTR 1
#define F2FS_FEATURE_FLEXIBLE_INLINE_XATTR 1
#define F2FS_FEATURE_INODE_CHKSUM 1
#define F2FS_FEATURE_INODE_CRTIME 1
#define F2FS_FEATURE_LOST_FOUND 1
#define F2FS_FEATURE_PRJQUOTA 1
#define F2FS_FEATURE_QUOTA_INO 1
#define F2FS_FEATURE_RO 1
#define F2FS_FEATURE_SB_CHKSUM 1
#define F2FS_FEATURE_VERITY 1
#define F2FS_GOING_DOWN_FULLSYNC 1
#define F2FS_GOING_DOWN_METAFLUSH 1
#define F2FS_GOING_DOWN_METASYNC 1
#define F2FS_GOING_DOWN_NEED_FSCK 1
#define F2FS_GOING_DOWN_NOSYNC 1
#define F2FS_HASH_COL_BIT 1
#define F2FS_INLINE_DATA 1
#define F2FS_INLINE_DENTRY 1
#define F2FS_INLINE_DOTS 1
#define F2FS_INLINE_XATTR 1
#define F2FS_INLINE_XATTR_ADDRS 1
#define F2FS_IOCTL_MAGIC 1
#define F2FS_IOC_ABORT_ATOMIC_WRITE 1
#define F2FS_IOC_COMMIT_ATOMIC_WRITE 1
#define F2FS_IOC_COMPRESS_FILE 1
#define F2FS_IOC_DECOMPRESS_FILE 1
#define F2FS_IOC_DEFRAGMENT 1
#define F2FS_IOC_FLUSH_DEVICE 1
#define F2FS_IOC_GARBAGE_COLLECT 1
#define F2FS_IOC_GARBAGE_COLLECT_RANGE 1
#define F2FS_IOC_GET_COMPRESS_BLOCKS 1
#define F2FS_IOC_GET_COMPRESS_OPTION 1
#define F2FS_IOC_GET_FEATURES 1
#define F2FS_IOC_GET_PIN_FILE 1
#define F2FS_IOC_MOVE_RANGE 1
#define F2FS_IOC_PRECACHE_EXTENTS 1
#define F2FS_IOC_RELEASE_COMPRESS_BLOCKS 1
#define F2FS_IOC_RELEASE_VOLATILE_WRITE 1
#define F2FS_IOC_RESERVE_COMPRESS_BLOCKS 1
#define F2FS_IOC_RESIZE_FS 1
#define F2FS_IOC_SEC_TRIM_FILE 1
#define F2FS_IOC_SET_COMPRESS_OPTION 1
#define F2FS_IOC_SET_PIN_FILE 1
#define F2FS_IOC_SHUTDOWN 1
#define F2FS_IOC_START_ATOMIC_WRITE 1
#define F2FS_IOC_START_VOLATILE_WRITE 1
#define F2FS_IOC_WRITE_CHECKPOINT 1
#define F2FS_MAX_EXTENSION 1
#define F2FS_MAX_HASH 1
#define F2FS_MAX_LOG_SECTOR_SIZE 1
#define F2FS_MAX_QUOTAS 1
#define F2FS_MAX_SEGMENT 1
#define F2FS_MIN_LOG_SECTOR_SIZE 1
#define F2FS_MIN_SEGMENT 1
#define F2FS_MIN_SEGMENTS 1
#define F2FS_NAME_LEN 1
#define F2FS_NUMBER_OF_CHECKPOINT_PACK 1
#define F2FS_ORPHANS_PER_BLOCK 1
#define F2FS_PIN_FILE 1
#define F2FS_PRINT_NAMELEN 1
#define F2FS_SLOT_LEN 1
#define F2FS_SLOT_LEN_BITS 1
#define F2FS_SUPER_MAGIC 1
#define F2FS_SUPER_OFFSET 1
#define F2FS_TOTAL_EXTRA_ATTR_SIZE 1
#define F2FS_TRIM_FILE_DISCARD 1
#define F2FS_TRIM_FILE_MASK 1
#define F2FS_TRIM_FILE_ZEROOUT 1
#define F2FS_ZONED_HA 1
#define F2FS_ZONED_HM 1
#define F2FS_ZONED_NONE 1
#define FADVISE_COLD_BIT 1
#define FADVISE_ENCRYPT_BIT 1
#define FADVISE_ENC_NAME_BIT 1
#define FADVISE_HOT_BIT 1
#define FADVISE_KEEP_SIZE_BIT 1
#define FADVISE_LOST_PINO_BIT 1
#define FADVISE_VERITY_BIT 1
#define FS_IMMUTABLE_FL 1
#define GFP_F2FS_ZERO 1
#define INIT_FEATURE_TABLE 1
#define INLINE_DATA_OFFSET 1
#define LINUX_S_IFMT 1
#define LINUX_S_IFREG 1
#define LPF 1
#define MAX_ACTIVE_DATA_LOGS 1
#define MAX_ACTIVE_LOGS 1
#define MAX_ACTIVE_NODE_LOGS 1
#define MAX_BITMAP_SIZE_IN_CKPT 1
#define MAX_COMPRESS_LOG_SIZE 1
#define MAX_DEVICES 1
#define MAX_DIR_BUCKETS 1
#define MAX_DIR_HASH_DEPTH 1
#define MAX_PATH_LEN 1
#define MAX_SIT_BITMAP_SIZE 1
#define MAX_SIT_BITMAP_SIZE_IN_CKPT 1
#define MAX_VOLUME_NAME 1
#define MIN_COMPRESS_LOG_SIZE 1
#define MIN_INLINE_DENTRY_SIZE 1
#define MIN_NAT_BITMAP_SIZE 1
#define NAT_ENTRY_PER_BLOCK 1
#define NAT_JOURNAL_ENTRIES 1
#define NAT_JOURNAL_RESERVED 1
#define NEW_ADDR 1
#define NIDS_PER_BLOCK 1
#define NODE_DIND_BLOCK 1
#define NODE_DIR1_BLOCK 1
#define NODE_DIR2_BLOCK 1
#define NODE_IND1_BLOCK 1
#define NODE_IND2_BLOCK 1
#define NR_CURSEG_DATA_TYPE 1
#define NR_CURSEG_NODE_TYPE 1
#define NR_CURSEG_TYPE 1
#define NR_DENTRY_IN_BLOCK 1
#define NULL_ADDR 1
#define NULL_SEGNO 1
#define PAGE_CACHE_SIZE 1
#define PAGE_SIZE 1
#define SB_CHKSUM_OFFSET 1
#define SECTOR_SHIFT 1
#define SIT_ENTRY_PER_BLOCK 1
#define SIT_JOURNAL_ENTRIES 1
#define SIT_JOURNAL_RESERVED 1
#define SIT_VBLOCKS_MASK 1
#define SIT_VBLOCKS_SHIFT 1
#define SIT_VBLOCK_MAP_SIZE 1
#define SIZE_OF_DENTRY_BITMAP 1
#define SIZE_OF_DIR_ENTRY 1
#define SIZE_OF_RESERVED 1
#define SUMMARY_SIZE 1
#define SUM_ENTRIES_SIZE 1
#define SUM_FOOTER_SIZE 1
#define SUM_JOURNAL_SIZE 1
#define SUM_TYPE_DATA 1
#define SUM_TYPE_NODE 1
#define VERSION_LEN 1
#define VERSION_NAME_LEN 1
#define VERSION_TIMESTAMP_LEN 1
#define WITH_ANDROID 1
#define WITH_DEFRAG 1
#define WITH_DUMP 1
#define WITH_LABEL 1
#define WITH_RESIZE 1
#define WITH_SLOAD 1
#define XATTR_NODE_OFFSET 1
#define blk_zone 1
#define blk_zone_report 1
#define fallthrough 1

#endif
