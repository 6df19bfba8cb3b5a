// For: elements, made without a line of HTML as text, and the small things that all screens use.
// Guarantees: words from outside (zones, people, the site, a relay) enter as text only, without control characters and
//   without characters that turn the direction of writing around.
// Knows nothing of: houses.

import { language, t } from './texts.js';

// Controls, marks and overrides of direction, invisible joiners, line separators, tags.
const UNWANTED = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Foreign words, fit for the screen. */
export function plain(text, longest = 300) {
  const cleaned = String(text ?? '').toWellFormed?.() ?? String(text ?? '');
  const characters = Array.from(cleaned.replace(UNWANTED, '\ufffd'));
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('');
}

/** An element. `on…` are listeners, `class` and others attributes; children are elements or text. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Foreign words as an element that keeps their direction to itself. */
export const foreign = (text, longest) => h('bdi', {}, plain(text, longest));

export const button = (label, onclick, attributes = {}) => h('button', { type: 'button', onclick, ...attributes }, label);

/** A sentence that matters, said by screen readers when it appears. `kind`: alarm, warning, info. */
export const banner = (kind, ...children) =>
  h('p', { class: `banner ${kind}`, role: kind === 'info' ? 'status' : 'alert' }, ...children);

/** Replaces what stands in an element, and keeps the focus where it was, by the element's id. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : '';
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (focused) document.getElementById(focused)?.focus();
}

const isToday = (date) => date.toDateString() === new Date().toDateString();

/** Seconds since 1970 as a clock shows them; with the day where it is another. */
export function clock(seconds) {
  if (seconds === null || seconds === undefined) return t('unknown');
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return t('unknown');
  const form = isToday(date) ? { timeStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(language(), form).format(date);
}

export function day(seconds) {
  return new Intl.DateTimeFormat(language(), { dateStyle: 'full' }).format(new Date(seconds * 1000));
}

/** "3 minutes ago", in words. */
export function ago(seconds) {
  if (seconds === null || seconds === undefined) return t('unknown');
  const passed = Math.max(0, Date.now() / 1000 - seconds);
  const words = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' });
  if (passed < 90) return words.format(-Math.round(passed), 'second');
  if (passed < 5400) return words.format(-Math.round(passed / 60), 'minute');
  if (passed < 129600) return words.format(-Math.round(passed / 3600), 'hour');
  return words.format(-Math.round(passed / 86400), 'day');
}

/** Shows something above the screen until it is closed. */
export function show(title, content, closed) {
  const end = () => {
    dialog.close();
    dialog.remove();
    closed();
  };
  const dialog = h(
    'dialog', { 'aria-labelledby': 'shown', oncancel: (event) => { event.preventDefault(); end(); } },
    h('h2', { id: 'shown' }, foreign(title)), ...content, h('div', { class: 'row' }, button(t('close'), end, { autofocus: true })),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** Asks a question; resolves to whether the answer was yes. `details`: what stands below the question. */
export function confirm(question, yes, details = []) {
  return new Promise((resolve) => {
    const end = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    const dialog = h(
      'dialog', { 'aria-labelledby': 'question', oncancel: (event) => { event.preventDefault(); end(false); } },
      h('h2', { id: 'question' }, question), ...details,
      h('div', { class: 'row' },
        button(t('cancel'), () => end(false), { autofocus: true }), button(yes, () => end(true), { class: 'strong' })),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
