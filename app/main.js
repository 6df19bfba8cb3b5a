// For: the start of the app: its screens, which house is shown, and what happens to it from outside.
// Guarantees: does not run in a frame; a code in the address is taken out of it at once; one tab is the house.
// Knows nothing of: how a house works; house.js does.

import { App } from './app.js';
import { choose, t } from './texts.js';
import { h } from './ui.js';
import { codeOf } from './screens/pair.js';

const screen = document.getElementById('screen');

/** The code of a link: neither history nor a shared address may keep it. */
function takeCode() {
  const hash = codeOf(location.hash);
  if (!/^HA2:/i.test(hash)) return '';
  history.replaceState(null, '', location.pathname);
  return hash;
}

// A link that is opened where the app is open already brings no new page.
window.addEventListener('hashchange', () => /^#HA2:/i.test(location.hash) && location.reload());

const code = takeCode();
choose();
if (window.top !== window.self) {
  screen.replaceChildren(h('p', { class: 'banner alarm' }, t('framed')));
} else {
  new App(screen).start(code).catch((problem) => {
    console.error(problem);
    screen.replaceChildren(h('p', { class: 'banner alarm', role: 'alert' }, t('cannotRun', { why: problem.message })));
  });
}
