# shellcheck shell=bash disable=SC2034,SC2154  # its variables are those of image/build
# For: the root file system as a directory. Sourced by image/build.

# What nobody on the box reads, and what only packaging needs.
readonly left_out=(
    './usr/share/doc/*' './usr/share/man/*' './usr/share/info/*' './usr/share/locale/*' './usr/share/i18n/*'
    './usr/share/lintian/*' './usr/share/bug/*' './usr/share/bash-completion/*' './usr/share/zsh/*'
    './usr/share/fish/*' './usr/share/gtk-doc/*' './usr/share/vala/*' './usr/share/gir-1.0/*' './usr/share/perl*'
    './usr/share/initramfs-tools/*' './usr/share/alsa/*' './usr/share/X11/*'
    './usr/share/zoneinfo/right/*' './usr/share/zoneinfo/posix/*' './usr/lib/udev/hwdb.d/*'
    './usr/lib/init/*' './etc/init.d/*' './etc/default/*' './etc/cron*' './etc/logrotate.d/*' './var/*'
    './usr/lib/aarch64-linux-gnu/gconv/*' './usr/lib/aarch64-linux-gnu/perl*' './usr/lib/terminfo/*'
)

# Programs that an appliance without a shell for people has no use for, and that would be one more thing to attack.
readonly removed=(
    usr/bin/{chfn,chsh,newgrp,su,mesg,wall,write,script,scriptlive,scriptreplay,last,pkexec,nsenter,unshare,setpriv}
    usr/sbin/{agetty,sulogin,e2scrub,e2scrub_all,mkfs.minix,mkfs.bfs,mkfs.cramfs,fsck.minix,fsck.cramfs}
    usr/sbin/{debugfs,e4crypt,e4defrag,e2freefrag,filefrag}
    usr/lib/systemd/system-generators/{systemd-gpt-auto-generator,systemd-hibernate-resume-generator}
)

host_tools() {
    local package host libraries loader
    host=$(dpkg --print-architecture)
    case $host in
    amd64) libraries=x86_64-linux-gnu loader=ld-linux-x86-64.so.2 ;;
    arm64) libraries=aarch64-linux-gnu loader=ld-linux-aarch64.so.1 ;;
    *) die 69 "the image is made on a Debian machine of amd64 or arm64" ;;
    esac
    mkdir -p "$work/host"
    for package in "${host_packages[@]}"; do unpack "$package:$host" "$work/host"; done
    libraries=$work/host/usr/lib/$libraries
    MKE2FS=("$libraries/$loader" --library-path "$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$work/host/usr/sbin/mke2fs")
}

# NAME:ARCH of everything for the board in the lock, but kernel, firmware of boards, and the host's tools.
root_packages() {
    sed -n 's/^\([^# ]*\):\(arm64\|all\) .*/\1:\2/p' "$lock" |
        grep -vE '^(linux-image-|raspi-firmware|u-boot-|firmware-|base-files|ca-certificates)'
}

make_root() { # DIR
    local root=$1 package name
    local -a exclude=()
    mkdir -p "$root"
    for name in "${left_out[@]}"; do exclude+=("--exclude=$name"); done
    mkdir -p "$root"/usr/{bin,sbin,lib} "$root"/{boot,card,data,dev,etc,home,mnt,proc,root,run,sys,tmp,var}
    for name in bin sbin lib; do ln -s "usr/$name" "$root/$name"; done
    for package in $(root_packages); do
        unpack "$package" "$root" --no-same-owner --keep-directory-symlink "${exclude[@]}"
    done
    unpack "ca-certificates:all" "$root" --no-same-owner './usr/share/ca-certificates'
    if [[ ${wifi_firmware-} == yes ]]; then
        unpack "firmware-brcm80211:all" "$root" --no-same-owner --wildcards './usr/lib/firmware/*43430*' \
            './usr/lib/firmware/*43455*'
    fi
    for name in "${removed[@]}"; do rm -rf "${root:?}/$name"; done
    # The box speaks two languages; words of all are 20 MB.
    find "$root/usr/lib" -path '*/espeak-ng-data/*_dict' ! -name en_dict ! -name de_dict -delete
    rm -rf "$root"/etc/{cron*,init.d,rc*.d,default,apt,dpkg,kernel,alternatives,skel,logrotate.d,ca-certificates*}
    find "$root/usr" "$root/etc" -xtype l -lname '/etc/alternatives/*' -delete
    name_programs "$root"
    trust "$root"

    # Ours, over everything; git keeps no rights but the executable bit.
    cp -a --no-preserve=ownership,timestamps "$project/rootfs/." "$root/"
    install -D -m 0755 "$executable" "$root/usr/bin/howalarming"
    install -D -m 0644 "$project/howalarming.example.yaml" "$root/usr/share/howalarming/howalarming.example.yaml"
    chmod 0640 "$root/etc/shadow"
    : >"$root/etc/machine-id"
    for name in "${consoles[@]}"; do
        ln -s "/usr/lib/systemd/system/howalarming-console@.service" \
            "$root/etc/systemd/system/multi-user.target.wants/howalarming-console@$name.service"
        ln -s "/usr/lib/systemd/system/howalarming-setup@.path" \
            "$root/etc/systemd/system/multi-user.target.wants/howalarming-setup@$name.path"
    done
    describe_release "$root/usr/lib/howalarming"
    ln -s regulatory.db-debian "$root/usr/lib/firmware/regulatory.db"
    ln -s regulatory.db.p7s-debian "$root/usr/lib/firmware/regulatory.db.p7s"
    # What systemd would make in a root that can be written.
    mkdir -p "$root/srv" "$root/etc/default" "$root/etc/credstore" "$root/etc/credstore.encrypted"
    chmod 0700 "$root/etc/credstore" "$root/etc/credstore.encrypted" "$root/root"
    chown -R 0:0 "$root"
    # No program gives its caller rights of another. As root, chown has taken these bits away; for fakeroot it has not.
    find "$root" -type f -perm /6000 -exec chmod a-s {} +
    chmod 1777 "$root/tmp"
}

# One static program stands for the shell and everything small.
name_programs() { # ROOT
    local name
    mkdir -p "$1/usr/bin"
    for name in sh cat ls ln mkdir rm rmdir cp mv sed grep sleep echo test true false readlink basename dirname head \
        tail cut tr sort uniq wc id uname sync touch chmod chown date env expr find xargs dd ps kill hexdump tar; do
        [[ -e $1/usr/bin/$name || -L $1/usr/bin/$name ]] || ln -s busybox "$1/usr/bin/$name"
    done
    ln -sf ../lib/systemd/systemd "$1/usr/sbin/init"
}

# All authorities of Debian's list in one file, as update-ca-certificates would make it.
trust() { # ROOT
    mkdir -p "$1/etc/ssl/certs"
    find "$1/usr/share/ca-certificates" -name '*.crt' | sort | while read -r name; do
        cat "$name"
        printf '\n'
    done >"$1/etc/ssl/certs/ca-certificates.crt"
    rm -rf "$1/usr/share/ca-certificates"
    [[ $(grep -c 'BEGIN CERTIFICATE' "$1/etc/ssl/certs/ca-certificates.crt") -gt 100 ]] ||
        die 1 "ca-certificates holds fewer authorities than it should"
}

describe_release() { # DIR
    mkdir -p "$1/update-keys"
    printf '{"board":"%s","version":"%s","number":%d,"floor":%d,"built":"%s"}\n' "$board" "$version" "$number" "$floor" \
        "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" >"$1/release.json"
    # image/build has looked at them if this is a release.
    cp "$here"/keys/*.pub "$1/update-keys/" 2>/dev/null || [[ $release == no ]] || die 1 "the keys in $here/keys are gone"
    [[ -z $test_key ]] || cp "$test_key" "$1/update-keys/test.pub"
    chmod 0644 "$1"/update-keys/* 2>/dev/null || true
}

same_times() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }
