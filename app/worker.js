// For: the app's work while no page of it is open: it serves the files of the app, shows notices, and answers the box.
// Guarantees: every push shows a notice, whatever is in it, for a system takes the subscription away otherwise; the
//   receipt goes out only after the event is stored.
// Knows nothing of: screens. Where a page is open and is the house, the page does the rest.

import { kept, update } from './files.js';
import { House, holdHouse } from './house.js';
import { Store } from './store.js';

self.addEventListener('install', (event) => {
  event.waitUntil(update().catch((problem) => console.warn('files not kept', problem)));
  self.skipWaiting();
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  if (request.url.endsWith('/files.json')) return;
  event.respondWith(kept(request.url).then((answer) => answer ?? fetch(request)));
});

/** A page asks for a look at newer files. */
self.addEventListener('message', (event) => {
  if (event.data?.do !== 'update') return;
  const answer = (result) => event.ports[0]?.postMessage(result);
  event.waitUntil(
    update().then((isNew) => answer({ isNew }), (problem) => answer({ refused: problem.kind ?? 'damaged' })),
  );
});

/** Which house: its notices have a scope of their own. */
const houseOfScope = () => Number(/\/h\/(\d+)\/$/.exec(self.registration.scope)?.[1] ?? 0);

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener('push', (event) => {
  const told = read(event.data);
  const id = houseOfScope();
  event.waitUntil(Promise.allSettled([show(told.notification ?? {}, id), receive(told.ha2, id)]));
});

function show({ title, body, lang, tag }, id) {
  return self.registration.showNotification(String(title ?? 'HowAlarming'), {
    body: String(body ?? ''),
    lang: typeof lang === 'string' ? lang : '',
    tag: typeof tag === 'string' ? tag : undefined,
    renotify: typeof tag === 'string',
    icon: new URL('icon.svg', self.location.href).href,
    requireInteraction: true,
    data: { house: id },
  });
}

/** Kept first; then read by the page that is the house, or here. */
async function receive(e, id) {
  if (typeof e !== 'string' || id === 0) return;
  const store = await Store.open();
  await store.addToInbox(id, e);
  await holdHouse(id, { ifAvailable: true }, async (lock) => {
    if (!lock) return tellPages({ do: 'inbox', house: id });
    const record = await store.house(id);
    if (!record) return undefined;
    const house = new House(store, record);
    await house.start();
    await house.readInbox();
    await house.settled();
    return house.close();
  });
}

async function pages() {
  const all = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const base = new URL('./', self.location.href).href;
  return all.filter((client) => client.url.startsWith(base));
}

async function tellPages(message) {
  for (const page of await pages()) page.postMessage(message);
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openAlarm(event.notification.data?.house ?? houseOfScope()));
});

async function openAlarm(id) {
  const [page] = await pages();
  if (!page) return self.clients.openWindow(new URL(`./#/alarm/${id}`, self.location.href));
  page.postMessage({ do: 'alarm', house: id });
  return page.focus();
}

/** The system has changed the subscription: it is renewed when the app is opened, which the notice asks for. */
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(tellPages({ do: 'renew', house: houseOfScope() }));
});
