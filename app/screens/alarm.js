// For: the screen of an alarm: what, where, since when, who has seen it; "seen", a call.
// Guarantees: shows what the log and the state say; an alarm that may be over stays until one of them says so.
// Knows nothing of: how the alarm came here.

import { ago, banner, button, clock, fill, foreign, h, plain } from '../ui.js';
import { t, tIfKnown } from '../texts.js';
import { currentAlarms, gravestKind, placeOf } from '../view.js';
import { actionButtons } from './actions.js';
import { holdHint } from '../hold.js';
import { PictureBoard } from '../pictures.js';

/** The word for alarms of a kind. */
export const alarmWord = (kind) => tIfKnown(`alarm${kind}`) ?? t('inAlarm');

export class AlarmScreen {
  element = h('section', { class: 'alarm-screen' });
  #app;
  #drawn = '';
  #board;

  constructor(app) {
    this.#app = app;
    this.#board = new PictureBoard(app.house);
    this.draw();
  }

  close() {
    this.#board.close();
  }

  draw() {
    const { house, recent } = this.#app;
    if (!house?.view) return;
    const now = JSON.stringify([house.view, recent[0], recent.length, Math.floor(Date.now() / 15_000)]);
    if (now === this.#drawn || this.element.querySelector('.held')) return;
    this.#drawn = now;
    const alarms = currentAlarms(recent, house.view.partitions)
      .sort((a, b) => Boolean(b.event.zone) - Boolean(a.event.zone));
    this.element.classList.toggle('calm', alarms.length === 0);
    const kind = gravestKind(alarms);
    fill(this.element, h('h1', {}, alarms.length > 0 ? alarmWord(kind) : t('alarmTitle')),
      alarms.length > 0 && tIfKnown(`advice${kind}`) && h('p', { class: 'large' }, t(`advice${kind}`)),
      h('p', { class: 'large' }, foreign(house.view.site, 80)),
      alarms.length === 0 && h('p', { class: 'large' }, t('noAlarm')),
      house.view.isStale && banner('warning', t('stale', { ago: ago(house.view.asOf) })),
      alarms.map((alarm) => this.#alarm(alarm)),
      alarms.length > 0 && [this.#seeing(alarms), this.#disarming(alarms), holdHint()],
      this.#call(), button(t('toHouse'), () => this.#app.go('house'), { class: 'quiet' }));
  }

  #alarm({ event, seen }) {
    return h('article', {},
      event.zoneName || event.zone
        ? h('p', { class: 'zone' }, foreign(event.zoneName ?? t('zone', { number: event.zone }), 80)) : null,
      event.message && h('p', {}, foreign(event.message)),
      h('p', {}, t('since', { time: clock(event.timestamp), ago: ago(event.timestamp) })),
      this.#board.gallery(event, false),
      seen.length === 0 ? h('p', { class: 'hint' }, t('notSeen'))
        : h('ul', {}, seen.map((each) => h('li', {}, `${t('seenBy')}, ${clock(each.timestamp)}: `, foreign(each.message, 120)))));
  }

  /** What is said of the newest holds for those before it. */
  #seeing(alarms) {
    const places = alarms.map(({ event }) => placeOf(event)).filter(Boolean);
    if (places.length === 0) return null;
    const newest = places.reduce((top, place) => (place.seq > top.seq ? place : top));
    const say = () => this.#app.house.give({ verb: 'seen', ...newest }).catch((problem) => this.#app.say(problem.message));
    const isSaid = this.#app.house.view.commands.some(({ verb, details, kind }) =>
      verb === 'seen' && details.log === newest.log && details.seq >= newest.seq && ['ok', 'pending'].includes(kind));
    return button(t('sayItSeen'), say, { class: 'strong', disabled: isSaid, id: 'seen' });
  }

  #disarming(alarms) {
    const { view } = this.#app.house;
    const numbers = new Set(alarms.map((alarm) => alarm.event.partition ?? 1));
    const concerned = view.partitions.filter((partition) => numbers.has(partition.number) && partition.mode !== 'disarmed');
    return h('div', { class: 'actions' }, concerned.map((partition) => actionButtons(this.#app, partition, view)));
  }

  #call() {
    const number = String(this.#app.callNumber ?? '').replace(/[^0-9+*#]/g, '');
    if (!number) return h('p', { class: 'hint' }, t('callMissing'));
    return h('a', { class: 'call', href: `tel:${encodeURIComponent(number)}` }, t('call', { number: plain(number) }));
  }
}
