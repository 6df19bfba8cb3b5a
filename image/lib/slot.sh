# shellcheck shell=bash disable=SC2034,SC2154  # its variables are those of image/build
# For: one root slot as a file: ext4, its tree of check sums (dm-verity), and the trailer. Sourced by image/build.
#
# The check sums guard against worn cards and half writes. They do not guard against somebody with the card: the root
# hash stands beside what it protects.

readonly slot_mib=256

make_slot() { # ROOT FILE
    local root=$1 file=$2 kib blocks hash_offset hash salt
    # A twentieth more than the files, in whole MiB: the file system is never written to.
    kib=$(du --summarize --apparent-size --block-size=1K "$root" | cut -f1)
    local inodes
    inodes=$(find "$root" | wc -l)
    blocks=$(((kib + inodes * 3 + kib / 20 + 4096) / 1024 * 256))
    rm -f "$file"
    truncate -s $((blocks * 4096)) "$file"
    E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH "${MKE2FS[@]}" -q -t ext4 -b 4096 -m 0 -N $((inodes + 64)) -L root \
        -O ^has_journal,^metadata_csum,^64bit,^orphan_file,^metadata_csum_seed,^resize_inode \
        -U 686f7761-6c61-4261-8d69-6e67726f6f74 -E \
        "hash_seed=686f7761-6c61-4261-8d69-6e6768736564,lazy_itable_init=0,nodiscard,root_owner=0:0" -d "$root" "$file"
    hash_offset=$((blocks * 4096))
    salt=$(printf 'howalarming %s %s' "$board" "$version" | sha256sum | cut -d' ' -f1)
    hash=$(veritysetup format --no-superblock --data-blocks="$blocks" --hash-offset="$hash_offset" --salt="$salt" \
        --uuid=686f7761-6c61-4261-8d69-6e6776657269 "$file" "$file" | sed -n 's/^Root hash:[[:space:]]*//p')
    [[ ${#hash} == 64 ]] || die 1 "the check sums of the slot could not be made"
    truncate -s %4096 "$file"
    "$here/lib/slot-trailer" "$file" "board=$board" "version=$version" "data_blocks=$blocks" "hash_offset=$hash_offset" \
        "root_hash=$hash" "salt=$salt"
    (($(stat -c %s "$file") <= slot_mib * 1048576)) ||
        die 1 "the slot has $(($(stat -c %s "$file") / 1048576)) MiB; there is room for $slot_mib"
}
