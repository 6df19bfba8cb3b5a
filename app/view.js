// For: what the core says of the house, in the words of the screens.
// Guarantees: what the core does not say is null, which the screens call unknown; never a guess.
// Knows nothing of: screens, storage.

const ARMING = { d: 'disarmed', s: 'stay', a: 'away', n: 'night', x: 'exit', e: 'entry' };
const orNull = (value) => value ?? null;
const OUTCOMES = ['pending', 'ok', 'denied', 'failed', 'expired', 'timeout'];

/** A place in the box's journal, as numbers; null for an event that has none yet. */
export function placeOf(event) {
  const { log, seq } = event.position ?? {};
  return Number.isFinite(log) && Number.isFinite(seq) && seq > 0 ? { log, seq } : null;
}

/** A command that this phone gave. */
function commandOf({ id, command = {}, time, outcome, why }) {
  const { verb = '', ...details } = command;
  return { id, verb, details, time: orNull(time), kind: OUTCOMES.includes(outcome) ? outcome : 'pending', why: String(why ?? '') };
}

function partitionOf(told) {
  return {
    number: told.number,
    /** disarmed, stay, away, night, exit, entry; null is unknown. */
    mode: ARMING[told.arming] ?? null,
    isReady: orNull(told.isReady),
    isInAlarm: orNull(told.isInAlarm),
    trouble: orNull(told.trouble),
    open: orNull(told.openZones),
    bypassed: orNull(told.bypassedZones),
  };
}

/** What the screens show of a house. */
export function readView(told) {
  return {
    site: told.site ?? '',
    name: told.name ?? '',
    phone: orNull(told.phone),
    roles: told.roles ?? [],
    isWelcomed: told.welcomed === true,
    hasLeft: told.left === true,
    partitions: (told.partitions ?? []).map(partitionOf),
    /** Not sure is stale. */
    isStale: told.stale !== false,
    asOf: orNull(told.asOf),
    lastContact: orNull(told.lastContact),
    overdueSince: orNull(told.overdueSince),
    /** Counts the starts of the box. */
    boot: orNull(told.boot),
    isTwoBoxes: Boolean(told.twoBoxes),
    commands: (told.commands ?? []).map(commandOf),
    addresses: told.cmds ?? [],
    vapid: orNull(told.vapid),
    /** The box says that the push service has ended this phone's subscription. */
    isPushGone: told.pushGone === true,
    /** How many rows of the log are missing. */
    missing: Number(told.gaps) || 0,
  };
}

/** An alarm is shown for so many seconds although the state says that it is over: it may be of another kind. */
const FRESH = 900;

/** What rings now, from the newest rows (newest first): [{event, seen: [event]}], newest first. */
export function currentAlarms(rows, partitions, now = Date.now() / 1000) {
  const recovered = new Set(rows.map((event) => event.recovers).filter(Boolean));
  const alarms = [];
  const seen = [];
  const over = new Set();
  for (const event of rows) {
    const number = event.partition ?? 1;
    if (event.code === 'SEEN') seen.push(event);
    if (event.type === 'disarmed') over.add(number);
    if (event.type !== 'alarm' || over.has(number)) continue;
    const rings = partitions.find((each) => each.number === number)?.isInAlarm ?? null;
    const isOver = recovered.has(placeOf(event)?.seq) || (rings === false && now - event.timestamp > FRESH);
    if (rings === true || !isOver) alarms.push({ event, seen: [...seen] });
  }
  const told = new Set(alarms.map((alarm) => alarm.event.partition ?? 1));
  // The state says so, and the row is not here.
  const untold = partitions.filter((each) => each.isInAlarm === true && !told.has(each.number));
  return [...alarms, ...untold.map(({ number }) => ({ event: { type: 'alarm', message: '', partition: number, timestamp: null }, seen: [] }))];
}

/** Kinds of alarm that the box names, the gravest first; an alarm without one is a burglary, or of a box that names none. */
const KINDS = ['fire', 'carbonMonoxide', 'gas', 'panic', 'medical', 'burglary', 'water', 'tamper'];

/** What to call several alarms at once: the gravest of their kinds. */
export function gravestKind(alarms) {
  const kinds = new Set(alarms.map(({ event }) => event.kind ?? 'burglary'));
  return KINDS.find((kind) => kinds.has(kind)) ?? 'burglary';
}

const SCHEDULE = ['SCHEDULE_SOON', 'SCHEDULE_DECLINED', 'SCHEDULE_FAILED'];

/** So many seconds after its warning the schedule has armed, or has not. */
const WARNING = 8000;

/** Whether the schedule is about to arm this partition, from the newest rows (newest first). */
export function armsSoon(rows, number, now = Date.now() / 1000) {
  const newest = rows.find((event) => (event.partition ?? 1) === number
    && (SCHEDULE.includes(event.code) || ['armed', 'disarmed'].includes(event.type)));
  return newest?.code === 'SCHEDULE_SOON' && now - newest.timestamp < WARNING;
}

/** Sealed messages of topic servers go to the addresses of kind 1. */
export function topicsOf(view) {
  return view.addresses
    .filter((address) => Number(address.kind) === 1)
    .map((address) => address.text ?? address.value)
    .filter((text) => typeof text === 'string');
}
