// For: buttons that act only when they are held for a second and let go, so that no pocket arms a house.
// Guarantees: a finger that slides away does nothing; the same by keyboard (Space or Enter, held); a short press, which
//   is all that a screen reader can do, asks instead.
// Knows nothing of: what it does.

import { button, confirm } from './ui.js';
import { t } from './texts.js';

const HOLD = 1_000;

/** `act` is called from the release, so that the browser takes it for its owner's wish. `question`: for a short press. */
export function holdButton(label, { id, question, act, kind = '' }) {
  let since = null;
  const element = button(label, undefined, { id, class: `hold ${kind}`, 'aria-describedby': 'hold-hint' });

  const begin = () => {
    since ??= performance.now();
    element.classList.add('held');
  };
  const cancel = () => {
    since = null;
    element.classList.remove('held');
  };
  const end = async () => {
    if (since === null) return;
    const isHeld = performance.now() - since >= HOLD;
    cancel();
    if (isHeld || (await confirm(question, label))) act();
  };

  element.addEventListener('pointerdown', (event) => event.button === 0 && begin());
  element.addEventListener('pointerup', end);
  element.addEventListener('pointerleave', cancel);
  element.addEventListener('pointercancel', cancel);
  element.addEventListener('blur', cancel);
  element.addEventListener('contextmenu', (event) => event.preventDefault());
  const isKey = (event) => event.key === ' ' || event.key === 'Enter';
  element.addEventListener('keydown', (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    begin();
  });
  element.addEventListener('keyup', (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    end();
  });
  // Only a screen reader's press comes without pointer and key.
  element.addEventListener('click', async (event) => {
    if (event.detail === 0 && event.pointerType !== 'mouse' && event.pointerType !== 'touch') {
      if (await confirm(question, label)) act();
    }
  });
  return element;
}

/** Said once on a screen with such buttons. */
export function holdHint() {
  const hint = document.createElement('p');
  hint.id = 'hold-hint';
  hint.className = 'hint';
  hint.textContent = t('holdHint');
  return hint;
}
