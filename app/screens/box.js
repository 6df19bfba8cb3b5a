// For: what the box tells of itself: its channels to people and its links, and, to an admin, who has a phone.
// Guarantees: what is shown says how old it is; a phone is suspended only after a question, and never this one.
// Knows nothing of: how a list gets here; house.js does.

import { banner, button, clock, confirm, fill, foreign, h, plain } from '../ui.js';
import { t, tIfKnown } from '../texts.js';
import { hasKey2 } from './actions.js';

export class BoxScreen {
  element = h('section', { class: 'box' });
  #app;
  #isAsking = false;
  #isSilent = false;
  #drawn = '';

  constructor(app) {
    this.#app = app;
    this.#ask();
  }

  async #ask() {
    const { house } = this.#app;
    this.#isAsking = true;
    this.draw();
    const wanted = house.view.roles.includes('admin') ? ['channels', 'phones'] : ['channels'];
    let isSilent = false;
    for (const name of wanted) isSilent ||= !(await house.list(name).catch(() => false));
    this.#isSilent = isSilent;
    this.#isAsking = false;
    this.draw();
  }

  draw() {
    const { house } = this.#app;
    if (!house?.view) return;
    const now = JSON.stringify([house.lists, house.view.roles, house.view.phone, this.#isAsking, this.#isSilent, Math.floor(Date.now() / 15_000)]);
    if (now === this.#drawn) return;
    this.#drawn = now;
    const { channels, phones } = house.lists;
    fill(this.element, h('h1', {}, t('boxTitle')),
      this.#isAsking && h('p', { role: 'status' }, t('boxAsking')),
      this.#isSilent && !this.#isAsking && banner('warning', t('boxSilent')),
      this.#list('channelsTitle', channels, (row) => row.channel && channel(row)),
      this.#list('linksTitle', channels, (row) => row.link && link(row)),
      phones && this.#list('phonesTitle', phones, (row) => this.#phone(row)),
      h('div', { class: 'row' }, button(t('boxAgain'), () => this.#ask(), { id: 'again', disabled: this.#isAsking })));
  }

  #list(title, list, draw) {
    const rows = (list?.rows ?? []).map(draw).filter(Boolean);
    return h('article', {}, h('h2', {}, t(title)),
      list?.refused ? h('p', {}, t('whyrole')) : null,
      rows.length > 0 ? h('ul', { class: 'zones' }, rows.map((row) => h('li', {}, row))) : null,
      list && !list.refused && rows.length === 0 ? h('p', {}, t('boxNone')) : null,
      h('p', { class: 'hint' }, t(list ? 'boxAsOf' : 'unknown', { time: clock(list?.time) })));
  }

  #phone(row) {
    const { house } = this.#app;
    const roles = (row.roles ?? '').split(',').filter(Boolean).map((role) => tIfKnown(`role${role}`) ?? plain(role, 20)).join(', ');
    const states = (row.state ?? '').split(',').filter(Boolean).map((state) => tIfKnown(`phone${state}`) ?? plain(state, 20));
    const isThis = row.id === house.view.phone;
    const isSuspended = (row.state ?? '').split(',').includes('suspended');
    const suspend = async () => {
      const isSure = await confirm(t('suspendSure'), t('suspend'), [h('p', { class: 'large' }, foreign(row.name, 40)), h('p', {}, t('suspendWhy'))]);
      if (!isSure) return;
      house.give({ verb: 'suspend', phone: row.id }).catch((problem) => this.#app.say(problem.message));
      // What becomes of commands is shown there.
      this.#app.go('house');
    };
    return [
      h('div', {}, h('strong', {}, foreign(row.name, 40)), row.person ? [' · ', foreign(row.person, 40)] : '',
        isThis ? ` · ${t('thisPhone')}` : '',
        h('p', { class: 'hint' }, [t('roles', { roles: roles || t('rolesNone') }), ...states,
          row.heard && t('heardOf', { time: clock(Number(row.heard)) })].filter(Boolean).join(' · '))),
      row.id && !isThis && !isSuspended && hasKey2(house) && button(t('suspend'), suspend, { class: 'quiet' }),
    ];
  }
}

function channel(row) {
  const isGood = row.state === 'ready';
  return h('div', { class: isGood ? '' : 'trouble' }, h('strong', {}, foreign(row.channel, 30)), ` · ${t(isGood ? 'channelReady' : 'channelFailing')}`,
    h('p', { class: 'hint' }, row.accepted ? t('channelAccepted', { time: clock(Number(row.accepted)) }) : t('channelNever')),
    row.why && h('p', {}, foreign(row.why, 200)));
}

function link(row) {
  const state = tIfKnown(`link${row.state}`) ?? plain(row.state, 20);
  return h('div', { class: ['up', 'asleep'].includes(row.state) ? '' : 'trouble' }, h('strong', {}, foreign(row.link, 30)), ` · ${state}`,
    h('p', { class: 'hint' }, t('linkSince', { time: clock(Number(row.since)) })));
}
