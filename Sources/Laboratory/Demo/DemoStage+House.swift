import AlarmModel
import PhoneProtocol
import Platform

/// The simulated panel with its house, and the push service of the virtual phone.
extension DemoStage {
    /// Starts the simulated panel; its module's port.
    func startPanel() throws -> UInt16 {
        let panel = try start(
            "simulated panel",
            [
                "simulate", "panel", "--port", "0", "--control-port", "0", "--exit-delay",
                DemoPace.seconds(pace.exitDelay), "--entry-delay", DemoPace.seconds(pace.entryDelay), "--bell-time",
                DemoPace.seconds(DemoPace.bellTime),
            ])
        guard try wait(until: { !panel.first.isEmpty }) else { throw DemoEnd.noAnswer("the simulated panel") }
        let ports = panel.first[0].split(whereSeparator: { $0 == ":" || $0 == "," || $0 == " " })
            .compactMap { UInt16($0) }
        guard ports.count == 2, let address = IPAddress(bytes: [127, 0, 0, 1]) else {
            throw DemoEnd.failed("the simulated panel said something unexpected: \(panel.first[0])")
        }
        house = try steer("the simulated panel", Endpoint(address: address, port: ports[1]))
        return ports[0]
    }

    /// Starts the simulated push service, which writes its authority's certificate to `authorityFile`; the service's
    /// port and that for phones.
    func startPush(authorityFile: String) throws -> (service: UInt16, phones: Endpoint) {
        let push = try start(
            "simulated push service",
            [
                "simulate", "push", "--port", "0", "--phones-port", "0", "--control-port", "0", "--sender",
                DemoConfiguration.sender, "--key", DemoConfiguration.key, "--ca-out", authorityFile, "--trace",
            ])
        push.onLine = { [weak self] line in
            guard let self, let text = trace.take(line) else { return }
            onLine?(.push, text)
        }
        guard try wait(until: { !push.first.isEmpty }) else { throw DemoEnd.noAnswer("the simulated push service") }
        let ports = push.first[0].split(separator: " ").filter { $0.contains("port=") }
            .compactMap { $0.split(separator: "=").last.flatMap { UInt16($0) } }
        guard ports.count == 3, let address = IPAddress(bytes: [127, 0, 0, 1]) else {
            throw DemoEnd.failed("the simulated push service said something unexpected: \(push.first[0])")
        }
        service = try steer("the simulated push service", Endpoint(address: address, port: ports[2]))
        return (ports[0], Endpoint(address: address, port: ports[1]))
    }

    /// Something happens in the simulated house.
    func house(_ verb: String) throws {
        let answer = try tell(house, verb, "the simulated panel")
        guard answer == "ok" else { throw DemoEnd.refused(verb: verb, answer: answer) }
    }

    /// Something happens at the simulated push service.
    func push(_ verb: String) throws {
        let answer = try tell(service, verb, "the simulated push service")
        guard answer == "ok" else { throw DemoEnd.refused(verb: verb, answer: answer) }
    }

    /// The token by which the push service knows the phone.
    func phoneToken() throws -> String {
        let answer = try tell(service, "truth", "the simulated push service")
        guard let phones = (try? JSON(parsing: answer))?["phones"]?.arrayValue,
            let token = phones.first?["token"]?.stringValue
        else { throw DemoEnd.failed("the push service knows no phone; please report this") }
        return token
    }
}
