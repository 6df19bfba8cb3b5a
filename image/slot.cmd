# U-Boot's work with the slot that boot.cmd chose: it loads the kernel, the initial RAM disk and, where no firmware has
# handed one over, the device tree of the slot, checks them, and starts them.
#
# The script lies in each slot as /boot/slot.scr, behind the checksums of that slot (image/lib/kernel.sh): k_crc, r_crc, and f_crc
# of the tree that ${fdtfile} names. The copy on the owner's partition has none and starts slots of before, which have no
# script. If it ends the machine starts anew.
setenv k_addr 0x4c000000
setenv r_addr 0x50000000
setenv c_addr 0x54000000
setenv console "ttyAMA0,115200"
if test "${board}" = "rpi"; then
  setenv k_addr 0x09000000
  setenv r_addr 0x0c000000
  setenv c_addr 0x10000000
  setenv console "ttyS1,115200"
fi
if test "${soc}" = "sunxi"; then setenv console "ttyS0,115200"; fi
# The device tree that firmware hands over goes first (Raspberry Pi, which fills in what only it knows; QEMU).
setenv f_addr
if test -n "${fdt_addr}"; then setenv f_addr ${fdt_addr}; fi
setenv kernel_comp_addr_r ${c_addr}
setenv kernel_comp_size 0x04000000

# crc32 writes its result to memory: with the highest byte first, or last in a U-Boot without hashes (Raspberry Pi).
setenv whole yes
setenv check 'setenv same no; crc32 ${addr} ${filesize} ${ab_addr}; for c in ${crc}; do if itest.l *${ab_addr} == ${c}; then setenv same yes; fi; done; if test "${same}" = "no"; then echo "HowAlarming: ${file} is damaged"; setenv whole no; fi'
setenv fetch 'if load ${devtype} ${devnum}:${part} ${addr} ${file}; then if test -n "${crc}"; then run check; fi; else setenv whole no; fi'

setenv addr ${k_addr}
setenv file /boot/vmlinuz
setenv crc ${k_crc}
run fetch
setenv addr ${r_addr}
setenv file /boot/initrd.img
setenv crc ${r_crc}
run fetch
setenv r_size ${filesize}
if test -z "${f_addr}" && test -n "${fdtfile}"; then
  setenv f_addr ${fdt_addr_r}
  setenv addr ${f_addr}
  setenv file /boot/dtb/${fdtfile}
  setenv crc ${f_crc}
  run fetch
fi
test -n "${f_addr}" || setenv f_addr ${fdtcontroladdr}

# 128 KiB for the last lines of a panic. The kernel finds the place, the same one each time: the highest multiple of 128 MiB,
# which lies below U-Boot, at the end of the memory, and apart from what is loaded above.
setenv bootargs "console=${console} ${boot_words} ro reserve_mem=128K:128M:panic net.ifnames=0 panic=10 quiet loglevel=4 sysctl.kernel.sysrq=0 systemd.show_status=error rd.emergency=reboot systemd.getty_auto=no"
if test "${whole}" = "yes"; then booti ${k_addr} ${r_addr}:${r_size} ${f_addr}; fi
