// For: the app around a house: which screen is shown, which house is open, notices, the worker.
// Guarantees: while another tab is the house, this one shows that and nothing else; an alarm comes to the front.
// Knows nothing of: what the screens show.

import { HousePlace } from './houseplace.js';
import { forget, pushState, registerWorker, renew } from './push.js';
import { ring, unlock } from './sound.js';
import { Store } from './store.js';
import { choose, t } from './texts.js';
import { banner, button, fill, foreign, h } from './ui.js';
import { AlarmScreen } from './screens/alarm.js';
import { BoxScreen } from './screens/box.js';
import { HouseScreen } from './screens/house.js';
import { LogScreen } from './screens/log.js';
import { PairScreen } from './screens/pair.js';
import { SettingsScreen } from './screens/settings.js';
import { TimelineScreen } from './screens/timeline.js';

const SCREENS = { house: HouseScreen, alarm: AlarmScreen, log: LogScreen, timeline: TimelineScreen, settings: SettingsScreen, box: BoxScreen };
const NAVIGATION = { house: 'navHouse', log: 'navLog', timeline: 'navTimeline', settings: 'navSettings' };
const RECENT = 200;

export class App {
  store;
  houses = [];
  house = null;
  /** The newest events, newest first. */
  recent = [];
  push = 'none';
  pushProblem = '';
  callNumber = '';
  language = '';
  #element;
  #top = document.getElementById('top');
  /** What is to be said of the app's own files, on every screen; null: nothing. */
  #filesNews = null;
  #navigation = document.getElementById('nav');
  #screen = null;
  #place = null;
  #renewal = Promise.resolve();

  constructor(element) {
    this.#element = element;
  }

  async start(code) {
    this.store = await Store.open();
    this.callNumber = (await this.store.setting('callNumber')) ?? '';
    this.language = (await this.store.setting('language')) ?? '';
    choose(this.language);
    this.houses = await this.store.houses();
    this.#listen();
    this.#files();
    const { name, id } = this.#asked();
    if (code || this.houses.length === 0) return this.#show(new PairScreen(this, code), 'pair');
    const last = id || (await this.store.setting('lastHouse'));
    const record = this.houses.find((each) => each.id === last) ?? this.houses[0];
    return this.openHouse(record.id, name);
  }

  // Screens

  go(name) {
    if (location.hash === `#/${name}`) this.#route();
    else location.hash = `#/${name}`;
  }

  #asked() {
    const [, name = 'house', id] = location.hash.split('/');
    return { name, id: Number(id) || 0 };
  }

  #route() {
    const { name, id } = this.#asked();
    if (id && id !== this.house?.id && this.houses.some((each) => each.id === id)) return this.openHouse(id, name);
    if (name === 'pair' || !this.house) return this.#show(new PairScreen(this), 'pair');
    return this.#show(new (SCREENS[name] ?? HouseScreen)(this), name);
  }

  #show(screen, name) {
    this.#screen?.close?.();
    this.#screen = screen;
    fill(this.#top, this.#filesNews);
    fill(this.#element, screen.element);
    document.body.dataset.screen = name;
    this.#element.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    this.#navigation.setAttribute('aria-label', t('navLabel'));
    fill(this.#navigation, this.house ? Object.entries(NAVIGATION).map(([each, text]) =>
      h('a', { href: `#/${each}`, 'aria-current': each === name ? 'page' : null }, t(text))) : []);
  }

  draw() {
    this.push = this.house?.view?.isWelcomed && !this.house.view.vapid && pushState() !== 'none' ? 'atBox' : pushState();
    this.#screen?.draw?.();
  }

  /** A sentence at the top, until the next screen. */
  say(text) {
    fill(this.#top, banner('warning', foreign(text)));
  }

  // Houses

  async openHouse(id, screen = 'house') {
    await this.#place?.close();
    this.house = null;
    this.houses = await this.store.houses();
    await this.store.set('lastHouse', id);
    this.#place = new HousePlace(this.store, id, {
      opened: (house) => this.#opened(house, screen),
      elsewhere: (take) => this.#elsewhere(take),
    });
    return this.#place.open();
  }

  async #opened(house, screen) {
    this.house = house;
    await this.#readRecent();
    house.addEventListener('changed', () => this.#changed());
    house.addEventListener('problem', ({ detail }) => this.say(detail.text));
    house.addEventListener('welcomed', () => this.#welcomed());
    house.addEventListener('arrived', ({ detail }) => this.#arrived(detail));
    house.addEventListener('left', () => forget(house.id).catch(() => {}));
    house.listen();
    if (this.#asked().name === screen) this.#route();
    else this.go(screen);
    this.draw();
    await house.readInbox();
    if (house.view.isWelcomed) await this.renewPush();
  }

  #elsewhere(take) {
    this.house = null;
    this.#show({
      element: h('section', {}, h('h1', {}, t('otherTab')), h('p', {}, t('otherTabWhy')), button(t('useHere'), take, { class: 'strong', id: 'take' })),
    }, 'elsewhere');
  }

  async #changed() {
    if (this.house?.wantsNewPush) this.renewPush();
    await this.#readRecent();
    this.draw();
  }

  async #readRecent() {
    const rows = await this.store.rows(this.house.id, { count: RECENT });
    this.recent = rows.map((row) => row.event);
  }

  async #welcomed() {
    this.house.record.digits = null;
    await this.store.changeHouse(this.house.id, { digits: null, site: this.house.view.site });
    Store.persist();
    this.draw();
    await this.renewPush();
  }

  async #arrived({ event, isQuiet }) {
    if (event.type !== 'alarm' || isQuiet) return;
    ring();
    await this.#readRecent();
    this.go('alarm');
  }

  async paired(id) {
    await this.openHouse(id);
  }

  /** Ends what is here and pairs again; the box keeps the dead phone until it is revoked there. */
  async pairAnew() {
    const { id } = this.house;
    await this.#place.close();
    await forget(id).catch(() => {});
    await this.store.removeHouse(id);
    this.house = null;
    this.houses = await this.store.houses();
    this.go('pair');
  }

  async leave() {
    await this.house.give({ verb: 'leave' }).catch(() => {});
    await this.house.settled();
    await this.pairAnew();
  }

  // Settings

  async setCallNumber(number) {
    this.callNumber = number.trim();
    await this.store.set('callNumber', this.callNumber);
  }

  async setLanguage(name) {
    this.language = name;
    await this.store.set('language', name);
    choose(name);
    this.#route();
  }

  // From outside

  /** One after the other: two at once would make two subscriptions. */
  renewPush() {
    this.#renewal = this.#renewal.then(async () => {
      this.pushProblem = '';
      try {
        await renew(this.house, this.store);
      } catch (problem) {
        this.pushProblem = problem.message;
      }
      this.draw();
    });
    return this.#renewal;
  }

  #listen() {
    window.addEventListener('hashchange', () => this.#route());
    window.addEventListener('online', () => this.house?.wake());
    window.addEventListener('offline', () => this.draw());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.house?.wake());
    document.addEventListener('pointerdown', unlock, { once: true });
    navigator.serviceWorker?.addEventListener('message', ({ data }) => this.#told(data));
    // What is shown grows old by itself.
    setInterval(() => this.draw(), 5_000);
  }

  #told(data) {
    if (data?.do === 'inbox' && data.house === this.house?.id) this.house.readInbox();
    if (data?.do === 'renew' && data.house === this.house?.id) this.renewPush();
    if (data?.do === 'alarm') location.hash = `#/alarm/${Number(data.house)}`;
  }

  /** The worker keeps the app's files, and looks for newer ones at each opening. */
  async #files() {
    const registration = await registerWorker('./').catch((problem) => console.warn('no worker', problem));
    const worker = registration?.active;
    if (!worker) return;
    const channel = new MessageChannel();
    channel.port1.onmessage = ({ data }) => {
      if (data.isNew) this.#filesNews = banner('info', t('newVersion'), ' ', button(t('reload'), () => location.reload()));
      const why = { older: 'Older', signature: 'Signature', damaged: 'Damaged', form: 'Form' }[data.refused];
      if (why) this.#filesNews = banner('warning', t('updateRefused', { why: t(`refused${why}`) }));
      if (this.#filesNews) fill(this.#top, this.#filesNews);
    };
    worker.postMessage({ do: 'update' }, [channel.port2]);
  }
}
