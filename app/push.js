// For: notices while no page is open: Web Push, one subscription for each house, for each box has a key of its own.
// Guarantees: the browser asks for permission after a tap only; a subscription is looked at whenever the app is opened,
//   for systems drop them and tell nobody; one that the box calls ended is replaced, once for each opening.
// Knows nothing of: what a push says; worker.js shows it.

import { toBytes, toText } from './bytes.js';
import { isInstalledNeeded } from './device.js';

/** Kind of a Web Push address (docs/pairing.md 4). */
const WEB_PUSH = 6;

// The browser takes the address of a worker only from a policy that the page's rules name.
const policy = globalThis.trustedTypes?.createPolicy('worker', {
  createScriptURL: (text) => {
    if (text !== 'worker.js') throw new TypeError('only the own worker');
    return text;
  },
});

/** `scope`: './' for the files, './h/ID/' for the notices of a house. */
export async function registerWorker(scope) {
  if (!('serviceWorker' in navigator)) return null;
  const script = policy ? policy.createScriptURL('worker.js') : 'worker.js';
  return navigator.serviceWorker.register(script, { scope, type: 'module', updateViaCache: 'none' });
}

/** Whether notices can come: ok, ask (a tap is needed), denied, install (iOS: home screen first), none (this browser cannot). */
export function pushState() {
  if (isInstalledNeeded()) return 'install';
  if (!('PushManager' in window) || !('Notification' in window) || !('serviceWorker' in navigator)) return 'none';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' ? 'ok' : 'ask';
}

/** Call it from a tap. */
export async function askPermission() {
  return (await Notification.requestPermission()) === 'granted';
}

async function activeWorker(id) {
  const registration = await registerWorker(`./h/${id}/`);
  const worker = registration.installing ?? registration.waiting;
  if (!registration.active && worker) {
    await new Promise((resolve) => {
      worker.addEventListener('statechange', () => ['activated', 'redundant'].includes(worker.state) && resolve());
    });
  }
  return registration;
}

/** Subscribes with the box's key, and tells the box where the subscription is new. Throws where the browser refuses. */
export async function renew(house, store) {
  const { vapid } = house.view;
  if (!vapid || pushState() !== 'ok') return;
  const key = toBytes(vapid);
  const registration = await activeWorker(house.id);
  let subscription = await registration.pushManager.getSubscription();
  const isOfAnotherKey = subscription && toText(subscription.options.applicationServerKey ?? []) !== vapid;
  if (subscription && (isOfAnotherKey || house.wantsNewPush)) {
    house.isPushRenewed = true;
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const value = JSON.stringify({
    endpoint: subscription.endpoint,
    p256dh: toText(subscription.getKey('p256dh')),
    auth: toText(subscription.getKey('auth')),
  });
  if (house.record.push === value) return;
  house.isPushRenewed = true;
  await house.step('address', { kind: WEB_PUSH, value });
  house.record.push = value;
  await store.changeHouse(house.id, { push: value });
}

/** The house is gone from this device: nothing may come for it. */
export async function forget(id) {
  const registration = await navigator.serviceWorker?.getRegistration(`./h/${id}/`);
  if (!registration?.scope.endsWith(`/h/${id}/`)) return;
  await (await registration.pushManager?.getSubscription())?.unsubscribe();
  await registration.unregister();
}
