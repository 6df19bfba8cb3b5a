// Uplinks: the links of the box.
//
// For:        dialing, one machine for all transports: names resolved per link, IPv6 and IPv4 raced (RFC 8305), the
//             last good addresses tried when DNS is dead. Failover: which of the configured links is in use, by probes.
//             The modem brought up and kept up. Text messages as the last resort for alarms that nothing else delivered.
// Guarantees: a dial ends within its deadline with one connection or one typed reason; every other connection that it
//             opened is closed; every link is probed, also when all are down; a black hole is left within 30 s, a link
//             without carrier or address at once; a PIN is tried once; the same inputs give the same actions.
// Knows not:  sockets, name servers, netlink, the system bus, TLS, what travels over a connection, when to dial again.
