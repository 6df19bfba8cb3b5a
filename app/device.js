// For: what this device and browser are, as far as the app must do differently on them.
// Guarantees: asks for abilities, and for names only where no ability tells.
// Knows nothing of: houses.

const isIOS = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) || (navigator.platform === 'MacIntel' && navigator.maxTouchPoints > 1);

const isStandalone = () => navigator.standalone === true || matchMedia('(display-mode: standalone)').matches;

/** On iOS the tab and the installed app share no storage, and only the installed app gets notices. */
export const isInstalledNeeded = () => isIOS() && !isStandalone();

export const canScan = () => 'BarcodeDetector' in window && Boolean(navigator.mediaDevices?.getUserMedia);

/** What a new phone is called until its owner says so. */
export function deviceName() {
  const agent = navigator.userAgent;
  const names = [[/iPhone/, 'iPhone'], [/iPad/, 'iPad'], [/Android/, 'Android'], [/Macintosh/, 'Mac'], [/Windows/, 'Windows']];
  return names.find(([pattern]) => pattern.test(agent))?.[1] ?? 'Browser';
}
