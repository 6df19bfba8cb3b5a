// For: pictures of alarms: fetched from where the box has put them, opened, and shown; and which of them a house knows.
// Guarantees: what is shown has the length, the hash and the key that the box told, and begins as a JPEG does; nothing but
//   the address goes to the server: no cookie, no referrer, no redirect; an address of the browser's memory ends with it.
// Knows nothing of: how the box tells of them. The key of a picture lies in the house's record, as its log does.

import { toBytes, toText } from './bytes.js';
import { button, h, plain } from './ui.js';
import { t } from './texts.js';

/** So many a house remembers, newest first. */
export const KEPT = 50;
const LONGEST = 400_016;
const PATIENCE = 20_000;

/** Why a picture is not shown; `kind` is a word for the texts: expired, gone, offline, refused, damaged, place. */
export class PictureError extends Error {
  constructor(kind) {
    super(kind);
    this.kind = kind;
  }
}

/** The list with one more; the same picture told again changes nothing. */
export function withPicture(known, picture) {
  const same = ({ position }) => position.log === picture.position.log && position.seq === picture.position.seq;
  return (known ?? []).some(same) ? known : [picture, ...(known ?? [])].slice(0, KEPT);
}

/** What shows this event, oldest first: by the alarm's mark, or the row itself tells of it. */
export function picturesOf(event, pictures) {
  const { log, seq } = event.position ?? {};
  return (pictures ?? []).filter(({ mark, position }) =>
    (mark && mark === event.mark) || (position.log === log && position.seq === seq)).reverse();
}

/** 127.0.0.1 alone is without TLS, and only a demo's page may go there. */
function addressOf({ url }) {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isFit = address?.protocol === 'https:' || (address?.protocol === 'http:' && address.hostname === '127.0.0.1');
  if (!isFit || address.username || address.password) throw new PictureError('place');
  return address;
}

/** The body, as long as it was told; more is not read. */
async function read(answer, length) {
  const bytes = new Uint8Array(length);
  let count = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    if (count + value.length > length) {
      reader.cancel().catch(() => {});
      throw new PictureError('damaged');
    }
    bytes.set(value, count);
    count += value.length;
  }
  if (count !== length) throw new PictureError('damaged');
  return bytes;
}

/** What lies at its address, sealed. */
async function fetched(picture) {
  if (!(picture.bytes > 16 && picture.bytes <= LONGEST)) throw new PictureError('damaged');
  const address = addressOf(picture);
  if (picture.expires * 1000 < Date.now()) throw new PictureError('expired');
  try {
    const answer = await fetch(address, {
      credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error', cache: 'no-store', signal: AbortSignal.timeout(PATIENCE),
    });
    if (!answer.ok) throw new PictureError([404, 410].includes(answer.status) ? 'gone' : 'refused');
    return await read(answer, picture.bytes);
  } catch (problem) {
    throw problem instanceof PictureError ? problem : new PictureError('offline');
  }
}

/** The JPEG. */
export async function openPicture(picture) {
  const sealed = await fetched(picture);
  if (toText(await crypto.subtle.digest('SHA-256', sealed)) !== picture.hash) throw new PictureError('damaged');
  try {
    const key = await crypto.subtle.importKey('raw', toBytes(picture.key), 'AES-GCM', false, ['decrypt']);
    // The key is used once, so the nonce says nothing.
    const plain = new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, sealed));
    if (plain[0] !== 0xff || plain[1] !== 0xd8 || plain[2] !== 0xff) throw new PictureError('damaged');
    return new Blob([plain], { type: 'image/jpeg' });
  } catch {
    throw new PictureError('damaged');
  }
}

/** The pictures on one screen: each keeps its element as long as the screen lives, however often that is drawn. */
export class PictureBoard {
  #elements = new Map();
  #urls = [];
  #isClosed = false;

  /** `isOpen`: shown without a tap. */
  element(picture, isOpen) {
    const name = `${picture.position.log}.${picture.position.seq}`;
    if (!this.#elements.has(name)) this.#elements.set(name, this.#make(picture, isOpen));
    return this.#elements.get(name);
  }

  close() {
    this.#isClosed = true;
    for (const url of this.#urls) URL.revokeObjectURL(url);
  }

  #make(picture, isOpen) {
    const place = h('figure', { class: 'picture' });
    const show = async () => {
      place.replaceChildren(h('p', { class: 'hint', role: 'status' }, t('pictureComes', { camera: plain(picture.camera, 40) })));
      try {
        const url = URL.createObjectURL(await openPicture(picture));
        this.#urls.push(url);
        if (this.#isClosed) return this.close();
        const image = h('img', { src: url, alt: t('pictureAlt', { camera: plain(picture.camera, 40) }) });
        image.addEventListener('error', () => this.#failed(place, 'damaged', show));
        place.replaceChildren(image, h('figcaption', { class: 'hint' }, plain(picture.camera, 40)));
      } catch (problem) {
        this.#failed(place, problem.kind ?? 'damaged', show);
      }
      return undefined;
    };
    if (isOpen) show();
    else place.append(button(t('pictureShow', { camera: plain(picture.camera, 40) }), show, { class: 'show-picture' }));
    return place;
  }

  #failed(place, kind, again) {
    const mayCome = ['offline', 'refused'].includes(kind);
    place.replaceChildren(...[
      h('p', { class: 'hint', role: 'status' }, t(`picture${kind}`)), mayCome && button(t('pictureAgain'), again),
    ].filter(Boolean));
  }
}
