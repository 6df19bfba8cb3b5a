// For: the buttons that give commands.
// Guarantees: arming, disarming, panic, bypassing and outputs act by holding or after a question; open zones are named
//   before arming with them; panic stands behind a second step.
// Knows nothing of: outcomes; the house screen shows them.

import { holdButton } from '../hold.js';
import { confirm, button, foreign, h, plain } from '../ui.js';
import { t } from '../texts.js';
import { armsSoon } from '../view.js';

export const zoneName = (house, number) => house.record.zones?.[number] ?? t('zone', { number });

export const partitionName = (house, number) => plain(house.record.partitions?.[number] ?? t('partition', { number }), 40);

const openZones = (app, partition) => (partition.open ?? []).map((number) => zoneName(app.house, number));

const give = (app, command) => app.house.give(command).catch((problem) => app.say(problem.message));

/** Whether this device has what disarming wants. */
export const hasKey2 = (house) => house.record.keys.key2.algorithm !== 0;

export function actionButtons(app, partition, view) {
  const may = (role) => view.roles.includes(role);
  const { number } = partition;
  const isDisarmed = partition.mode === 'disarmed';
  const buttons = [];
  if (may('arm') && (isDisarmed || partition.mode === null)) {
    buttons.push(arm(app, partition, 'away', 'armAway'), arm(app, partition, 'stay', 'armStay'));
  }
  if (may('disarm') && !isDisarmed && hasKey2(app.house)) {
    buttons.push(holdButton(t('disarm'), {
      id: `disarm-${number}`, kind: 'strong', question: t('suredisarm', { partition: partitionName(app.house, number) }),
      act: () => give(app, { verb: 'disarm', partition: number }),
    }));
  }
  // The box takes a disarming in the schedule's warning as "not tonight".
  if (may('disarm') && isDisarmed && hasKey2(app.house) && armsSoon(app.recent, number)) {
    buttons.push(holdButton(t('decline'), {
      id: `decline-${number}`, kind: 'strong', question: t('suredecline', { partition: partitionName(app.house, number) }),
      act: () => give(app, { verb: 'disarm', partition: number }),
    }));
  }
  if (may('disarm') && !isDisarmed && !hasKey2(app.house)) buttons.push(h('p', { class: 'hint' }, t('cannotDisarm')));
  // What weakens arming wants its owner's presence, as disarming does.
  if (may('arm') && isDisarmed && partition.open?.length > 0 && hasKey2(app.house)) {
    buttons.push(button(t('force'), () => forceDialog(app, partition, 'away'), { id: `force-${number}`, class: 'quiet' }));
  }
  return buttons;
}

function arm(app, partition, mode, label) {
  const { number } = partition;
  return holdButton(t(label), {
    id: `${mode}-${number}`, kind: 'strong', question: t(`sure${mode}`, { partition: partitionName(app.house, number) }),
    act: () => give(app, { verb: 'arm', partition: number, mode, force: false }),
  });
}

/** Names the zones that will not guard. */
export async function forceDialog(app, partition, mode = 'away') {
  const zones = openZones(app, partition).map((name) => h('li', {}, foreign(name, 60)));
  const isSure = await confirm(t('sureforce'), t('force'), [h('p', {}, t('forceWhy')), h('ul', {}, zones)]);
  if (isSure) give(app, { verb: 'arm', partition: partition.number, mode, force: true });
}

/** Behind "More": bypass, outputs, chime, panic. */
export function moreActions(app, view) {
  const may = (role) => view.roles.includes(role);
  return h('div', { class: 'more' },
    may('bypass') && hasKey2(app.house) && bypasses(app, view),
    may('bypass') && hasKey2(app.house) && view.partitions.map((partition) => outputs(app, partition.number, view)),
    may('arm') && chimes(app, view),
    may('panic') && panic(app));
}

function bypasses(app, view) {
  const bypassed = new Set(view.partitions.flatMap((partition) => partition.bypassed ?? []));
  const zones = [...new Set([...Object.keys(app.house.record.zones ?? {}).map(Number),
    ...view.partitions.flatMap((partition) => partition.open ?? []), ...bypassed])].sort((a, b) => a - b);
  const input = h('input', { id: 'zone', type: 'number', min: 1, max: 128, inputmode: 'numeric' });
  const ask = async (zone, on) => {
    const name = zoneName(app.house, zone);
    const question = t(on ? 'surebypass' : 'sureunbypass', { zone: '…' });
    const isSure = await confirm(question, t(on ? 'bypass' : 'unbypass'), [h('p', { class: 'large' }, foreign(name, 60))]);
    if (isSure) give(app, { verb: 'bypass', zone, on });
  };
  return [
    h('h2', {}, t('bypass')),
    h('ul', { class: 'zones' }, zones.map((zone) => h('li', {}, foreign(zoneName(app.house, zone), 60), ' ',
      button(t(bypassed.has(zone) ? 'unbypass' : 'bypass'), () => ask(zone, !bypassed.has(zone)))))),
    h('div', { class: 'row' }, h('label', { for: 'zone' }, t('bypassZone')), input,
      button(t('bypass'), () => input.reportValidity() && input.value && ask(Number(input.value), true))),
  ];
}

function outputs(app, partition, view) {
  return h('div', { class: 'row outputs' }, view.partitions.length > 1 && h('span', {}, partitionName(app.house, partition)),
    [1, 2, 3, 4].map((number) => holdButton(t('output', { number }), {
      id: `output-${partition}-${number}`, question: t('sureoutput', { number }),
      act: () => give(app, { verb: 'output', partition, number }),
    })));
}

/** The panel does not tell whether it chimes: so both buttons. */
function chimes(app, view) {
  const set = (partition, on) => give(app, { verb: 'chime', partition, on });
  return [h('h2', {}, t('chime')), view.partitions.map(({ number }) => h('div', { class: 'row' },
    view.partitions.length > 1 && h('span', {}, partitionName(app.house, number)),
    button(t('chimeOn'), () => set(number, true)), button(t('chimeOff'), () => set(number, false))))];
}

/** Three buttons that are not there before somebody asks for them. */
function panic(app) {
  const place = h('div', { class: 'row' });
  const open = () => place.replaceChildren(...['fire', 'ambulance', 'police'].map((kind) =>
    holdButton(t(`panic${kind}`), {
      id: `panic-${kind}`, kind: 'danger', question: t('surepanic', { kind: t(`panic${kind}`) }),
      act: () => give(app, { verb: 'panic', kind }),
    })));
  return [h('h2', {}, t('panicTitle')), h('p', { class: 'hint' }, t('panicWhy')), button(t('panicOpen'), open, { id: 'panic' }), place];
}
