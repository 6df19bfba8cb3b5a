# The boot script of the cards that were flashed before December 2026, for tests: state in two sectors side by side, no script
# in the slots.
setenv ab_addr 0x47f00000
setenv k_addr 0x4c000000
setenv r_addr 0x50000000
setenv c_addr 0x54000000
setenv console "ttyAMA0,115200"
if test "${board}" = "rpi"; then
  setenv ab_addr 0x06000000
  setenv k_addr 0x09000000
  setenv r_addr 0x0c000000
  setenv c_addr 0x10000000
  setenv console "ttyS1,115200"
fi
if test "${soc}" = "sunxi"; then setenv console "ttyS0,115200"; fi
# A device tree that firmware hands over (Raspberry Pi, which fills it in; QEMU) goes first; others take the kernel's own.
if test -n "${fdt_addr}"; then setenv f_addr ${fdt_addr}; else setenv f_addr; fi
setenv kernel_comp_addr_r ${c_addr}
setenv kernel_comp_size 0x04000000

setenv BOOT_ORDER
setenv BOOT_A_LEFT
setenv BOOT_B_LEFT
setenv GOOD
${devtype} dev ${devnum}
setenv state none
if ${devtype} read ${ab_addr} 0x6000 1; then
  if env import -c ${ab_addr} 0x200; then setenv state first; fi
fi
if test "${state}" = "none"; then
  if ${devtype} read ${ab_addr} 0x6008 1; then
    if env import -c ${ab_addr} 0x200; then setenv state copy; fi
  fi
fi
test -n "${BOOT_ORDER}" || setenv BOOT_ORDER "A B"
# A fresh card: what is in slot A is what its builder calls good.
test -n "${BOOT_A_LEFT}" || setenv BOOT_A_LEFT 9
test -n "${BOOT_B_LEFT}" || setenv BOOT_B_LEFT 3
test -n "${GOOD}" || setenv GOOD A

# Without tries left the good one starts, and at once: a card that can no longer be written keeps no new tries.
setenv slot
for s in ${BOOT_ORDER} none ${GOOD} A; do
  if test -n "${slot}"; then true;
  elif test "${s}" = "none"; then
    echo "HowAlarming: no slot has tries left; all are given new ones"
    setenv BOOT_A_LEFT 3
    setenv BOOT_B_LEFT 3
  elif test "${s}" = "A"; then
    if test 0x${BOOT_A_LEFT} -gt 0; then setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1; setenv slot A; setenv part 2; setenv left ${BOOT_A_LEFT}; fi
  elif test "${s}" = "B"; then
    if test 0x${BOOT_B_LEFT} -gt 0; then setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1; setenv slot B; setenv part 3; setenv left ${BOOT_B_LEFT}; fi
  fi
done
mw.b ${ab_addr} 0 0x200
env export -c -s 0x200 ${ab_addr} BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT GOOD
${devtype} write ${ab_addr} 0x6000 1
${devtype} write ${ab_addr} 0x6008 1

echo "HowAlarming: starting slot ${slot}, ${left} more tries (state: ${state})"
setenv bootargs "console=${console} howalarming.slot=${slot} howalarming.left=${left} howalarming.good=${GOOD} howalarming.disk=48574c41 howalarming.from=${devtype} ro net.ifnames=0 panic=10 quiet loglevel=4 sysctl.kernel.sysrq=0 systemd.show_status=error rd.emergency=reboot systemd.getty_auto=no"
if load ${devtype} ${devnum}:${part} ${k_addr} /boot/vmlinuz && load ${devtype} ${devnum}:${part} ${r_addr} /boot/initrd.img; then
  setenv r_size ${filesize}
  if test -z "${f_addr}"; then
    if test -n "${fdtfile}" && load ${devtype} ${devnum}:${part} ${fdt_addr_r} /boot/dtb/${fdtfile}; then setenv f_addr ${fdt_addr_r};
    else setenv f_addr ${fdtcontroladdr}; fi
  fi
  booti ${k_addr} ${r_addr}:${r_size} ${f_addr}
fi
echo "HowAlarming: slot ${slot} could not be loaded"
sleep 1
reset
