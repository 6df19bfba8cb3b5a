// PhoneLink: how messages travel between the box and its phones.
//
// For:        every channel to people behind one protocol, `Transport`: topics (ntfy), FCM over HTTP and XMPP, XMPP
// accounts,
//             MQTT, mail, URLs, programs, beanstalkd, alarm receivers; and the readers and writers of what they speak.
// Guarantees: graceful and abrupt ends are treated alike; a message that was handed over is either accepted, refused
//             with a reason, or given back; nothing that a peer sends is more than a value.
// Knows not:  what the messages mean, who may send them, sockets, TLS.
