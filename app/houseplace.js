// For: one tab's right to be a house: it waits for it, takes it, or loses it to another tab.
// Guarantees: a house runs in one place at a time; who loses it stops at once.
// Knows nothing of: what a house does.

import { House, holdHouse } from './house.js';

/** The worker holds a house for a moment only. */
const PATIENCE = 1_500;

export class HousePlace {
  #store;
  #id;
  #tell;
  #house;
  #release = () => {};
  #isClosed = false;
  #abort = new AbortController();

  constructor(store, id, tell) {
    this.#store = store;
    this.#id = id;
    this.#tell = tell;
  }

  /** Resolves when the house is open here, or another tab turns out to have it. */
  open(isForced = false) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (this.#isClosed) return;
        this.#tell.elsewhere(() => this.#take());
        resolve();
      }, PATIENCE);
      const options = isForced ? { steal: true } : { signal: this.#abort.signal };
      holdHouse(this.#id, options, async () => {
        clearTimeout(timer);
        if (this.#isClosed) return;
        const released = new Promise((done) => { this.#release = done; });
        try {
          await this.#begin();
          resolve();
        } catch (problem) {
          reject(problem);
          return;
        }
        await released;
      }).catch((problem) => this.#lost(problem, reject));
    });
  }

  async #begin() {
    const record = await this.#store.house(this.#id);
    this.#house = new House(this.#store, record);
    // Some systems lose keys and keep the rest.
    this.#house.isKeyLost = !(record.keys?.key1?.key instanceof CryptoKey);
    await this.#house.start();
    await this.#tell.opened(this.#house);
  }

  /** The waiting request goes; a new one takes the lock from whoever holds it. */
  #take() {
    this.#abort.abort();
    this.#abort = new AbortController();
    return this.open(true);
  }

  /** The lock was taken by another tab, or this one waits no more. */
  #lost(problem, reject) {
    if (!this.#house) return problem.name === 'AbortError' ? undefined : reject(problem);
    this.#house.close();
    this.#house = undefined;
    if (this.#isClosed) return undefined;
    this.#tell.elsewhere(() => this.#take());
    // When that tab is closed, this one goes on.
    return this.open().catch(() => {});
  }

  async close() {
    this.#isClosed = true;
    this.#abort.abort();
    await this.#house?.close();
    this.#house = undefined;
    this.#release();
  }
}
