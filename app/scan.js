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
  #isStopped = false;

  constructor(place, found) {
    this.#place = place;
    this.#found = found;
  }

  async start() {
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
    // Somebody may leave the screen before allowing the camera.
    if (this.#isStopped) return end(stream);
    this.#stream = stream;
    const video = h('video', { playsinline: true, muted: true, 'aria-label': t('cameraLabel') });
    video.srcObject = stream;
    this.#place.replaceChildren(video, button(t('scanStop'), () => this.stop()));
    await video.play();
    if (this.#isStopped) return;
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
    this.#isStopped = true;
    clearInterval(this.#timer);
    end(this.#stream);
    this.#stream = undefined;
    this.#place.replaceChildren();
  }
}

function end(stream) {
  stream?.getTracks().forEach((track) => track.stop());
}
