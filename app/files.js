// For: the app's own files on this device: a new version is taken whole, or not at all.
// Guarantees: every kept file has the hash that files.json names; a lower number is refused; where the version held was
//   signed, only the same key's signature is believed. So damaged, mixed or swapped files fail.
// Knows nothing of: who replaces the worker's script itself: he wins at its next update, and no check here can help.

import { fromHex, toHex } from './bytes.js';

const META = 'howalarming-meta';
const HELD = './held.json';
const MARK = 'howalarming-app-1\0';

/** Why a version was refused; `kind` is a word for the texts: older, signature, damaged, offline, form. */
export class Refused extends Error {
  constructor(kind, what = '') {
    super(`${kind} ${what}`.trim());
    this.kind = kind;
  }
}

/** {number, version, cache, key, files}, or null before the first. */
export async function held() {
  const answer = await (await caches.open(META)).match(HELD);
  return answer ? answer.json() : null;
}

async function isSigned(text, signature, key) {
  const bytes = fromHex(key);
  const made = fromHex(signature);
  if (bytes?.length !== 32 || made?.length !== 64) return false;
  // A browser without Ed25519 throws: then nothing new is taken.
  const imported = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', imported, made, new TextEncoder().encode(MARK + text));
}

/** What files.json says, if it may be believed after the version `before`. */
export async function judged(manifest, before) {
  if (typeof manifest?.payload !== 'string') throw new Refused('form');
  const key = before?.key ?? manifest.key ?? null;
  if (key) {
    const isOurs = await isSigned(manifest.payload, manifest.signature, key).catch(() => false);
    if (!isOurs) throw new Refused('signature');
  }
  const told = JSON.parse(manifest.payload);
  if (!Number.isSafeInteger(told.number) || typeof told.files !== 'object') throw new Refused('form');
  if (before && told.number < before.number) throw new Refused('older', told.number);
  return { ...told, key };
}

async function fetched(name) {
  let answer;
  try {
    answer = await fetch(name, { cache: 'no-cache', credentials: 'omit', redirect: 'error' });
  } catch {
    throw new Refused('offline', name);
  }
  if (!answer.ok) throw new Refused(answer.status === 404 ? 'damaged' : 'offline', name);
  return answer;
}

/** Looks for a newer version and takes it. Returns whether there is one now; throws Refused. */
export function update() {
  // There is a worker for each house; one looks at a time.
  return navigator.locks.request('files', look);
}

async function look() {
  const before = await held();
  const answer = await fetched('files.json');
  const told = await judged(await answer.json().catch(() => null), before);
  if (before && told.number === before.number) return false;
  const name = `howalarming-files-${told.number}-${Date.now()}`;
  const cache = await caches.open(name);
  try {
    await Promise.all(Object.entries(told.files).map(([file, hash]) => take(cache, file, hash)));
  } catch (problem) {
    await caches.delete(name);
    throw problem;
  }
  const now = { number: told.number, version: told.version, key: told.key, cache: name, files: told.files };
  await (await caches.open(META)).put(HELD, new Response(JSON.stringify(now)));
  if (before) await caches.delete(before.cache);
  return true;
}

async function take(cache, file, hash) {
  if (!/^[a-z0-9./-]+$/.test(file) || file.includes('..') || file.startsWith('/')) throw new Refused('form', file);
  const answer = await fetched(file);
  const bytes = await answer.arrayBuffer();
  if (toHex(await crypto.subtle.digest('SHA-256', bytes)) !== hash) throw new Refused('damaged', file);
  const type = TYPES[file.split('.').pop()] ?? 'application/octet-stream';
  await cache.put(file, new Response(bytes, { headers: { 'Content-Type': type } }));
}

const TYPES = {
  html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml', png: 'image/png', wasm: 'application/wasm', webmanifest: 'application/manifest+json',
};

/** The kept file for an address below the app's; null for what is no file of it. */
export async function kept(address) {
  const base = new URL('./', self.location.href);
  const url = new URL(address);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return null;
  const now = await held();
  if (!now) return null;
  const name = url.pathname.slice(base.pathname.length) || 'index.html';
  return (await (await caches.open(now.cache)).match(name)) ?? null;
}
