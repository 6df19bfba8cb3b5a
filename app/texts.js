// For: every sentence of the app, in English and German, in one table.
// Guarantees: a text that is missing in a language is a fault of the tests; the language is the browser's, or the one chosen.
// Knows nothing of: where a text is shown. What the box says in words comes as the box says it.

import { alarmTexts } from './texts/house.js';
import { appTexts } from './texts/app.js';

export const TEXTS = { ...appTexts, ...alarmTexts };
export const LANGUAGES = ['en', 'de'];

let chosen;

export function choose(name) {
  chosen = LANGUAGES.includes(name) ? name : undefined;
  document.documentElement.lang = language();
}

export function language() {
  if (chosen) return chosen;
  const wanted = navigator.languages?.map((name) => name.slice(0, 2)) ?? [];
  return wanted.find((name) => LANGUAGES.includes(name)) ?? 'en';
}

/** A sentence; `{name}` is replaced by a value, which must be fit for the screen already. */
export function t(key, values = {}) {
  const entry = TEXTS[key];
  if (!entry) return key;
  const text = entry[LANGUAGES.indexOf(language())] ?? entry[0];
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** The text where there is one, else null: for words of the protocol. */
export const tIfKnown = (key) => (TEXTS[key] ? t(key) : null);
