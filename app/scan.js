// For: reading the code on the box's screen with the camera, where the browser reads codes itself.
// Guarantees: the camera is off as soon as a code is read, or the screen is left.
// Knows nothing of: what the code means.

import { button, h } from './ui.js';
import { t } from './texts.js';

const INTERVAL = 250;

export class Scanner {
  #place;
  #found;
  #stream;
  #timer;

  constructor(place, found) {
    this.#place = place;
    this.#found = found;
  }

  async start() {
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    this.#stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
    const video = h('video', { playsinline: true, muted: true, 'aria-label': t('cameraLabel') });
    video.srcObject = this.#stream;
    this.#place.replaceChildren(video, button(t('scanStop'), () => this.stop()));
    await video.play();
    this.#timer = setInterval(() => this.#look(detector, video), INTERVAL);
  }

  async #look(detector, video) {
    const codes = await detector.detect(video).catch(() => []);
    const code = codes.find((each) => /HA2:/i.test(each.rawValue));
    if (!code || !this.#stream) return;
    this.stop();
    this.#found(code.rawValue);
  }

  stop() {
    clearInterval(this.#timer);
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = undefined;
    this.#place.replaceChildren();
  }
}
