# shellcheck shell=bash disable=SC2034,SC2154  # its variables are those of image/build
# For: the whole card: what the board starts from, the owner's partition, two slots, data. Sourced by image/build.
#
#   0–16 MiB  boot programs of some boards (8 KiB on), the two copies of the slot state (12 MiB and 8 MiB)
#   p1        FAT, 64 MiB: howalarming.yaml, the boot program, and the web app's folder app/ if there is one, for the owner alone
#   p2, p3    slots A and B
#   p4        data; grown to the end of the card when it first starts

readonly fat_mib=64 data_mib=32

copy_to() { dd if="$1" of="$image" bs=1M seek="$2" conv=notrunc,sparse status=none; }

# The web app's folder, which must be as its list says, signed with a key of this image if it has any that signs more than
# offers.
checked_app() { # ARGUMENT…
    local key keys=()
    for key in "$here"/keys/*.pub ${test_key:+"$test_key"}; do
        [[ ! -e $key || ${key##*/} == offer-* ]] || keys+=(--public-key "$key")
    done
    "$project/tools/lib/app-folder" --check "$app" ${keys[@]+"${keys[@]}"} "$@" || die 1 "the web app of --app cannot go on the card"
}

make_fat() { # DIR FILE
    same_times "$1"
    rm -f "$2"
    truncate -s ${fat_mib}M "$2"
    mkfs.vfat -F 32 -s 1 -n HOWALARMING -i 48574c41 --invariant "$2" >/dev/null
    (cd "$1" && find . -mindepth 1 -type d | sort | while read -r name; do mmd -i "$2" "::$name" || exit 1; done &&
        find . -type f | sort | while read -r name; do mcopy -m -i "$2" "$name" "::$name" || exit 1; done) ||
        die 1 "the owner's partition could not be filled; it has room for $fat_mib MiB"
}

make_data() { # FILE
    local tree=$work/data
    mkdir -p "$tree"/{howalarming,config,system,log,lost+found}
    # The numbers of rootfs/etc/passwd.
    chown 900:900 "$tree/howalarming" && chmod 0700 "$tree/howalarming" "$tree/lost+found"
    chown 0:900 "$tree/config" && chmod 0750 "$tree/config"
    same_times "$tree"
    rmdir "$tree/lost+found"
    rm -f "$1"
    truncate -s ${data_mib}M "$1"
    # 2048 inodes for each 128 MiB that the partition grows by: 5000 pictures and more fit on a card of 1 GB. The kernel
    # writes the tables at the first start, and with the usual number they take half a gigabyte of a card of 32 GB.
    E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH "${MKE2FS[@]}" -q -t ext4 -b 4096 -i 16384 -L data -J size=4 \
        -U 686f7761-6c61-4261-8d69-6e6764617461 -E \
        "hash_seed=686f7761-6c61-4261-8d69-6e6768736564,lazy_itable_init=0,lazy_journal_init=0,nodiscard,root_owner=0:0,resize=16777216" \
        -d "$tree" "$1"
}

make_card() { # SLOT IMAGE
    local slot=$1 image=$2 fat=$work/fat name
    mkdir -p "$fat"
    cp "$work/root/usr/lib/howalarming/boot/"* "$fat/"
    cp "$project/howalarming.example.yaml" "$fat/howalarming.yaml"
    [[ -z $app ]] || checked_app --copy "$fat/app"
    make_fat "$fat" "$work/fat.img"
    make_data "$work/data.img"
    rm -f "$image"
    truncate -s $((16 + fat_mib + 2 * slot_mib + data_mib))M "$image"
    sfdisk -q "$image" <<P
label: dos
label-id: 0x48574c41
unit: sectors
start=32768, size=$((fat_mib * 2048)), type=c, bootable
start=$(((16 + fat_mib) * 2048)), size=$((slot_mib * 2048)), type=83
start=$(((16 + fat_mib + slot_mib) * 2048)), size=$((slot_mib * 2048)), type=83
start=$(((16 + fat_mib + 2 * slot_mib) * 2048)), size=$((data_mib * 2048)), type=83
P
    [[ -z ${first_stage-} ]] ||
        dd if="$work/boards/$first_stage" of="$image" bs=1K seek=8 conv=notrunc status=none
    copy_to "$work/fat.img" 16
    # The same software in both: from the first day on there is something to fall back to.
    for name in $((16 + fat_mib)) $((16 + fat_mib + slot_mib)); do
        head -c -4096 "$slot" | dd of="$image" bs=1M seek="$name" conv=notrunc,sparse iflag=fullblock status=none
        tail -c 4096 "$slot" |
            dd of="$image" bs=4096 seek=$(((name + slot_mib) * 256 - 1)) conv=notrunc status=none
    done
    copy_to "$work/data.img" $((16 + fat_mib + 2 * slot_mib))
}

sizes() { # ROOT SLOT IMAGE
    printf 'root tree: %d MB\nslot: %d MB of %d\nimage: %d MB\nkernel: %d MB, initial RAM disk: %d MB, program: %d MB\n' \
        "$(($(du -s --apparent-size --block-size=1 "$1" | cut -f1) / 1000000))" $(($(stat -c %s "$2") / 1000000)) \
        $((slot_mib * 1048576 / 1000000)) $(($(stat -c %s "$3") / 1000000)) \
        $(($(stat -c %s "$1/boot/vmlinuz") / 1000000)) $(($(stat -c %s "$1/boot/initrd.img") / 1000000)) \
        $(($(stat -c %s "$1/usr/bin/howalarming") / 1000000))
}
