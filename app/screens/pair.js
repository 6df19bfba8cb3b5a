// For: the screen that pairs this device with a box.
// Guarantees: the passkey is asked for from the tap on Pair; nothing goes to the network before that tap.
// Knows nothing of: the house afterwards.

import { canScan, deviceName, isInstalledNeeded } from '../device.js';
import { hasPresence, makeKey2, noKey2 } from '../keys.js';
import { Pairing } from '../pairing.js';
import { Scanner } from '../scan.js';
import { banner, button, fill, foreign, h, plain } from '../ui.js';
import { t } from '../texts.js';

// A browser that has not said by then whether it has a fingerprint, face or device code may pair without.
const PATIENCE = 5000;

/** `code`: from the link, or empty. `paired(id)`: a house was stored; its digits are to be typed at the box. */
export class PairScreen {
  element = h('section', { class: 'pair' });
  #app;
  #code;
  #pairing;
  #scanner;
  // One of each for all drawings: what is ticked stays ticked, and the browser's late answer draws nothing else anew.
  #presence = h('input', { id: 'presence', type: 'checkbox' });
  #presencePlace = h('div');
  // Who pairs without a passkey that the device has can never disarm with it.
  #pairButton = button(t('pair'), () => this.#pair(this.#presence.checked), { id: 'pair', class: 'strong', disabled: true });
  #isAnyway = false;
  #name = deviceName();
  #problem = '';

  constructor(app, code = '') {
    this.#app = app;
    this.#code = code;
    this.#draw();
    const ready = () => { this.#pairButton.disabled = false; };
    const timer = setTimeout(ready, PATIENCE);
    hasPresence().then((has) => {
      clearTimeout(timer);
      this.#offerPresence(has);
      ready();
    });
  }

  close() {
    this.#scanner?.stop();
    this.#pairing?.cancel();
  }

  #draw() {
    // Its picture goes with the form.
    this.#scanner?.stop();
    if (isInstalledNeeded() && !this.#isAnyway) return fill(this.element, ...this.#homeScreenFirst());
    return fill(this.element, ...this.#form());
  }

  #offerPresence(has) {
    this.#presence.checked = has;
    fill(this.#presencePlace, has
      ? [h('div', { class: 'check' }, this.#presence, h('label', { for: 'presence' }, t('pairPresence'))),
        h('p', { class: 'hint' }, t('pairPresenceWhy'))]
      : h('p', { class: 'hint' }, t('pairNoPresence')));
  }

  #homeScreenFirst() {
    const said = h('p', { role: 'status' });
    const copy = async () => {
      await navigator.clipboard.writeText(this.#code);
      fill(said, t('copied'));
    };
    return [
      h('h1', {}, t('iosTitle')), h('p', {}, t('iosWhy')),
      h('ol', {}, h('li', {}, t('ios1')), h('li', {}, t('ios2')), h('li', {}, t('ios3'))),
      this.#code && button(t('copyCode'), copy, { class: 'strong' }), said,
      button(t('iosAnyway'), () => {
        this.#isAnyway = true;
        this.#draw();
      }, { class: 'quiet' }),
    ];
  }

  #form() {
    const code = h('textarea', {
      id: 'code', rows: 4, autocapitalize: 'characters', autocomplete: 'off', spellcheck: 'false', required: true,
      oninput: (event) => { this.#code = event.target.value; },
    });
    code.value = this.#code;
    const name = h('input', {
      id: 'name', maxlength: 32, autocomplete: 'off', required: true, oninput: (event) => { this.#name = event.target.value; },
    });
    name.value = this.#name;
    const place = h('div');
    return [
      h('h1', {}, t('pairTitle')), h('p', {}, t('pairHow')),
      this.#problem && banner('warning', this.#problem),
      h('label', { for: 'code' }, t('pairCode')), code,
      h('div', { class: 'row' },
        navigator.clipboard?.readText && button(t('paste'), () => this.#paste()),
        canScan() && button(t('scan'), () => this.#scan(place))),
      place,
      h('label', { for: 'name' }, t('pairName')), name,
      this.#presencePlace,
      this.#pairButton,
      this.#app.houses.length > 0 && button(t('cancel'), () => this.#app.go('house'), { class: 'quiet' }),
    ].flat();
  }

  async #paste() {
    try {
      this.#code = await navigator.clipboard.readText();
      this.#problem = '';
    } catch {
      this.#problem = t('pasteRefused');
    }
    this.#draw();
  }

  async #scan(place) {
    this.#scanner?.stop();
    this.#scanner = new Scanner(place, (text) => {
      this.#code = codeOf(text);
      this.#draw();
    });
    try {
      await this.#scanner.start();
    } catch (problem) {
      this.#problem = t('scanRefused', { why: plain(problem.message) });
      this.#draw();
    }
  }

  async #pair(withPresence) {
    this.#scanner?.stop();
    const name = this.#name.trim() || deviceName();
    let key2 = noKey2();
    if (withPresence) {
      try {
        key2 = await makeKey2(name);
      } catch (problem) {
        return this.#failed(t('passkeyRefused', { why: plain(problem.message) }));
      }
    }
    this.#pairing = new Pairing(this.#app.store, (state) => this.#show(state));
    try {
      await this.#pairing.start({ code: codeOf(this.#code), name, key2 });
    } catch (problem) {
      this.#failed(plain(problem.message));
    }
    return undefined;
  }

  #failed(text) {
    this.#pairing?.cancel();
    this.#pairing = undefined;
    this.#problem = text;
    this.#draw();
  }

  #show(state) {
    switch (state.kind) {
      case 'waiting': return this.#wait(state);
      case 'failed': return this.#failed(state.text ? plain(state.text) : t(state.reason));
      case 'digits': return this.#app.paired(state.id);
      default: return undefined;
    }
  }

  #wait({ place, problem }) {
    fill(
      this.element, h('h1', {}, t('pairTitle')),
      h('p', { role: 'status', class: 'large' }, place ? t('pairWaitingAt', { place: plain(place) }) : t('pairWaiting')),
      problem && banner('warning', t('undelivered', { why: t(`relay${problem.kind}`) }), ' ',
        problem.words && t('relaySays', { words: plain(problem.words) })),
      button(t('cancel'), () => this.#failed('')),
    );
  }
}

/** The link that the box shows holds the code behind its '#'. */
export function codeOf(text) {
  const mark = text.indexOf('#');
  const code = (mark >= 0 ? text.slice(mark + 1) : text).trim();
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}

/** Six digits, large, until the box says welcome. */
export function digitsScreen(house) {
  const { digits, site } = house.record;
  return [
    h('h1', {}, t('pairDigits')),
    h('p', { class: 'digits', 'aria-label': digits.split('').join(' ') }, `${digits.slice(0, 3)} ${digits.slice(3)}`),
    h('p', {}, t('pairSite', { site: '' }).replace(/\s*\.$/, ' '), foreign(site, 80)),
    h('p', {}, t('pairDigitsWhy')),
  ];
}
