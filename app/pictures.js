// For: pictures of alarms: fetched from where the box has put them, opened, and shown; and which of them a house knows. What
//   the topic server has no longer can be asked of the box again.
// Guarantees: what is shown has the length, the hash and the key that the box told, and begins as a JPEG does; nothing but
//   the address goes to the server: no cookie, no referrer, no redirect; an address of the browser's memory ends with it;
//   what the box has told again is shown in the place of what cannot be had.
// Knows nothing of: how the box tells of them. The key of a picture lies in the house's record, as its log does.

import { toBytes, toText } from './bytes.js';
import { button, h, plain } from './ui.js';
import { t } from './texts.js';

/** So many a house remembers, newest first. */
export const KEPT = 50;
const LONGEST = 400_016;
const PATIENCE = 20_000;

/** Kinds of which the box may have the picture still. */
const LOST = ['expired', 'gone'];
/** Of what came of asking: kinds after which it may be asked again. */
const PASSING = ['busy', 'metered', 'limit', 'failed', 'silent'];
/** Seconds: a series is told within this, so that what comes later was asked for. */
const SERIES = 60;
/** Seconds before a picture was told of, at which what it shows began: it was taken, sealed and sent. */
const LEAD = 10;

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

/** The row that a picture belongs to where no alarm's mark says it. */
const placeOf = ({ place, position }) => place ?? position;
const isSamePlace = (one, other) => one?.log === other?.log && one?.seq === other?.seq;
/** Nobody but the box has it still. */
const isLost = ({ isGone, expires }) => isGone === true || expires * 1000 < Date.now();

/** The box has told it again later, and the former one cannot be had. */
function isReplaced(old, pictures) {
  const isOfSame = (other) => (old.mark ? other.mark === old.mark : isSamePlace(placeOf(other), placeOf(old)));
  return isLost(old) && pictures.some((other) =>
    other.camera === old.camera && other.timestamp - old.timestamp > SERIES && isOfSame(other));
}

/** What shows this event, oldest first, none of it twice: by the alarm's mark, or the row itself tells of it. */
export function picturesOf(event, pictures) {
  const ofEvent = (pictures ?? []).filter((picture) =>
    (picture.mark && picture.mark === event.mark) || isSamePlace(placeOf(picture), event.position));
  return ofEvent.filter((picture) => !isReplaced(picture, pictures)).reverse();
}

/** What the box is asked for to have this picture again, and the row and camera that it is for. */
export function wishFor(picture, event) {
  const isOfAlarm = picture.mark && picture.mark === event.mark;
  return {
    time: isOfAlarm ? event.timestamp : picture.timestamp - LEAD, mark: picture.mark ?? null,
    place: placeOf(picture), camera: picture.camera,
  };
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
  #house;
  #galleries = new Map();
  #figures = new Map();
  #urls = [];
  #isClosed = false;
  #redraw = () => {
    for (const gallery of this.#galleries.values()) this.#fill(gallery);
    for (const { said } of this.#figures.values()) said?.();
  };

  constructor(house) {
    this.#house = house;
    house?.addEventListener('pictures', this.#redraw);
  }

  /** All pictures of an event, as the house knows them at each moment. `areOpen`: without a tap; else the first one. */
  gallery(event, areOpen) {
    const name = event.mark ?? `${event.position?.log}.${event.position?.seq}`;
    if (!this.#galleries.has(name)) {
      this.#galleries.set(name, { event, areOpen, element: h('div', {}) });
      this.#fill(this.#galleries.get(name));
    }
    return this.#galleries.get(name).element;
  }

  close() {
    this.#isClosed = true;
    this.#house?.removeEventListener('pictures', this.#redraw);
    for (const url of this.#urls) URL.revokeObjectURL(url);
  }

  #fill({ event, areOpen, element }) {
    const figures = picturesOf(event, this.#house?.record.pictures).map((picture, index) => {
      const name = `${picture.position.log}.${picture.position.seq}`;
      const isWanted = areOpen || index === 0 || this.#house.askedFor(wishFor(picture, event)) !== null;
      if (!this.#figures.has(name)) this.#figures.set(name, this.#make(picture, event, isWanted));
      return this.#figures.get(name).place;
    });
    // What is there already stays in the page: an element that is put anew loses its focus.
    if (figures.length !== element.children.length || figures.some((each, index) => each !== element.children[index])) {
      element.replaceChildren(...figures);
    }
  }

  #make(picture, event, isOpen) {
    const place = h('figure', { class: 'picture' });
    const figure = { place, said: null };
    const show = async () => {
      place.replaceChildren(h('p', { class: 'hint', role: 'status' }, t('pictureComes', { camera: plain(picture.camera, 40) })));
      try {
        const url = URL.createObjectURL(await openPicture(picture));
        this.#urls.push(url);
        if (this.#isClosed) return this.close();
        const image = h('img', { src: url, alt: t('pictureAlt', { camera: plain(picture.camera, 40) }) });
        image.addEventListener('error', () => this.#failed(figure, 'damaged', show));
        place.replaceChildren(image, h('figcaption', { class: 'hint' }, plain(picture.camera, 40)));
      } catch (problem) {
        const kind = problem.kind ?? 'damaged';
        if (LOST.includes(kind)) {
          figure.said = () => this.#lost(place, kind, wishFor(picture, event));
          figure.said();
          if (kind === 'gone') this.#house.lost(picture);
        } else {
          this.#failed(figure, kind, show);
        }
      }
      return undefined;
    };
    if (isOpen) show();
    else place.append(button(t('pictureShow', { camera: plain(picture.camera, 40) }), show, { class: 'show-picture' }));
    return figure;
  }

  /** The box may have it still, and can be asked. */
  #lost(place, kind, wish) {
    const came = this.#house.askedFor(wish);
    const mayAsk = came === null || PASSING.includes(came);
    place.replaceChildren(...[
      h('p', { class: 'hint', role: 'status' }, came === null ? t(`picture${kind}`) : t(`again${came}`)),
      mayAsk && button(t('pictureAsk'), () => this.#house.askAgain(wish).catch(() => {}), { class: 'ask-box' }),
    ].filter(Boolean));
  }

  #failed({ place }, kind, again) {
    const mayCome = ['offline', 'refused'].includes(kind);
    place.replaceChildren(...[
      h('p', { class: 'hint', role: 'status' }, t(`picture${kind}`)), mayCome && button(t('pictureAgain'), again),
    ].filter(Boolean));
  }
}
