// For: the log: every event that this device holds, newest first, searched and filtered; what is missing is a row, too.
// Guarantees: the first rows are on the screen at once, however many there are; new events appear at the top.
// Knows nothing of: how missing rows are asked for.

import { button, clock, fill, foreign, h, plain, show } from '../ui.js';
import { PictureBoard, picturesOf } from '../pictures.js';
import { Rows } from '../rows.js';
import { t, tIfKnown } from '../texts.js';
import { placeOf } from '../view.js';

const CHUNK = 4000;
const ROW = 56;
const TYPES = ['alarm', 'recovery', 'fault', 'armed', 'disarmed', 'info', 'command', 'response'];

export class LogScreen {
  element = h('section', { class: 'log' });
  #app;
  #events = [];
  #newest = null;
  #pictured = null;
  #isClosed = false;
  #isReading = false;
  #isWanted = false;
  #search = '';
  #type = '';
  #count = h('p', { class: 'hint', role: 'status' });
  #asking = button(t('logFill'), () => this.#app.house.step('fill').catch((problem) => this.#app.say(problem.message)), { class: 'quiet', id: 'fill' });
  #list = new Rows(t('logRows'), ROW, (row) => this.#row(row));

  constructor(app) {
    this.#app = app;
    const search = h('input', {
      id: 'search', type: 'search', oninput: (event) => this.#look(() => { this.#search = event.target.value.toLowerCase(); }),
    });
    const type = h('select', { id: 'type', onchange: (event) => this.#look(() => { this.#type = event.target.value; }) },
      h('option', { value: '' }, t('logAll')), TYPES.map((each) => h('option', { value: each }, t(`type${each}`))));
    fill(this.element, h('h1', {}, t('logTitle')),
      h('div', { class: 'row' }, 
        h('div', { class: 'field' }, h('label', { for: 'search' }, t('logSearch')), search),
        h('div', { class: 'field' }, h('label', { for: 'type' }, t('logType')), type)),
      this.#count, this.#list.element, this.#asking);
    this.draw();
    this.#read();
  }

  close() {
    this.#isClosed = true;
  }

  draw() {
    const { recent, house } = this.#app;
    this.#asking.hidden = !house.view.missing;
    const [pictured = null] = house.record.pictures ?? [];
    if (recent[0] !== this.#newest) this.#read();
    else if (pictured !== this.#pictured) this.#show(this.#events);
    this.#pictured = pictured;
  }

  async #read() {
    this.#isWanted = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      [this.#newest] = this.#app.recent;
      await this.#readAll();
    }
    this.#isReading = false;
  }

  async #readAll() {
    const events = [];
    let after;
    for (;;) {
      const rows = await this.#app.store.rows(this.#app.house.id, { after, count: CHUNK });
      if (this.#isClosed) return;
      for (const row of rows) events.push(row.event);
      // While it is read again, the former list stays until the new one is longer.
      if (events.length >= this.#events.length) this.#show(events);
      if (rows.length < CHUNK) break;
      after = rows.at(-1).key;
      fill(this.#count, t('logReading', { count: events.length }));
    }
    this.#show(events);
  }

  #look(change) {
    change();
    this.#show(this.#events);
  }

  #show(events) {
    this.#events = events;
    const isFiltered = this.#search !== '' || this.#type !== '';
    const rows = isFiltered ? events.filter((event) => this.#fits(event)) : withGaps(events);
    this.#list.items = rows;
    fill(this.#count, rows.length === 0 ? t('logEmpty') : t('logCount', { count: rows.filter((row) => !row.missing).length }));
  }

  #fits(event) {
    if (this.#type && event.type !== this.#type) return false;
    return !this.#search || `${event.message} ${event.zoneName ?? ''} ${event.code}`.toLowerCase().includes(this.#search);
  }

  #row(row) {
    if (row.missing) return [h('span', { class: 'gap' }, t('logGap', { count: row.missing }))];
    const kind = tIfKnown(`type${row.type}`) ?? plain(row.type, 20);
    const style = TYPES.includes(row.type) ? row.type : 'info';
    return [
      h('span', { class: `kind ${style}` }, kind), h('time', {}, clock(row.timestamp)),
      h('span', { class: 'words' }, this.#pictures(row), foreign(row.message), hasOwnName(row) && [' · ', foreign(row.zoneName, 60)]),
    ];
  }

  /** A button where the box has told of pictures. */
  #pictures(row) {
    const pictures = picturesOf(row, this.#app.house.record.pictures);
    if (pictures.length === 0) return null;
    const open = () => {
      const board = new PictureBoard(this.#app.house);
      show(row.message, [board.gallery(row, true)], () => board.close());
    };
    return button(t('pictures', { count: pictures.length }), open, { class: 'in-row' });
  }
}

/** The sentence mostly names its zone. */
const hasOwnName = ({ message, zoneName }) => Boolean(zoneName) && !message.includes(zoneName);

/** Between two numbers of one journal that do not follow each other something is missing. */
export function withGaps(events) {
  const rows = [];
  let before = null;
  for (const event of events) {
    const place = placeOf(event);
    if (place && before && place.log === before.log && before.seq - place.seq > 1) {
      rows.push({ missing: before.seq - place.seq - 1 });
    }
    if (place) before = place;
    rows.push(event);
  }
  return rows;
}
