// For: the screen of the house: what is wrong first, then each partition in large, its buttons, and what became of commands.
// Guarantees: what is unknown or old looks unlike what is known; a button is there only where this device may use it.
// Knows nothing of: how a command gets to the box.

import { holdHint } from '../hold.js';
import { digitsScreen } from './pair.js';
import { actionButtons, forceDialog, hasKey2, moreActions, partitionName, zoneName } from './actions.js';
import { ago, banner, button, clock, fill, foreign, h, plain } from '../ui.js';
import { t, tIfKnown } from '../texts.js';
import { currentAlarms, gravestKind } from '../view.js';
import { alarmWord } from './alarm.js';

const SHOWN_COMMANDS = 5;

export class HouseScreen {
  element = h('section', { class: 'house' });
  #app;
  #isMoreOpen = false;
  #drawn = '';

  constructor(app) {
    this.#app = app;
    app.house?.step('prepare').catch(() => {});
    this.draw();
  }

  /** Draws only what differs: a button that is held must stay the same button. */
  draw() {
    const { house } = this.#app;
    if (!house?.view) return;
    const { view } = house;
    const minute = Math.floor(Date.now() / 15_000);
    const now = JSON.stringify([
      view, house.problem, house.isListening, house.record.zones, house.record.partitions, this.#app.pushProblem, this.#app.push, navigator.onLine,
      this.#app.recent.length, minute, this.#isMoreOpen,
    ]);
    if (now === this.#drawn || this.element.querySelector('.held')) return;
    this.#drawn = now;
    if (!view.isWelcomed && !view.hasLeft && house.record.digits) fill(this.element, ...digitsScreen(house));
    else fill(this.element, h('h1', { class: 'site' }, foreign(view.site || t('navHouse'), 80)), this.#warnings(view), view.isStale && this.#when(view),
      view.partitions.map((partition) => this.#partition(partition, view)),
      view.partitions.length === 0 && h('p', { class: 'state unknown' }, t('modeunknown')),
      !view.isStale && this.#when(view), holdHint(), !view.hasLeft && this.#more(view), this.#commands(view));
  }

  /** The most important first. */
  #warnings(view) {
    const { house, recent } = this.#app;
    const alarms = currentAlarms(recent, view.partitions);
    return [
      house.isKeyLost && banner('alarm', t('keyLost'), ' ', button(t('pairAnew'), () => this.#app.pairAnew())),
      view.hasLeft && banner('alarm', t('gone'), ' ', button(t('pairAnew'), () => this.#app.pairAnew())),
      alarms.length > 0 && banner('alarm', alarmWord(gravestKind(alarms)), ' ', foreign(alarms[0].event.message, 120), ' ',
        button(t('toAlarm'), () => this.#app.go('alarm'))),
      view.overdueSince !== null && banner('alarm', t('overdue', { time: clock(view.overdueSince) })),
      view.isTwoBoxes && banner('alarm', t('twoBoxes')),
      !navigator.onLine && banner('warning', t('offline')),
      house.problem && banner('warning', t('undelivered', { why: t(`relay${house.problem.kind ?? 'offline'}`) }), ' ',
        house.problem.words ? t('relaySays', { words: plain(house.problem.words, 120) }) : ''),
      view.missing > 0 && banner('info', t('gaps', { count: view.missing })),
      this.#app.push !== 'ok' && !view.hasLeft && banner('warning', t('noticesMissing'), ' ',
        button(t('navSettings'), () => this.#app.go('settings'))),
    ];
  }

  #partition(partition, view) {
    const isKnown = partition.mode !== null && !view.isStale;
    const mode = `mode${partition.mode ?? 'unknown'}`;
    const kind = partition.isInAlarm ? 'alarm' : partition.mode ?? 'unknown';
    return h('article', { class: `partition ${kind}${isKnown ? '' : ' stale'}` },
      view.partitions.length > 1 && h('h2', {}, foreign(partitionName(this.#app.house, partition.number))),
      h('p', { class: 'state' }, partition.isInAlarm && h('strong', {}, `${t('inAlarm')} `), t(mode)),
      h('p', { class: 'ready' }, readiness(partition)),
      partition.trouble > 0 && h('p', { class: 'trouble' }, t('trouble')),
      this.#zones('openZones', partition.open, 'openUnknown'),
      this.#zones('bypassedZones', partition.bypassed),
      !view.hasLeft && h('div', { class: 'actions' }, actionButtons(this.#app, partition, view)));
  }

  #zones(title, numbers, unknown) {
    if (numbers === null) return unknown ? h('p', { class: 'hint' }, t(unknown)) : null;
    if (numbers.length === 0) return null;
    return h('p', {}, `${t(title)}: `,
      numbers.map((number, index) => [index > 0 && ', ', foreign(zoneName(this.#app.house, number), 60)]).flat());
  }

  #when(view) {
    if (view.asOf === null) return banner('warning', t('staleNever'));
    const text = view.isStale
      ? banner('warning', t('stale', { ago: ago(view.asOf) }))
      : h('p', { class: 'hint' }, t('asOf', { time: clock(view.asOf), ago: ago(view.asOf) }));
    return [text, h('p', { class: 'hint' }, t('lastContact', { time: clock(view.lastContact), ago: ago(view.lastContact) }))];
  }

  #more(view) {
    const details = h('details', { ontoggle: (event) => { this.#isMoreOpen = event.target.open; } },
      h('summary', { id: 'more' }, t('more')), moreActions(this.#app, view));
    details.open = this.#isMoreOpen;
    return details;
  }

  #commands(view) {
    const newest = view.commands.slice(-SHOWN_COMMANDS).reverse();
    if (newest.length === 0) return null;
    return h('section', { class: 'commands', 'aria-live': 'polite' }, h('h2', {}, t('commandsTitle')),
      h('ul', {}, newest.map((command) => h('li', { class: command.kind }, this.#command(command, view)))));
  }

  #command(command, view) {
    const what = tIfKnown(`verb${command.verb}`) ?? plain(command.verb);
    const { partition, zone } = command.details;
    const where = partition ? ` ${partitionName(this.#app.house, Number(partition))}` : '';
    const zoneText = zone ? [' ', foreign(zoneName(this.#app.house, zone), 60)] : [];
    const why = command.why && (tIfKnown(`why${command.why.replaceAll(' ', '')}`) ?? plain(command.why, 120));
    const state = view.partitions.find((each) => each.number === partition);
    const offersForce = command.kind === 'failed' && command.verb === 'arm' && state?.open?.length > 0 && hasKey2(this.#app.house);
    return [
      `${clock(command.time)} · ${what}${where}`, ...zoneText, ': ',
      h('strong', {}, t(`outcome${command.kind}`)), why ? ` (${why})` : '',
      offersForce && button(t('force'), () => forceDialog(this.#app, state, command.details.mode)),
    ];
  }
}

function readiness(partition) {
  if (partition.mode !== 'disarmed' && partition.mode !== null) return '';
  if (partition.isReady === null) return t('readyUnknown');
  return partition.isReady ? t('ready') : t('notReady');
}
