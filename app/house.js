// For: one house: tells the core what happened, and carries out what the core orders, in that order.
// Guarantees: what is to be stored is stored durably before the next order is carried out, so no counter is used twice;
//   one step after the other; only who holds the house's lock runs one (`holdHouse`).
// Knows nothing of: screens. It tells them by events: changed, arrived, pictures, command, welcomed, left, overdue, problem.

import { toBytes } from './bytes.js';
import { Core, CoreError, uptime } from './core.js';
import { sign } from './keys.js';
import { withPicture } from './pictures.js';
import { Listener, post } from './relay.js';
import { placeOf, readView, topicsOf } from './view.js';

/** Milliseconds after which a list that was asked for comes no more: the core gives up a bit earlier. */
const LIST_PATIENCE = 12_000;
/** What can come of asking for pictures again; a newer core may have more words, which count as failed. */
const CAME = ['off', 'metered', 'busy', 'limit', 'none', 'failed', 'role', 'silent'];
/** Milliseconds within which pictures come that were asked for again. */
const AGAIN_PATIENCE = 300_000;
/** So many rows the core looks at; all others are on the device and are shown by the log. */
const ROWS_FOR_CORE = 5000;

export class House extends EventTarget {
  id;
  record;
  view;
  /** The newest problem with the way to the box, or null. */
  problem = null;
  isListening = false;
  /** A new subscription was made since the house was opened. */
  isPushRenewed = false;
  /** What the box has told of phones and channels since this page was opened: name → {rows, refused, time}. */
  lists = {};
  /** What the box was asked for again since this page was opened: name of a wish → {mark, place, camera, kind, since}. */
  #wishes = new Map();
  #listing = Promise.resolve();
  #listed = () => {};
  #namesAskedFor = null;
  #store;
  #core;
  #steps = Promise.resolve();
  #sending = Promise.resolve();
  #timer;
  #listener;
  #isClosed = false;

  constructor(store, record) {
    super();
    this.#store = store;
    this.record = record;
    this.id = record.id;
  }

  /** Begins with what is stored. */
  start() {
    return this.#next(() => this.#open());
  }

  async #open() {
    this.#core = await Core.load();
    const stored = await this.#store.rows(this.id, { count: ROWS_FOR_CORE });
    const { secrets, memory } = await this.#store.house(this.id);
    await this.#do('open', { secrets, memory, rows: stored.map((row) => row.event).filter(placeOf) });
  }

  /** Hears the house's topic from now on, beginning with what was missed. */
  listen() {
    const { topic, heard } = this.record;
    this.#listener = new Listener(topic, {
      since: heard ?? 'all',
      hear: (message) => this.#heard(message),
      tell: (isOpen) => {
        this.isListening = isOpen;
        if (isOpen) this.step('reachable');
        else this.#tell('changed');
      },
    });
  }

  wake() {
    this.#listener?.wake();
    return this.step('reachable');
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listener?.close();
    return this.#steps;
  }

  /** The box calls the subscription ended. Once for each opening: a push service that refuses all is not asked for ever. */
  get wantsNewPush() {
    return this.view.isPushGone && !this.isPushRenewed;
  }

  /** What the worker kept while no page was open. */
  async readInbox() {
    const letters = await this.#store.inbox(this.id);
    for (const letter of letters) await this.step('received', { e: letter.e });
    await this.#store.removeFromInbox(letters.map((letter) => letter.number));
  }

  /** Gives a command; its outcome comes as `command`. */
  give(command) {
    return this.step('give', { command });
  }

  /** Asks the box for a list: names, phones or channels. Resolves to whether it came. */
  list(name) {
    this.#listing = this.#listing.catch(() => {}).then(() => this.#askForList(name));
    return this.#listing;
  }

  async #askForList(name) {
    let timer;
    const come = new Promise((resolve) => {
      timer = setTimeout(() => resolve(false), LIST_PATIENCE);
      this.#listed = (told) => told === name && resolve(true);
    });
    await this.step('list', { list: name });
    return come.finally(() => clearTimeout(timer));
  }

  /** Asks the box for the pictures of an alarm again: `time` and `mark` (or null) of it, `place` and `camera` of what is missed. */
  async askAgain({ time, mark, place, camera }) {
    const wish = { mark, place, camera, kind: 'asked', since: Date.now() };
    this.#wishes.set(wishName({ time, mark }), wish);
    this.#tell('pictures');
    try {
      await this.step('picture', { time, mark });
    } catch (problem) {
      wish.kind = 'silent';
      this.#tell('pictures');
      throw problem;
    }
  }

  /** null: it was not asked for; else asked, sent, or a word of `CAME`: why it does not come. */
  askedFor(wish) {
    return this.#wishes.get(wishName(wish))?.kind ?? null;
  }

  #answered({ time, mark, sent, why }) {
    const wish = this.#wishes.get(wishName({ time, mark }));
    if (!wish) return;
    const refusal = CAME.includes(why) ? why : 'failed';
    wish.kind = sent > 0 ? 'sent' : refusal;
    this.#tell('pictures');
  }

  /** The topic server does not have it any more. */
  lost(picture) {
    return this.#keepPictures(this.record.pictures.map((each) => (each.url === picture.url ? { ...each, isGone: true } : each)));
  }

  async #keepPictures(pictures) {
    this.record.pictures = pictures;
    this.#tell('pictures');
    await this.#store.changeHouse(this.id, { pictures });
  }

  /** Names change only with a start of the box. */
  #renewNames() {
    const { boot, isWelcomed, hasLeft } = this.view;
    if (!isWelcomed || hasLeft || boot === null || boot === this.record.namesOf || boot === this.#namesAskedFor) return;
    this.#namesAskedFor = boot;
    this.list('names').catch(() => {});
  }

  /** One call and all that follows from it; rejects with the core's words where it refuses. */
  step(what, details = {}) {
    return this.#next(async () => {
      try {
        await this.#do(what, details);
      } catch (problem) {
        // What could not be stored or ran into a wall: the core begins anew from what is stored.
        if (!(problem instanceof CoreError)) await this.#open();
        throw problem;
      }
    });
  }

  #next(work) {
    const step = this.#steps.then(() => (this.#isClosed ? undefined : work()));
    this.#steps = step.catch((problem) => this.#failed(problem));
    return step;
  }

  async #do(what, details) {
    const answer = this.#core.call(what, details);
    for (const action of answer.actions ?? []) await this.#carryOut(action);
    this.#setTimer(answer.next);
    this.view = readView(this.#core.call('view'));
    this.#renewNames();
    this.#tell('changed');
  }

  /** Waits until everything is stored and sent, or could not be. */
  async settled() {
    await this.#steps;
    await this.#sending;
    await this.#steps;
  }

  async #carryOut(action) {
    switch (action.a) {
      case 'store': return this.#keep(action.memory, action.rows ?? []);
      case 'send': return this.#send(action.e);
      case 'sign': return this.#sign(action);
      case 'arrived': return this.#arrived(action);
      case 'overdue': return this.#tell('overdue', { since: action.since });
      case 'command': return this.#tell('command', { command: action.command });
      case 'listed': return this.#take(action);
      case 'picture': return this.#told(action.picture);
      case 'answered': return this.#answered(action);
      case 'welcomed': return this.#tell('welcomed');
      case 'left': return this.#tell('left');
      // The step draws again anyway.
      case 'changed': case 'heardAgain': return undefined;
      default: return console.warn('the core orders what this app does not know', action.a);
    }
  }

  async #arrived({ event, quiet }) {
    // What has no number yet is in the core's memory, and here for the log.
    if (!placeOf(event)) await this.#store.keep(this.id, undefined, [event]);
    this.#tell('arrived', { event, isQuiet: quiet === true });
  }

  /** The box tells where a picture lies. */
  #told(picture) {
    // Without an alarm's mark only this page knows which row it was asked for.
    const asked = [...this.#wishes.values()].findLast(({ mark, camera, since }) =>
      !mark && camera === picture.camera && Date.now() - since < AGAIN_PATIENCE);
    const place = picture.mark || !asked ? {} : { place: asked.place };
    return this.#keepPictures(withPicture(this.record.pictures, { ...picture, ...place }));
  }

  async #take({ list, rows, refused }) {
    if (list === 'names') {
      const zones = rows.filter((row) => row.zone).map((row) => [row.zone, row.name]);
      const partitions = rows.filter((row) => !row.zone).map((row) => [row.part, row.name]);
      const names = {
        namesOf: this.#namesAskedFor, zones: { ...this.record.zones, ...Object.fromEntries(zones) },
        partitions: Object.fromEntries(partitions),
      };
      Object.assign(this.record, names);
      await this.#store.changeHouse(this.id, names);
    }
    this.lists = { ...this.lists, [list]: { rows, refused: refused === true, time: Math.floor(Date.now() / 1000) } };
    this.#listed(list);
  }

  async #keep(memory, rows) {
    await this.#store.keep(this.id, memory, rows);
    this.record.memory = memory ?? this.record.memory;
    for (const { zone, zoneName } of rows) {
      if (zone && zoneName) this.record.zones = { ...this.record.zones, [zone]: zoneName };
    }
  }

  /** In the order in which they were made, but nothing else waits for the network. */
  #send(e) {
    const places = topicsOf(readView(this.#core.call('view')));
    this.#sending = this.#sending.then(async () => {
      const results = await Promise.allSettled(places.map((place) => post(place, e, { isKept: false })));
      const isThrough = results.some((result) => result.status === 'fulfilled');
      const failure = results.find((result) => result.status === 'rejected')?.reason ?? null;
      const before = this.problem;
      this.problem = isThrough ? null : failure;
      if (before !== this.problem) this.#tell('changed');
    });
  }

  /** Its owner may take a minute: the house goes on meanwhile. */
  #sign({ id, key, bytes }) {
    sign(this.record.keys, key, bytes).then((signature) => this.step('signed', { id, signature })).catch(() => {});
  }

  async #heard({ id, text }) {
    if (!toBytes(text)?.length || text.length > 2000) return;
    try {
      await this.step('received', { e: text });
      this.record.heard = id;
      await this.#store.changeHouse(this.id, { heard: id });
    } catch (problem) {
      this.#failed(problem);
    }
  }

  #setTimer(next) {
    clearTimeout(this.#timer);
    if (next === null || next === undefined || this.#isClosed) return;
    // Timers of browsers take at most 2³¹ milliseconds.
    const wait = Math.min(Math.max(next - uptime(), 0) + 1, 2_000_000_000);
    this.#timer = setTimeout(() => this.step('timer').catch(() => {}), wait);
  }

  #failed(problem) {
    console.warn(problem);
    this.#tell('problem', { text: problem.message });
  }

  #tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** Of one alarm all pictures are asked for at once. */
const wishName = ({ time, mark }) => mark ?? `at ${time}`;

/** Only one tab or worker is the house. `whenHeld` runs with the lock and holds it until its promise ends. */
export function holdHouse(id, options, whenHeld) {
  return navigator.locks.request(`house-${id}`, options, whenHeld);
}
