import AlarmModel
import CommandKit

/// Each order: what it takes, and what is sent.
extension OrderCommand {
    private static let codes = """
        --ask-code        ask for the user code on the terminal, without echo
        --code-file FILE  take the user code from the first line of FILE
        """
    /// Said wherever a code can be given.
    private static let codeRemark =
        " Without a code the configured one (code_master) is used. A code is never taken as an argument, because "
        + "everybody on this machine can read the arguments of a program."

    private static func entry(
        _ name: String, _ operands: String = "", brief: String, takesZone: Bool = false, _ text: String,
        order: @escaping @Sendable (ParsedArguments) throws(UsageError) -> PanelCommand
    ) -> CommandEntry {
        CommandEntry(name, operands, in: .acting, brief: brief, text) { given throws(UsageError) in
            var command = OrderCommand(
                order: try order(given), code: try CodeSource(given), stateDirectory: given.stateDirectory)
            command.partition = try given.partition().ifName
            if takesZone { command.zone = try given.zone().ifName }
            return command
        }
    }

    static let arm = entry(
        "arm", "[away|stay|zero-entry]", brief: "arm a partition",
        """
        Arms a partition: away (all zones), stay (without the inner ones) or zero-entry (no entry delay). With open
        zones it is refused and the zones are named. With a code of yours, away is typed as at a keypad: the panel's
        log names you, and the panel decides between away and stay. Else a panel that asks for a code is given one only
        with panel.code_on_request: always.\(codeRemark)

        \(CommandSyntax.partition)
        --force  arm although zones are open
        \(codes)

        howalarming arm
        howalarming arm stay --partition 2
        """
    ) { given throws(UsageError) in
        let mode: PanelCommand.ArmRequest? = try given.choice(0, what: "the mode")
        return .arm(partition: try given.partition().orFirst, mode: mode ?? .away, force: given.has("--force"))
    }

    static let disarm = entry(
        "disarm", brief: "disarm a partition",
        """
        Disarms a partition.\(codeRemark)

        \(CommandSyntax.partition)
        \(codes)

        howalarming disarm --ask-code
        """
    ) { given throws(UsageError) in .disarm(partition: try given.partition().orFirst) }

    static let bypass = entry(
        "bypass", "ZONE", brief: "leave a zone out", takesZone: true,
        """
        Bypasses a zone, by its number or its name, until the partition is disarmed, or ends that.\(codeRemark)

        --off  watch the zone again
        \(codes)

        howalarming bypass 3
        howalarming bypass kitchen --off
        """
    ) { given throws(UsageError) in
        .bypass(zone: try given.zone().orFirst, bypassed: !given.has("--off"))
    }

    static let silence = entry(
        "silence", brief: "silence the bell",
        """
        Silences the bell. The panel knows no other way than disarming the partition.\(codeRemark)

        \(CommandSyntax.partition)
        \(codes)

        howalarming silence
        """
    ) { given throws(UsageError) in .silence(partition: try given.partition().orFirst) }

    static let panic = entry(
        "panic", "fire|ambulance|police", brief: "raise a panic alarm",
        """
        Raises an alarm at once, as the keys of a keypad do.

        --yes  yes, raise the alarm (needed)

        howalarming panic police --yes
        """
    ) { given throws(UsageError) in
        guard let kind: PanelCommand.Panic = try given.choice(0, what: "the kind of panic") else {
            throw given.misuse("the kind of panic is missing")
        }
        guard given.has("--yes") else {
            throw given.misuse("this raises a \(kind.rawValue) alarm at once; add --yes if you mean it")
        }
        return .panic(kind)
    }

    static let output = entry(
        "output", "N", brief: "switch an output (PGM)",
        """
        Activates command output 1 to 4.\(codeRemark)

        \(CommandSyntax.partition)
        \(codes)

        howalarming output 2
        """
    ) { given throws(UsageError) in
        .output(partition: try given.partition().orFirst, output: try given.number(0, "N", in: 1...4))
    }

    static let chime = entry(
        "chime", "on|off", brief: "door chime on or off",
        """
        Switches the door chime.

        \(CommandSyntax.partition)

        howalarming chime off
        """
    ) { given throws(UsageError) in
        .chime(partition: try given.partition().orFirst, on: try given.isOn(0, what: "chime") == true)
    }

    static let smokeReset = entry(
        "smoke-reset", brief: "reset smoke detectors",
        """
        Resets latched smoke detectors (*72).

        \(CommandSyntax.partition)

        howalarming smoke-reset
        """
    ) { given throws(UsageError) in .smokeReset(partition: try given.partition().orFirst) }

    static let clock = entry(
        "clock", brief: "set the panel's clock",
        """
        Sets the panel's clock to the local time of the site.

        howalarming clock
        """
    ) { _ in .setClock }

    static let refresh = entry(
        "refresh", brief: "ask for a status report",
        """
        Asks the panel for a status report.

        howalarming refresh
        """
    ) { _ in .refresh }

    static let timers = entry(
        "timers", brief: "ask for the zone timers",
        """
        Asks the module for its zone timers.

        howalarming timers
        """
    ) { _ in .timers }
}
