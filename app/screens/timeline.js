// For: a day, a week or a month as a picture: armed spans, openings, alarms, faults, lost links, and who came and went.
// Guarantees: the picture has a sentence with its numbers beside it, for those who do not see it.
// Knows nothing of: rows that this device does not hold.

import { clock, day, fill, foreign, h } from '../ui.js';
import { t } from '../texts.js';

const SPANS = { timelineDay: 1, timelineWeek: 7, timelineMonth: 30 };
const ROWS = 20_000;
const WIDTH = 1000;
const HEIGHT = 26;
// What the panel and the box call them (docs/envisalink.md, docs/messages.md).
const LOST_LINK = new Set(['LINK_LOST', 'LINKS_LOST']);
const BY_SOMEBODY = new Set(['700', '701', '702', '750', '751']);
const MOMENTS = {
  opening: (event) => event.code === '609',
  fault: (event) => event.type === 'fault' && !LOST_LINK.has(event.code),
  link: (event) => LOST_LINK.has(event.code),
  // The panel tells one alarm of the zone and of the partition.
  alarm: (event) => event.type === 'alarm' && !event.isRepeat,
};
const WIDTHS = { opening: 1, fault: 4, link: 4, alarm: 6 };

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
    const midnight = (back) => new Date(new Date().setHours(0, 0, 0, 0)).setDate(new Date().getDate() - back) / 1000;
    const days = Array.from({ length: SPANS[this.#span] }, (_, index) => [midnight(index), midnight(index - 1)]);
    // A device knows nothing of the time before its first row.
    const known = events[0]?.timestamp ?? Infinity;
    fill(this.#place, legend(), days.map(([start, end]) => drawDay(start, end, dayOf(events, start, end), known)));
  }
}

/**
 * What happened between two midnights: spans while any partition was armed, moments of the rest, and who armed and disarmed.
 * A day may have 23 or 25 hours.
 */
export function dayOf(events, start, midnight, now = Date.now() / 1000) {
  const end = Math.min(midnight, now);
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
  const today = events.filter((event) => event.timestamp >= start && event.timestamp < midnight);
  const moments = Object.fromEntries(Object.entries(MOMENTS).map(([kind, is]) => [kind, today.filter(is).map((event) => event.timestamp)]));
  return { spans, moments, people: today.filter((event) => BY_SOMEBODY.has(event.code)) };
}

/** @param known time of the first row that this device holds; a day that was over then has no numbers */
function drawDay(start, end, { spans, moments, people }, known) {
  if (end <= known) return h('div', { class: 'day' }, h('h2', {}, day(start)), h('p', { class: 'hint' }, t('timelineUnknown')));
  const x = (time) => ((time - start) / (end - start)) * WIDTH;
  const count = (kind) => moments[kind].length;
  const numbers = t('timelineLabel', {
    count: spans.length, openings: count('opening'), alarms: count('alarm'), faults: count('fault'), links: count('link'),
  });
  const label = known > start ? t('timelineSince', { time: clock(known), label: numbers }) : numbers;
  const picture = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const bar = (kind, at, width, top = 0) =>
    picture.append(shape('rect', { class: kind, x: at, y: top, width, height: HEIGHT - 2 * top }));
  bar('ground', 0, WIDTH);
  for (const [from, to] of spans) bar('armed', x(from), Math.max(2, x(to) - x(from)), 4);
  for (const [kind, times] of Object.entries(moments)) for (const time of times) bar(kind, x(time) - WIDTHS[kind] / 2, WIDTHS[kind]);
  for (let hour = 6; hour < 24; hour += 6) bar('hour', (hour / 24) * WIDTH, 1);
  return h('div', { class: 'day' }, h('h2', {}, day(start)), picture, h('p', { class: 'hint' }, label),
    people.length > 0 && h('details', {}, h('summary', {}, t('timelinePeople', { count: people.length })),
      h('ul', {}, people.map((event) => h('li', {}, h('time', {}, clock(event.timestamp)), ' ', foreign(event.message))))));
}

/** Which colour is what; the sentence below each picture says the same in numbers. */
function legend() {
  return h('p', { class: 'legend', 'aria-hidden': 'true' }, ['armed', ...Object.keys(MOMENTS)].map((kind) => {
    const patch = shape('svg', { viewBox: '0 0 10 10' });
    patch.append(shape('rect', { class: kind, x: 0, y: 0, width: 10, height: 10 }));
    return h('span', { class: 'day' }, patch, t(`timeline${kind}`));
  }));
}
