// For: a day, a week or a month as a picture: armed spans, alarms, faults.
// Guarantees: the picture has a sentence with its numbers beside it, for those who do not see it.
// Knows nothing of: rows that this device does not hold.

import { day, fill, h } from '../ui.js';
import { t } from '../texts.js';

const DAY = 86_400;
const SPANS = { timelineDay: 1, timelineWeek: 7, timelineMonth: 30 };
const ROWS = 20_000;
const WIDTH = 1000;
const HEIGHT = 26;

const shape = (name, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

export class TimelineScreen {
  element = h('section', { class: 'timeline' });
  #app;
  #span = 'timelineWeek';
  #place = h('div');

  constructor(app) {
    this.#app = app;
    const span = h('select', { id: 'span', onchange: (event) => { this.#span = event.target.value; this.#read(); } },
      Object.keys(SPANS).map((each) => h('option', { value: each, selected: each === this.#span }, t(each))));
    fill(this.element, h('h1', {}, t('timelineTitle')),
      h('div', { class: 'row' }, h('label', { for: 'span' }, t('timelineSpan')), span), this.#place);
    this.#read();
  }

  draw() {}

  async #read() {
    const rows = await this.#app.store.rows(this.#app.house.id, { count: ROWS });
    const events = rows.map((row) => row.event).reverse();
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    const days = Array.from({ length: SPANS[this.#span] }, (_, index) => {
      const start = new Date(midnight);
      start.setDate(start.getDate() - index);
      return start.getTime() / 1000;
    });
    fill(this.#place, days.map((start) => drawDay(start, dayOf(events, start))));
  }
}

/** What happened in the day that begins at `start`: spans while any partition was armed, moments of alarms and faults. */
export function dayOf(events, start, now = Date.now() / 1000) {
  const end = Math.min(start + DAY, now);
  const armed = new Map();
  const spans = [];
  const close = (partition, at) => {
    const since = armed.get(partition);
    armed.delete(partition);
    if (since !== undefined && at > start && since < end) spans.push([Math.max(since, start), Math.min(at, end)]);
  };
  for (const event of events) {
    if (event.timestamp > end) break;
    const partition = event.partition ?? 1;
    if (event.type === 'armed' && !armed.has(partition)) armed.set(partition, event.timestamp);
    if (event.type === 'disarmed') close(partition, event.timestamp);
  }
  for (const partition of [...armed.keys()]) close(partition, end);
  const moments = (type) => events.filter((event) => event.type === type && event.timestamp >= start && event.timestamp < end)
    .map((event) => event.timestamp);
  return { spans, alarms: moments('alarm'), faults: moments('fault') };
}

function drawDay(start, { spans, alarms, faults }) {
  const x = (time) => ((time - start) / DAY) * WIDTH;
  const label = t('timelineLabel', { count: spans.length, alarms: alarms.length, faults: faults.length });
  const picture = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  picture.append(shape('rect', { class: 'ground', x: 0, y: 0, width: WIDTH, height: HEIGHT }));
  for (const [from, to] of spans) picture.append(shape('rect', { class: 'armed', x: x(from), y: 4, width: Math.max(2, x(to) - x(from)), height: HEIGHT - 8 }));
  for (const time of faults) picture.append(shape('rect', { class: 'fault', x: x(time) - 2, y: 0, width: 4, height: HEIGHT }));
  for (const time of alarms) picture.append(shape('rect', { class: 'alarm', x: x(time) - 3, y: 0, width: 6, height: HEIGHT }));
  for (let hour = 6; hour < 24; hour += 6) picture.append(shape('rect', { class: 'hour', x: (hour / 24) * WIDTH, y: 0, width: 1, height: HEIGHT }));
  return h('div', { class: 'day' }, h('h2', {}, day(start)), picture, h('p', { class: 'hint' }, label));
}
