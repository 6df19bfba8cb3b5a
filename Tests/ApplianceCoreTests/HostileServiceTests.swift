import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

/// Hostile services that are no channel of the simulated world: the house is lived with and without their doing.
@Suite("One hostile provider of calls, UPS server or camera changes nothing for people")
struct HostileServiceTests {
    enum Traitor: String, CaseIterable, Sendable {
        /// The provider refuses each call, says nothing at all, or claims that Berta's key was pressed.
        case callsRefused, callsUnanswered, callsClaimed
        /// The UPS server claims a power loss again and again, says what nobody understands, or hangs.
        case upsAlarms, upsGarbage, upsSilent
        /// The camera hangs, or its taker is gone.
        case cameraHangs, cameraGone

        /// Texts and calls that have to be as without it. A claimed key ends what goes to its own person.
        var untouched: [String] {
            switch self {
            case .callsRefused, .callsUnanswered: ["text to Anna", "text to Berta", "text to nobody"]
            case .callsClaimed: ["text to Anna", "text to nobody", "call to Anna"]
            case .upsAlarms, .upsGarbage, .upsSilent, .cameraHangs, .cameraGone:
                ["text to Anna", "text to Berta", "text to nobody", "call to Anna", "call to Berta"]
            }
        }
    }

    private static func house() throws -> TwinBench {
        try TwinBench {
            $0.ups = UPSSettings(host: "192.0.2.9", name: "eaton")
            var garage = Camera(name: "Garage", url: try HTTPURL("http://192.168.1.60/snapshot.jpg"))
            garage.zones = [3, 4]
            $0.cameras = CameraSettings(cameras: [garage])
        }
    }

    private static func act(_ traitor: Traitor, _ pass: Int, _ bench: inout Bench) {
        switch traitor {
        case .callsRefused: bench.caller.machine.status = 503
        case .callsUnanswered: bench.caller.isDead = true
        case .callsClaimed: bench.caller.machine.pressAfter = ["+437654321": .zero]
        case .upsAlarms: bench.ups.status = pass.isMultiple(of: 8) ? "OB LB" : "OL"
        case .upsGarbage: bench.ups.status = "\"OL\u{1B}[31m " + String(repeating: "X", count: 300)
        case .upsSilent: bench.ups.isSilent = true
        case .cameraHangs: bench.taker.answers = nil
        case .cameraGone: bench.taker.isAway = true
        }
    }

    @Test(
        "pushes, texts and calls are the same, but for what a provider of calls carries itself",
        arguments: Traitor.allCases)
    func pushesTextsAndCallsAreTheSame(traitor: Traitor) throws {
        var (quiet, betrayed) = (try Self.house(), try Self.house())
        try quiet.live()
        Self.act(traitor, 0, &betrayed.bench)
        try betrayed.live { pass, twin in Self.act(traitor, pass, &twin.bench) }
        quiet.compare(with: betrayed, ["push to Anna"] + traitor.untouched)
    }
}
