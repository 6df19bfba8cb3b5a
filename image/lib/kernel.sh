# shellcheck shell=bash disable=SC2034,SC2154  # its variables are those of image/build
# For: the kernel, the modules that small boards and modems need, and the initial RAM disk. Sourced by image/build.

kernel_name() { sed -n 's/^linux-image-\([0-9][^:]*\):arm64 .*/\1/p' "$lock"; }

add_kernel() { # ROOT UNPACKED
    local root=$1 from=$2 name tree
    name=$(kernel_name)
    mkdir -p "$from" "$root/boot"
    unpack "linux-image-$name:arm64" "$from"
    [[ -e $from/usr/lib/modules/$name ]] || { mkdir -p "$from/usr/lib" && mv "$from/lib/modules" "$from/usr/lib/modules"; }
    depmod --basedir "$from/usr" "$name" 2>/dev/null || depmod --basedir "$from" "$name"
    (cat "$here/modules" && printf '%s\n' ${more_modules-}) >"$work/modules"
    "$here/lib/choose-modules" "$from/usr/lib/modules/$name" "$root/usr/lib/modules/$name" "$work/modules"
    depmod --basedir "$root" "$name"
    if [[ -n $other_kernel ]]; then
        gzip -9nc "$other_kernel" >"$root/boot/vmlinuz"
    else
        gzip -9nc "$from/boot/vmlinuz-$name" >"$root/boot/vmlinuz"
    fi
    # In their makers' directories: the boot program names them so.
    for tree in ${device_trees-}; do
        mkdir -p "$root/boot/dtb/${tree%/*}"
        # shellcheck disable=SC2086  # patterns
        cp "$from/usr/lib/linux-image-$name/"$tree "$root/boot/dtb/${tree%/*}/"
    done
}

# The slot's own part of the start, with the checksums of what it starts; the boot program checks that of the script.
add_slot_script() { # ROOT
    "$here/lib/slot-checksums" "$1/boot" >"$work/slot.cmd"
    cat "$here/slot.cmd" >>"$work/slot.cmd"
    boot_script "$work/slot.cmd" "$1/boot/slot.scr"
}

# The files that the board starts from: on the owner's partition, and in the slot, which puts them there when an update
# brings others.
add_boot_files() { # ROOT
    local into=$1/usr/lib/howalarming/boot package
    mkdir -p "$into"
    for package in "${board_packages[@]}"; do
        mkdir -p "$work/boards/$package"
        unpack "$(grep -o "^$package:[a-z0-9]*" "$lock")" "$work/boards/$package"
    done
    boot_script "$here/boot.cmd" "$into/boot.scr"
    boot_script "$here/slot.cmd" "$into/slot.scr"
    board_files "$into"
    (cd "$into" && sha256sum -- * >"$work/boot.sums" && mv "$work/boot.sums" boot.sums && chmod 0644 -- *)
}

boot_script() { # FILE SCRIPT
    mkimage -A arm64 -O linux -T script -C none -n HowAlarming -d "$1" "$2" >/dev/null
}

make_initrd() { # UNPACKED FILE
    local from=$1 file=$2 tree=$work/initrd name program library
    name=$(kernel_name)
    mkdir -p "$tree"/{dev,proc,sys,run,newroot} "$tree"/usr/{bin,sbin,lib/aarch64-linux-gnu}
    for program in bin sbin lib; do ln -s "usr/$program" "$tree/$program"; done
    cp "$work/root/usr/bin/busybox" "$tree/usr/bin/busybox"
    cp "$work/root/usr/sbin/dmsetup" "$tree/usr/sbin/dmsetup"
    for library in libdevmapper.so.1.02.1 libselinux.so.1 libudev.so.1 libpcre2-8.so.0 libcap.so.2 libm.so.6 libc.so.6 libpthread.so.0; do
        cp -L "$work/root/usr/lib/aarch64-linux-gnu/$library" "$tree/usr/lib/aarch64-linux-gnu/"
    done
    cp -L "$work/root/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1" "$tree/usr/lib/ld-linux-aarch64.so.1"
    for program in sh mount umount mkdir cat sleep switch_root chroot sort xargs grep sed echo ls reboot dd hexdump tr cut \
        blockdev printf expr find dmesg mknod; do
        ln -s busybox "$tree/usr/bin/$program"
    done
    # The kernel asks for exactly this path when a file system needs a checksum.
    ln -s ../bin/busybox "$tree/usr/sbin/modprobe"
    "$here/lib/choose-modules" --unpacked "$from/usr/lib/modules/$name" "$tree/usr/lib/modules/$name" "$here/initrd/modules"
    depmod --basedir "$tree" "$name"
    install -m 0755 "$here/initrd/init" "$tree/init"
    chown -R 0:0 "$tree"
    same_times "$tree"
    (cd "$tree" && find . -mindepth 1 | sort | cpio --quiet --reproducible --create --format newc) | zstd -19 -q -T1 >"$file"
}
