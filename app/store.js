// For: what the app keeps on this device, in IndexedDB: one record for each house, its log, what the worker left.
// Guarantees: memory and rows of one step are written together, and durably before the promise answers.
// Knows nothing of: what memory and secrets mean. The transport keys in `secrets` lie here as they are: whoever can read
//   this browser's profile can read them. The signing keys are CryptoKeys that even this page cannot read.

import { placeOf } from './view.js';

const NAME = 'howalarming';

const asked = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const finished = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the storage gave up'));
  });

function create(database) {
  database.createObjectStore('houses', { keyPath: 'id' });
  // The key sorts the newest first: house, −log, −seq, mark.
  database.createObjectStore('rows', { keyPath: 'key' }).createIndex('mark', ['house', 'mark']);
  database.createObjectStore('inbox', { keyPath: 'number', autoIncrement: true });
  database.createObjectStore('settings');
}

export class Store {
  #database;

  static async open() {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => create(request.result);
    const store = new Store();
    store.#database = await asked(request);
    // A newer version of the app in another tab must not wait for this one.
    store.#database.onversionchange = () => store.#database.close();
    return store;
  }

  /** Asks the browser not to throw the data away when space is short. */
  static persist() {
    return navigator.storage?.persist?.().catch(() => false);
  }

  #transaction(names, mode = 'readonly') {
    return this.#database.transaction(names, mode, { durability: 'strict' });
  }

  // Houses

  houses() {
    return asked(this.#transaction('houses').objectStore('houses').getAll());
  }

  house(id) {
    return asked(this.#transaction('houses').objectStore('houses').get(id));
  }

  async addHouse(record) {
    const transaction = this.#transaction('houses', 'readwrite');
    transaction.objectStore('houses').add(record);
    await finished(transaction);
  }

  /** Changes some members of a house's record; all others stay. */
  async changeHouse(id, changes) {
    const transaction = this.#transaction('houses', 'readwrite');
    const houses = transaction.objectStore('houses');
    const record = await asked(houses.get(id));
    if (record) houses.put({ ...record, ...changes });
    await finished(transaction);
  }

  async removeHouse(id) {
    const transaction = this.#transaction(['houses', 'rows'], 'readwrite');
    transaction.objectStore('houses').delete(id);
    transaction.objectStore('rows').delete(IDBKeyRange.bound([id], [id, []]));
    await finished(transaction);
  }

  // One step of the core

  async keep(id, memory, events) {
    const transaction = this.#transaction(['houses', 'rows'], 'readwrite');
    const houses = transaction.objectStore('houses');
    const rows = transaction.objectStore('rows');
    const record = await asked(houses.get(id));
    if (!record) throw new Error('this house was removed');
    let newest = record.newest ?? { log: 0, seq: 0 };
    let zones = record.zones ?? {};
    for (const event of events) {
      const place = placeOf(event);
      if (place && (place.log > newest.log || (place.log === newest.log && place.seq > newest.seq))) newest = place;
      if (event.zone && event.zoneName) zones = { ...zones, [event.zone]: event.zoneName };
      const mark = event.mark ?? '';
      if (place && mark) {
        // Its row has come: what was shown without a number goes.
        const known = await asked(rows.index('mark').getAllKeys([id, mark]));
        for (const key of known) rows.delete(key);
      }
      const at = place ?? { log: newest.log, seq: newest.seq + 0.5 };
      rows.put({ key: [id, -at.log, -at.seq, place ? '' : mark], house: id, mark, event });
    }
    houses.put({ ...record, ...(memory === undefined ? {} : { memory }), newest, zones });
    await finished(transaction);
  }

  /** At most `count` rows, newest first, older than the row with this key. */
  async rows(id, { after, count }) {
    const range = after
      ? IDBKeyRange.bound(after, [id, []], true)
      : IDBKeyRange.bound([id], [id, []]);
    return asked(this.#transaction('rows').objectStore('rows').getAll(range, count));
  }

  // What the worker heard while no page was open

  async addToInbox(house, e) {
    const transaction = this.#transaction('inbox', 'readwrite');
    transaction.objectStore('inbox').add({ house, e });
    await finished(transaction);
  }

  async inbox(house) {
    const all = await asked(this.#transaction('inbox').objectStore('inbox').getAll());
    return all.filter((letter) => letter.house === house);
  }

  async removeFromInbox(numbers) {
    const transaction = this.#transaction('inbox', 'readwrite');
    for (const number of numbers) transaction.objectStore('inbox').delete(number);
    await finished(transaction);
  }

  // Settings of the app

  setting(name) {
    return asked(this.#transaction('settings').objectStore('settings').get(name));
  }

  async set(name, value) {
    const transaction = this.#transaction('settings', 'readwrite');
    transaction.objectStore('settings').put(value, name);
    await finished(transaction);
  }
}
