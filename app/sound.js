// For: a sound and a buzz at an alarm while the page is open.
// Guarantees: never more than the system allows: nothing sounds before the first tap, nor on a silenced phone.
// Knows nothing of: what the alarm is.

let context;

/** Browsers give sound only to a page that was touched. */
export function unlock() {
  try {
    context ??= new AudioContext();
    context.resume();
  } catch {
    context = undefined;
  }
}

/** Two tones, four times. */
export function ring() {
  navigator.vibrate?.([400, 200, 400, 200, 400]);
  if (context?.state !== 'running') return;
  const tone = context.createOscillator();
  const volume = context.createGain();
  volume.gain.value = 0.4;
  tone.type = 'square';
  for (let index = 0; index < 8; index += 1) {
    tone.frequency.setValueAtTime(index % 2 ? 660 : 880, context.currentTime + index * 0.3);
  }
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 2.4);
}
