// For: a list of very many rows on the screen, of which only those in sight are elements.
// Guarantees: 100 000 rows scroll; each is one line of a fixed height; a screen reader hears which of how many it is on.
// Knows nothing of: what a row is.

import { h } from './ui.js';

const BEYOND = 8;

export class Rows {
  element;
  #room = h('ol', { class: 'rows' });
  #items = [];
  #height;
  #make;
  #first = -1;

  /** `make(item, index)` gives the content of a row as elements. */
  constructor(label, height, make) {
    this.#height = height;
    this.#make = make;
    this.element = h('div', { class: 'list', tabindex: '0', role: 'region', 'aria-label': label }, this.#room);
    this.element.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw(true)).observe(this.element);
  }

  set items(items) {
    this.#items = items;
    this.#room.style.height = `${items.length * this.#height}px`;
    this.#draw(true);
  }

  #draw(isForced = false) {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.#height) - BEYOND);
    if (first === this.#first && !isForced) return;
    this.#first = first;
    const count = Math.ceil(this.element.clientHeight / this.#height) + 2 * BEYOND;
    const shown = this.#items.slice(first, first + count).map((item, index) => {
      const row = h('li', { 'aria-setsize': this.#items.length, 'aria-posinset': first + index + 1 }, ...this.#make(item, first + index));
      row.style.transform = `translateY(${(first + index) * this.#height}px)`;
      return row;
    });
    this.#room.replaceChildren(...shown);
  }
}
