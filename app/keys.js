// For: the two keys that a phone signs with. Key 1 is the browser's own, P-256, and cannot be read out, not even by this
//   page. Key 2 is a passkey, which wants its owner's face, finger or code for each use.
// Guarantees: no private key is ever in a variable; signatures have the form that the box reads (docs/pairing.md 7).
// Knows nothing of: what is signed.

import { joined, toBytes, toText } from './bytes.js';

const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const HASHED = { name: 'ECDSA', hash: 'SHA-256' };
/** No key 2: this phone cannot disarm. */
const NONE = 0;
/** A passkey's signature over a challenge. */
const WEBAUTHN = 3;
/** What stands before the point in the public half of a P-256 key (SubjectPublicKeyInfo). */
const POINT_PREFIX = 26;
const POINT = 65;

/** Key 1, and what the box is told of it. */
export async function makeKey1() {
  const pair = await crypto.subtle.generateKey(P256, false, ['sign', 'verify']);
  const point = await crypto.subtle.exportKey('raw', pair.publicKey);
  return { key: pair.privateKey, point: toText(point) };
}

/** Whether this device can ask for its owner's presence at all. */
export async function hasPresence() {
  try {
    return await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  } catch {
    return false;
  }
}

/** Key 2. Call it from a tap. Throws what the browser throws when its owner says no. */
export async function makeKey2(name) {
  const credential = await navigator.credentials.create({
    publicKey: {
      rp: { id: location.hostname, name: 'HowAlarming' },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
      challenge: crypto.getRandomValues(new Uint8Array(32)),
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      authenticatorSelection: { userVerification: 'required', residentKey: 'discouraged' },
      attestation: 'none',
      timeout: 120_000,
    },
  });
  const info = new Uint8Array(credential.response.getPublicKey());
  const point = info.slice(POINT_PREFIX);
  if (point.length !== POINT || point[0] !== 4) throw new Error('the passkey is none of P-256');
  return {
    algorithm: WEBAUTHN, point: toText(point), credential: toText(credential.rawId), rp: location.hostname,
    origin: location.origin,
  };
}

export const noKey2 = () => ({ algorithm: NONE, point: '', rp: '', origin: '' });

/** Signs `bytes` (base64url) with key 1 or 2 of a house; null where that cannot be done or its owner says no. */
export async function sign(keys, number, bytes) {
  try {
    const message = toBytes(bytes);
    if (number === 1) return toText(await crypto.subtle.sign(HASHED, keys.key1.key, message));
    if (keys.key2?.algorithm !== WEBAUTHN) return null;
    return toText(await assertion(keys.key2, message));
  } catch (problem) {
    console.warn('not signed', problem);
    return null;
  }
}

/** The challenge is the hash of what is signed. */
async function assertion(key, message) {
  const challenge = await crypto.subtle.digest('SHA-256', message);
  const { response } = await navigator.credentials.get({
    publicKey: {
      challenge,
      rpId: key.rp,
      allowCredentials: [{ type: 'public-key', id: toBytes(key.credential) }],
      userVerification: 'required',
      timeout: 60_000,
    },
  });
  const told = new Uint8Array(response.authenticatorData);
  const client = new Uint8Array(response.clientDataJSON);
  const signature = new Uint8Array(response.signature);
  return joined(
    [told.length], told, [client.length >> 8, client.length & 255], client, [signature.length], signature,
  );
}
