// Uplinks: the ways from the box to the outside.
//
// For:        dialing, one machine for all transports: names resolved per link, IPv6 and IPv4 raced (RFC 8305), the
//             last good addresses tried when DNS is dead.
// Guarantees: a dial ends within its deadline with one connection or one typed reason; every other connection that it
//             opened is closed; the same inputs give the same actions.
// Knows not:  sockets, name servers, TLS, what travels over the connection, when to dial again.
