// For: settings: notices and what the system will not do, this device's rights, the way to the box, the app's version.
// Guarantees: permission for notices is asked from the tap only; unpairing asks first.
// Knows nothing of: other phones and the box's channels; box.js shows them.

import { held } from '../files.js';
import { askPermission } from '../push.js';
import { banner, button, clock, confirm, fill, foreign, h, plain } from '../ui.js';
import { LANGUAGES, t, tIfKnown } from '../texts.js';

const NOTICES = {
  ok: 'noticesOn', ask: 'noticesAsk', denied: 'noticesDenied', install: 'noticesInstall', none: 'noticesNone',
  atBox: 'noticesNotAtBox',
};
const NAMES = { en: 'English', de: 'Deutsch' };

export class SettingsScreen {
  element = h('section', { class: 'settings' });
  #app;
  #version = null;
  #drawn = '';

  constructor(app) {
    this.#app = app;
    this.draw();
    held().then((version) => {
      this.#version = version;
      this.draw();
    }, () => {});
  }

  draw() {
    const { house } = this.#app;
    if (!house?.view) return;
    const now = JSON.stringify([house.view.roles, house.view.name, house.isListening, this.#app.push, this.#app.pushProblem, this.#version?.number]);
    if (now === this.#drawn) return;
    this.#drawn = now;
    fill(this.element, h('h1', {}, t('settingsTitle')), this.#notices(), wont(), this.#device(house), this.#way(house),
      this.#files(), this.#houses());
  }

  #notices() {
    const { push, pushProblem } = this.#app;
    const turnOn = async () => {
      if (await askPermission()) await this.#app.renewPush();
      this.#app.draw();
    };
    return h('article', {}, h('h2', {}, t('notices')),
      push === 'ok' ? h('p', {}, t('noticesOn')) : banner('warning', t(NOTICES[push] ?? 'noticesNone')),
      push === 'ask' && button(t('noticesTurnOn'), turnOn, { class: 'strong', id: 'notices' }),
      pushProblem && banner('warning', t('noticesFailed', { why: plain(pushProblem, 120) })));
  }

  #device(house) {
    const roles = house.view.roles.map((role) => tIfKnown(`role${role}`) ?? plain(role, 20)).join(', ');
    const number = h('input', {
      id: 'number', type: 'tel', autocomplete: 'tel', maxlength: 30, onchange: (event) => this.#app.setCallNumber(event.target.value),
    });
    number.value = this.#app.callNumber ?? '';
    const language = h('select', { id: 'language', onchange: (event) => this.#app.setLanguage(event.target.value) },
      h('option', { value: '' }, t('languageAuto')),
      LANGUAGES.map((each) => h('option', { value: each, lang: each, selected: each === this.#app.language }, NAMES[each])));
    const leave = async () => {
      if (await confirm(t('leaveSure'), t('leave'), [h('p', {}, t('leaveWhy'))])) this.#app.leave();
    };
    return h('article', {}, h('h2', {}, t('thisPhone')), h('p', { class: 'large' }, foreign(house.view.name, 40)),
      h('p', {}, t('roles', { roles: roles || t('rolesNone') })), h('p', { class: 'hint' }, t('keysAreHere')),
      h('label', { for: 'number' }, t('phoneNumber')), number,
      h('label', { for: 'language' }, t('languageLabel')), language,
      button(t('leave'), leave, { class: 'quiet', id: 'leave' }));
  }

  #way(house) {
    const place = plain(house.record.topic.slice(0, house.record.topic.lastIndexOf('/')), 80);
    return h('article', {}, h('h2', {}, t('waysTitle')),
      h('p', {}, t(house.isListening ? 'wayOpen' : 'wayClosed', { place })),
      h('p', { class: 'hint' }, t('lastContact', { time: clock(house.view.lastContact), ago: '' }).replace(/[,\s]+$/, '')),
      button(t('boxOpen'), () => this.#app.go('box'), { id: 'box' }));
  }

  #files() {
    const version = this.#version;
    return version && h('article', {}, h('h2', {}, t('versionTitle')),
      h('p', {}, t('version', { version: plain(version.version, 20), number: version.number })),
      h('p', { class: 'hint' }, version.key ? t('versionSigned', { key: version.key.slice(0, 16) }) : t('versionUnsigned')));
  }

  #houses() {
    return h('article', {}, h('h2', {}, t('chooseHouse')),
      h('ul', {}, this.#app.houses.map((record) => h('li', {}, button(plain(record.site, 60) || t('navHouse'),
        () => this.#app.openHouse(record.id), { disabled: record.id === this.#app.house?.id })))),
      button(t('addHouse'), () => this.#app.go('pair'), { id: 'add' }));
  }
}

/** What nobody must rely on. */
const wont = () => h('article', {}, h('h2', {}, t('wontTitle')),
  h('ul', {}, ['wont1', 'wont2', 'wont3', 'wont4'].map((key) => h('li', {}, t(key)))));
