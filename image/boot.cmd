# The first work of U-Boot: it takes the first slot with tries left, counts down, and hands over to the slot's own script.
# The script lies on the owner's partition and is older than what it starts; so it does no more than it must.
# Sources/SoftwareUpdate/SlotStateCopies.swift has the rules of the two copies. There is no prompt.
setenv ab_addr 0x47f00000
if test "${board}" = "rpi"; then setenv ab_addr 0x06000000; fi
setexpr b_addr ${ab_addr} + 0x200
setexpr s_addr ${ab_addr} + 0x1000

setenv BOOT_ORDER
setenv BOOT_A_LEFT
setenv BOOT_B_LEFT
setenv BOOT_SEQ
setenv GOOD
${devtype} dev ${devnum}
# 12 MiB and 8 MiB: each in an erase block of its own.
setenv state none
if ${devtype} read ${ab_addr} 0x6000 1 && env import -c ${ab_addr} 0x200 BOOT_SEQ; then setenv state first; fi
setenv first_seq ${BOOT_SEQ}
setenv BOOT_SEQ
if ${devtype} read ${b_addr} 0x4000 1 && env import -c ${b_addr} 0x200 BOOT_SEQ; then
  # A first copy without a number was written last, by software of before.
  if test "${state}" = "none"; then setenv state second;
  elif test -n "${first_seq}" && test 0x${BOOT_SEQ} -gt 0x${first_seq}; then setenv state second; fi
fi
setenv BOOT_SEQ
if test "${state}" = "first"; then env import -c ${ab_addr} 0x200; fi
if test "${state}" = "second"; then env import -c ${b_addr} 0x200; fi
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

# Only the older copy is written, so that power that goes meanwhile leaves the newer one. Without numbers both are, and the
# first one last.
setenv keep 'setexpr BOOT_SEQ ${BOOT_SEQ} + 1; mw.b ${ab_addr} 0 0x200; env export -c -s 0x200 ${ab_addr} BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT BOOT_SEQ GOOD; ${devtype} write ${ab_addr} ${place} 1'
setenv places "0x4000 0x6000"
if test -n "${BOOT_SEQ}" && test "${state}" = "first"; then setenv places 0x4000; fi
if test -n "${BOOT_SEQ}" && test "${state}" = "second"; then setenv places 0x6000; fi
test -n "${BOOT_SEQ}" || setenv BOOT_SEQ 0
for place in ${places}; do run keep; done

echo "HowAlarming: starting slot ${slot}, ${left} more tries (state: ${state})"
setenv boot_words "howalarming.slot=${slot} howalarming.left=${left} howalarming.good=${GOOD} howalarming.state=2 howalarming.disk=48574c41 howalarming.from=${devtype}"
if load ${devtype} ${devnum}:${part} ${s_addr} /boot/slot.scr; then source ${s_addr};
elif load ${devtype} ${devnum}:1 ${s_addr} /slot.scr; then source ${s_addr}; fi
echo "HowAlarming: slot ${slot} could not be loaded"
sleep 1
reset
