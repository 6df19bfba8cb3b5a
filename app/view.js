// For: what the core says of the house, in the words of the screens.
// Guarantees: what the core does not say is null, which the screens call unknown; never a guess.
// Knows nothing of: screens, storage.

const ARMING = {
  d: 'disarmed', s: 'stay', a: 'away', n: 'night', x: 'exit', e: 'entry',
  disarmed: 'disarmed', stay: 'stay', away: 'away', noEntryDelay: 'night', exitDelay: 'exit', entryDelay: 'entry',
};
const OUTCOMES = ['pending', 'ok', 'denied', 'failed', 'expired', 'timeout'];

/** A place in the box's journal, as numbers; null for an event that has none yet. */
export function placeOf(event) {
  const place = event.position ?? event;
  const log = typeof place.log === 'string' ? parseInt(place.log, 16) : place.log;
  const seq = Number(place.seq);
  return Number.isFinite(log) && Number.isFinite(seq) && seq > 0 ? { log, seq } : null;
}

const logText = (log) => log.toString(16).padStart(8, '0');

/** The same place, as a command names it. */
export function commandPlace(event) {
  const place = placeOf(event);
  return place && { log: logText(place.log), seq: place.seq };
}

/** An outcome: {kind, why}. */
function outcomeOf(told) {
  if (typeof told === 'string') return { kind: OUTCOMES.includes(told) ? told : 'pending', why: '' };
  const kind = OUTCOMES.find((name) => name in (told ?? {}));
  return { kind: kind ?? 'pending', why: String(told?.[kind] ?? '') };
}

/** A command that this phone gave. */
function commandOf(record) {
  const told = record.command ?? {};
  // Either {verb, partition …}, or {verb: {partition …}} as the core's own types are written.
  const verb = told.verb ?? Object.keys(told)[0] ?? '';
  const details = told.verb ? told : told[verb];
  const outcome = outcomeOf(record.outcome);
  const why = outcome.why || String(record.why ?? '');
  return { id: record.id, verb, details: details ?? {}, time: record.time ?? null, kind: outcome.kind, why };
}

const orNull = (value) => value ?? null;

function partitionOf(told) {
  return {
    number: told.number,
    /** disarmed, stay, away, night, exit, entry; null is unknown. */
    mode: ARMING[told.arming ?? told.mode] ?? null,
    isReady: orNull(told.isReady ?? told.ready),
    isInAlarm: orNull(told.isInAlarm ?? told.alarm),
    trouble: orNull(told.trouble),
    open: orNull(told.openZones),
    bypassed: orNull(told.bypassedZones),
  };
}

/** What the screens show of a house. */
export function readView(told) {
  const partitions = told.partitions ?? told.state?.partitions ?? [];
  return {
    site: told.site ?? '',
    name: told.name ?? '',
    roles: told.roles ?? [],
    isWelcomed: told.welcomed === true,
    hasLeft: told.left === true,
    partitions: partitions.map(partitionOf),
    /** Not sure is stale. */
    isStale: told.stale !== false,
    asOf: orNull(told.asOf),
    lastContact: orNull(told.lastContact),
    overdueSince: orNull(told.overdueSince),
    isTwoBoxes: told.twoBoxes === true,
    commands: (told.commands ?? []).map(commandOf),
    addresses: told.cmds ?? [],
    vapid: orNull(told.vapid),
    gaps: gapsOf(told.gaps),
  };
}

/** Missing rows of the log: [{from, to}], both included. */
function gapsOf(told) {
  if (!Array.isArray(told)) return [];
  return told
    .map((gap) => ({
      from: Number(gap.from ?? gap.first ?? gap[0]), to: Number(gap.to ?? gap.through ?? gap.last ?? gap[1]),
    }))
    .filter((gap) => gap.from > 0 && gap.to >= gap.from);
}

/** What rings now, from the newest rows (newest first): [{event, seen: [event]}], newest first. */
export function currentAlarms(rows, partitions) {
  const recovered = new Set(rows.map((event) => event.recovers).filter(Boolean));
  const alarms = [];
  const seen = [];
  const over = new Set();
  for (const event of rows) {
    const partition = event.partition ?? null;
    if (event.code === 'SEEN') seen.push(event);
    if (event.type === 'disarmed') over.add(partition);
    if (event.type !== 'alarm' || over.has(partition)) continue;
    const state = partitions.find((each) => each.number === (partition ?? 1));
    const isOver = recovered.has(placeOf(event)?.seq) && state?.isInAlarm !== true;
    if (!isOver && state?.isInAlarm !== false) alarms.push({ event, seen: [...seen] });
  }
  return alarms;
}

/** Sealed messages of topic servers go to the addresses of kind 1. */
export function topicsOf(view) {
  return view.addresses
    .filter((address) => Number(address.kind) === 1)
    .map((address) => address.text ?? address.value)
    .filter((text) => typeof text === 'string');
}
