// For: one pairing, from the code on the box's screen to the six digits (docs/pairing.md 3 and 4).
// Guarantees: a house is stored before its digits are shown, for the box speaks as soon as they are typed there.
// Knows nothing of: screens. It tells them by `tell({kind: waiting|digits|failed, …})`.

import { toBytes } from './bytes.js';
import { Core, uptime } from './core.js';
import { makeKey1 } from './keys.js';
import { Listener, post, randomTopic } from './relay.js';

/** Kind of an https topic server in a code. */
const TOPIC_SERVER = 1;

export class Pairing {
  #store;
  #core;
  #listener;
  #timer;
  #tell;
  #place;
  #frame;
  #isBegun = false;

  constructor(store, tell) {
    this.#store = store;
    this.#tell = tell;
  }

  /** Throws CoreError with words for the screen where the code or a detail cannot be used. */
  async start({ code, name, key2 }) {
    this.#core = await Core.load();
    const key1 = await makeKey1();
    // The phone's own topic lies on the box's server, which only the code names: so the code is read twice.
    const details = (topic) => ({
      code, name, topic, key1: key1.point, algorithm2: key2.algorithm, key2: key2.point, rp: key2.rp,
      origin: key2.origin,
    });
    const topic = randomTopic();
    const first = this.#core.call('pair', details(`ntfy.sh/${topic}`));
    const server = first.servers.find((each) => Number(each.kind) === TOPIC_SERVER);
    if (!server) return this.#tell({ kind: 'failed', reason: 'noTopicServer' });
    const own = `${server.place}/${topic}`;
    const answer = this.#core.call('pair', details(own));
    this.#place = `${server.place}/${answer.topicUp}`;
    this.#frame = answer.frame;
    this.#tell({ kind: 'waiting', place: server.place });
    this.#setTimer(answer.next);
    this.#listener = new Listener(`${server.place}/${answer.topicDown}`, {
      hear: ({ text }) => this.#heard(text, { own, key1, key2 }),
      tell: () => this.#begin(),
    });
  }

  /** The server does not keep what the box answers: so the box is asked once somebody listens, or it is seen that nobody can. */
  #begin() {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#send();
  }

  cancel() {
    clearTimeout(this.#timer);
    this.#listener?.close();
  }

  async #send() {
    try {
      await post(this.#place, this.#frame);
    } catch (problem) {
      // It is sent again by the timer.
      this.#tell({ kind: 'waiting', problem });
    }
  }

  async #heard(e, { own, key1, key2 }) {
    if (!toBytes(e)?.length || e.length > 2000) return;
    const { digits, site } = this.#core.call('pairFrame', { e });
    if (!digits) return;
    this.cancel();
    const { secrets, memory } = this.#core.call('keep');
    const { algorithm, credential, rp, origin } = key2;
    const id = (await this.#store.houses()).reduce((top, house) => Math.max(top, house.id), 0) + 1;
    await this.#store.addHouse({
      id, secrets, memory, site, topic: own, digits,
      keys: { key1: { key: key1.key }, key2: { algorithm, credential, rp, origin } },
    });
    this.#tell({ kind: 'digits', digits, site, id });
  }

  #setTimer(next) {
    clearTimeout(this.#timer);
    if (next === null || next === undefined) return;
    this.#timer = setTimeout(() => this.#timerFired(), Math.max(0, next - uptime()) + 1);
  }

  #timerFired() {
    const { frame, failed, next } = this.#core.call('pairTimer');
    if (failed) {
      this.cancel();
      return this.#tell({ kind: 'failed', text: failed });
    }
    if (frame) this.#send();
    return this.#setTimer(next);
  }
}
