package import AlarmModel
import Glibc

/// Turns names into addresses, per link, on the loop (c-ares; no thread). /etc/hosts is asked first; names that end in
/// `.local` are asked of the neighbours (`MulticastQuestion`).
/// Confined to the loop's thread.
package final class Resolver {
    private let loop: EventLoop
    private let span: Duration
    private var servers: [(link: Link, endpoints: [Endpoint])] = []
    /// At most one for each link, and only while it has something to do: what /etc/resolv.conf says is read anew
    /// with each burst of questions.
    private var channels: [(link: Link, channel: ResolverChannel)] = []

    /// `span`: a question that is not answered by then has timed out.
    package init(on loop: EventLoop, within span: Duration = .seconds(5)) {
        self.loop = loop
        self.span = span
    }

    /// The name servers to ask on a link; nil: those of /etc/resolv.conf. Port 53 where an endpoint's port is 0.
    package func setServers(_ endpoints: [Endpoint]?, for link: Link) {
        servers.removeAll { $0.link == link }
        if let endpoints { servers.append((link, endpoints)) }
        // Questions under way end with their channel, as failed: whoever asked has remembered addresses, and asks again.
        channels.removeAll { $0.link == link }
    }

    /// Calls `then` once, later: IPv6 addresses first, then IPv4, each in the servers' order. An address in place of
    /// a name is its own answer.
    package func resolve(
        _ name: String, link: Link = .any, then: @escaping (Result<[IPAddress], NameError>) -> Void
    ) {
        if let address = IPAddress(name) { return loop.later { then(.success([address])) } }
        let bytes = name.utf8.count
        guard bytes > 0, bytes <= 253, name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return loop.later { then(.failure(NameError(.notFound))) }
        }
        var then = then
        if MulticastQuestion.isFor(name) {
            // A name server of the house may know it, too: the first that finds something is believed.
            let firstOfTwo = FirstAnswer(of: 2, then: then)
            then = firstOfTwo.take
            // It lives until it is answered.
            _ = MulticastQuestion(name, link: link, on: loop, within: span, then: firstOfTwo.take)
        }
        do throws(NameError) {
            try channel(for: link).resolve(name, within: span, then: then)
        } catch {
            loop.later { then(.failure(error)) }
        }
    }

    /// Calls `then` once, later, with the SRV records of a name such as `_xmpp-client._tcp.example.net`.
    package func locate(_ service: String, link: Link = .any, then: @escaping (ServiceLookup) -> Void) {
        let bytes = service.utf8.count
        guard bytes > 0, bytes <= 253, service.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return loop.later { then(.failed(.notFound)) }
        }
        do throws(NameError) {
            try channel(for: link).locate(service, within: span, then: then)
        } catch {
            loop.later { then(.failed(error.failure)) }
        }
    }

    private func channel(for link: Link) throws(NameError) -> ResolverChannel {
        if let known = channels.first(where: { $0.link == link }) { return known.channel }
        let given = servers.first { $0.link == link }?.endpoints
        guard given?.isEmpty != true else { throw NameError(.noServers) }
        let channel = try ResolverChannel(on: loop, link: link, servers: given)
        channel.onIdle = { [weak self] idle in self?.channels.removeAll { $0.channel === idle } }
        channels.append((link, channel))
        return channel
    }
}

/// Of several answers to one question the first that found something, or the last.
private final class FirstAnswer {
    private var left: Int
    private var then: ((Result<[IPAddress], NameError>) -> Void)?

    init(of count: Int, then: @escaping (Result<[IPAddress], NameError>) -> Void) {
        left = count
        self.then = then
    }

    func take(_ answer: Result<[IPAddress], NameError>) {
        left -= 1
        let isFound = if case .success = answer { true } else { false }
        guard let then, isFound || left == 0 else { return }
        self.then = nil
        then(answer)
    }
}

/// A `ResolveFailure` as an error.
package struct NameError: Error, Equatable, Sendable, CustomStringConvertible {
    package var failure: ResolveFailure
    package init(_ failure: ResolveFailure) { self.failure = failure }
    package var description: String { failure.description }
}
