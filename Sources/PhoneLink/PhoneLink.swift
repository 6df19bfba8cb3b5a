// PhoneLink: how messages travel between the box and its phones.
//
// For:        the XMPP stream (RFC 6120) and FCM's connection server on it (reference fcm-xmpp A).
// Guarantees: graceful and abrupt ends are treated alike; a message that was handed over is either accepted, refused
//             with a reason, or given back; nothing that a peer sends is more than a value.
// Knows not:  what the messages mean, who may send them, sockets, TLS.
