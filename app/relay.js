// For: a topic server that speaks as ntfy does: send text to a topic, and hear what comes to a topic.
// Guarantees: what was missed while nobody listened is read first, as far as the server kept it; a dead stream is
//   opened again, after a pause that grows to a minute; what comes is given on in the server's order.
// Knows nothing of: what the text means. It may be repeated, reordered, or anybody's.

const LONGEST_PAUSE = 60_000;
/** Servers send a sign of life each 45 s. */
const SILENCE = 100_000;

/** `place` is `host/topic` or `host:port/topic`. 127.0.0.1 alone is without TLS, and only a demo's page may go there. */
export function topicAddress(place) {
  const slash = place.lastIndexOf('/');
  const host = place.slice(0, slash);
  const topic = place.slice(slash + 1);
  if (slash < 1 || !/^[A-Za-z0-9_-]{1,64}$/.test(topic) || !/^[A-Za-z0-9.\-[\]:_/]+$/.test(host)) {
    throw new RelayError('place', place);
  }
  const isLoopback = /^127\.0\.0\.1(:\d+)?$/.test(host);
  return `${isLoopback ? 'http' : 'https'}://${host}/${topic}`;
}

/** Why a message could not be sent. `kind`: place, offline, busy, refused; `words`: the server's own, not to be trusted. */
export class RelayError extends Error {
  constructor(kind, words = '') {
    super(kind);
    this.kind = kind;
    this.words = String(words).slice(0, 200);
  }
}

/** Sends text. `isKept` false: whoever does not listen now never gets it. */
export async function post(place, text, { isKept = true, timeout = 15_000 } = {}) {
  const address = topicAddress(place) + (isKept ? '' : '?cache=no');
  let answer;
  try {
    // Nothing but the text: no cookie, no referrer, and no question in advance.
    answer = await fetch(address, {
      method: 'POST', body: text, credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
  } catch (problem) {
    throw new RelayError('offline', problem.message);
  }
  if (answer.ok) return;
  const words = await answer.json().then((json) => json.error, () => '');
  throw new RelayError(answer.status === 429 ? 'busy' : 'refused', words || answer.status);
}

/** Listens to a topic. `hear({id, text})` for each message, `tell(isOpen)` when the stream opens or is lost. */
export class Listener {
  #place;
  #since;
  #hear;
  #tell;
  #source;
  #pause = 1_000;
  #timer;
  #watch;
  #isClosed = false;

  constructor(place, { since = 'all', hear, tell = () => {} }) {
    this.#place = topicAddress(place);
    this.#since = since;
    this.#hear = hear;
    this.#tell = tell;
    this.#open();
  }

  /** The network is back, or the page came to the front: do not wait for the end of a pause. */
  wake() {
    if (this.#isClosed || this.#source?.readyState === EventSource.OPEN) return;
    this.#pause = 1_000;
    this.#open();
  }

  close() {
    this.#isClosed = true;
    this.#drop();
  }

  #drop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    this.#source?.close();
    this.#source = undefined;
  }

  #open() {
    this.#drop();
    const source = new EventSource(`${this.#place}/sse?since=${encodeURIComponent(this.#since)}`);
    this.#source = source;
    this.#alive();
    source.addEventListener('open', () => {
      this.#alive();
      this.#pause = 1_000;
      this.#tell(true);
    });
    source.addEventListener('keepalive', () => this.#alive());
    source.addEventListener('message', (event) => {
      this.#alive();
      this.#take(event.data);
    });
    source.addEventListener('error', () => this.#lost());
  }

  #take(data) {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (message === null || message.event !== 'message' || typeof message.message !== 'string') return;
    if (typeof message.id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(message.id)) this.#since = message.id;
    this.#hear({ id: this.#since, text: message.message });
  }

  #alive() {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#lost(), SILENCE);
  }

  #lost() {
    if (this.#isClosed) return;
    this.#drop();
    this.#tell(false);
    // Not all devices at the same moment, when a server comes back.
    this.#timer = setTimeout(() => this.#open(), this.#pause * (0.75 + Math.random() / 2));
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }
}

/** 24 random letters and digits of base32: whoever does not know them does not find the topic. */
export function randomTopic() {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => letters[byte & 31]).join('');
}
