import CommandKit
import Daemon

/// Every subcommand with what it takes.
enum CommandTable {
    /// Of a command, or of a part of one: `phones pair`.
    static func syntax(_ name: String) -> CommandSyntax? {
        all.first { $0.name == name } ?? all.lazy.flatMap(\.parts).first { $0.name == name }
    }
    /// Of those in the overview.
    static var names: [String] { all.filter(\.isListed).map(\.name) }

    /// By purpose, in the order of the overview.
    static let all: [CommandSyntax] = daemon + watching + acting + phones + keeping + update

    private typealias Option = CommandSyntax.Option
    private typealias Operand = CommandSyntax.Operand

    private static let json = Option(name: "--json", value: nil, summary: "print JSON for programs")
    private static let partition = Option(name: "--partition", value: "N", summary: "partition 1 to 8 (1)")
    private static let codes = [
        Option(name: "--ask-code", value: nil, summary: "ask for the user code on the terminal, without echo"),
        Option(name: "--code-file", value: "FILE", summary: "take the user code from the first line of FILE"),
    ]
    /// Said wherever a code can be given.
    private static let codeRemark =
        " Without a code the configured one (code_master) is used. A code is never taken as an argument, because "
        + "everybody on this machine can read the arguments of a program."

    private static let daemon = [
        CommandSyntax(
            name: "run", purpose: .daemon, brief: "run the daemon",
            summary: "Runs the daemon in the foreground until it is told to stop (SIGTERM). SIGHUP reads the "
                + "configuration again. With --modem-network it is another, small daemon, which takes no orders: it puts "
                + "the addresses and routes that ModemManager tells on the modem's interface, through "
                + "systemd-networkd, as the unit howalarming-modem-network.service may and the daemon may not.",
            options: [
                Option(name: "--config", value: "FILE", summary: "the configuration (needed)"),
                Option(name: "--modem-network", value: nil, summary: "care for the modem's interface instead"),
            ],
            examples: ["howalarming run --config /etc/howalarming/howalarming.yaml"]),
        CommandSyntax(
            name: "check", purpose: .daemon, brief: "check a configuration",
            summary: "Says everything that is wrong with a configuration file and changes nothing.",
            operands: [Operand(name: "FILE")], options: [json],
            examples: ["howalarming check howalarming.yaml"]),
        CommandSyntax(
            name: "run-hook", purpose: .acting, brief: "run a hook program",
            summary: "Runs a program of the house for the daemon, without the daemon's rights: reads one request from "
                + "standard input, as the unit howalarming-hook.socket hands it over, gives the event to the program, "
                + "kills it with its children after its time, and answers how it ended. With --listen it waits for "
                + "requests itself, as the daemon's user, where no service manager does.",
            options: [
                Option(
                    name: "--directory", value: "DIR",
                    summary: "where programs may be (\(HookCommand.directory))"),
                Option(name: "--listen", value: "PATH", summary: "make this socket and serve until stopped"),
            ], examples: ["howalarming run-hook --listen /run/howalarming-hook/socket"]),
        CommandSyntax(
            name: "version", purpose: .daemon, brief: "print the version", summary: "Prints name and version.",
            options: [json], examples: ["howalarming version"]),
        CommandSyntax(
            name: "help", purpose: .daemon, brief: "explain a command",
            summary: "Shows the overview, or how one command is used.",
            operands: [Operand(name: "COMMAND", isOptional: true), Operand(name: "PART", isOptional: true)],
            examples: ["howalarming help arm", "howalarming help phones pair"]),
    ]

    private static let watching = [
        CommandSyntax(
            name: "status", purpose: .watching, brief: "the house at this moment",
            summary: "Shows the panel link, partitions, zones, troubles and the store on one screen. What is not known "
                + "is shown as unknown, what was known before the link was lost as stale. Without a daemon it shows "
                + "what the journal holds and ends with status 69.",
            options: [json], examples: ["howalarming status", "howalarming status --json"]),
        CommandSyntax(
            name: "events", purpose: .watching, brief: "what happened",
            summary: "Lists events, oldest first: the newest 50, or all since WHEN. WHEN is a span (2h, 30min, 3d), a "
                + "local time (2026-11-21, 2026-11-21T06:00) or seconds since 1970. Without a daemon it lists what "
                + "the journal holds and ends with status 69.",
            options: [
                Option(name: "--follow", value: nil, summary: "go on with new events until interrupted"),
                Option(name: "--since", value: "WHEN", summary: "only events from then on"),
                Option(name: "--type", value: "T[,T]", summary: "only these types: alarm, fault, armed …"),
                Option(name: "--zone", value: "N", summary: "only events of zone 1 to 64"),
                Option(name: "--partition", value: "N", summary: "only events of partition 1 to 8"),
                Option(name: "--limit", value: "N", summary: "the newest N, 1 to 1000"),
                Option(name: "--json", value: nil, summary: "one JSON object per line"),
            ],
            examples: [
                "howalarming events --since 2h", "howalarming events --follow --type alarm,fault",
                "howalarming events --json --zone 3 --limit 10",
            ]),
        CommandSyntax(
            name: "panel", purpose: .watching, brief: "the link to the panel",
            summary: "Shows the session with the EnvisaLink module, its latencies and counters. 'panel trace' shows "
                + "the lines of both directions as they come, without codes; '<' comes from the panel, '>' goes to it.",
            operands: [Operand(name: "trace", isOptional: true)], options: [json],
            examples: ["howalarming panel", "howalarming panel trace"]),
        CommandSyntax(
            name: "links", purpose: .watching, brief: "the ways to the internet",
            summary: "Shows each link with its state, score, answer time and what it has carried this month, which one "
                + "is used (*), and the modem. 'links watch' shows them again with each change; 'links test' probes "
                + "all of them now and ends with status 1 unless all are up; a cold one is woken and need only answer.",
            operands: [Operand(name: "watch|test", isOptional: true)], options: [json],
            examples: ["howalarming links", "howalarming links watch", "howalarming links test"]),
        CommandSyntax(
            name: "replay", purpose: .watching, brief: "repeat what was recorded",
            summary: "Tells the core of this program what the daemon's was told, as the flight recorder wrote it down "
                + "with stand-ins for secrets, and compares the orders step by step. FILE is a segment of a recording or a "
                + "directory of them, also from a support archive. Ends with status 0 when all are the same, 1 at the "
                + "first difference, 65 when the recording is damaged or another version's.",
            operands: [Operand(name: "FILE", isOptional: true)],
            options: [
                Option(name: "--step", value: nil, summary: "show each step and its orders"),
                Option(name: "--from", value: "N", summary: "only from step N on"),
                Option(name: "--to", value: "N", summary: "only up to step N"),
                Option(name: "--show-state", value: nil, summary: "show the core's state, too"),
            ],
            examples: ["howalarming replay", "howalarming replay recorder/segment-3.rec --step --from 4100"],
            isListed: false),
        CommandSyntax(
            name: "console", purpose: .watching, brief: "all of it, on a terminal",
            summary: "Shows the house and the box on this terminal, or on a serial line of 115200 baud: overview, "
                + "events, links, panel trace, phones, network, software. Looking needs nothing; arming, disarming and pairing "
                + "need the console's PIN, which is set there first. A terminal that only prints gets a menu of lines. "
                + "A lost PIN is reset by a file named reset-pin beside the daemon's configuration when it starts.",
            options: [Option(name: "--tty", value: "DEVICE", summary: "own this serial line and never end")],
            examples: ["howalarming console", "howalarming console --tty /dev/ttyS0"]),
    ]

    private static let acting = [
        CommandSyntax(
            name: "arm", purpose: .acting, brief: "arm a partition",
            summary: "Arms a partition: away (all zones), stay (without the inner ones) or zero-entry (no entry "
                + "delay). With open zones it is refused and the zones are named." + codeRemark,
            operands: [Operand(name: "away|stay|zero-entry", isOptional: true)],
            options: [partition, Option(name: "--force", value: nil, summary: "arm although zones are open")] + codes,
            examples: ["howalarming arm", "howalarming arm stay --partition 2"]),
        CommandSyntax(
            name: "disarm", purpose: .acting, brief: "disarm a partition",
            summary: "Disarms a partition." + codeRemark, options: [partition] + codes,
            examples: ["howalarming disarm --ask-code"]),
        CommandSyntax(
            name: "bypass", purpose: .acting, brief: "leave a zone out",
            summary: "Bypasses a zone until the partition is disarmed, or ends that." + codeRemark,
            operands: [Operand(name: "ZONE")],
            options: [Option(name: "--off", value: nil, summary: "watch the zone again")] + codes,
            examples: ["howalarming bypass 3", "howalarming bypass 3 --off"]),
        CommandSyntax(
            name: "silence", purpose: .acting, brief: "silence the bell",
            summary: "Silences the bell. The panel knows no other way than disarming the partition." + codeRemark,
            options: [partition] + codes, examples: ["howalarming silence"]),
        CommandSyntax(
            name: "panic", purpose: .acting, brief: "raise a panic alarm",
            summary: "Raises an alarm at once, as the keys of a keypad do.",
            operands: [Operand(name: "fire|ambulance|police")],
            options: [Option(name: "--yes", value: nil, summary: "yes, raise the alarm (needed)")],
            examples: ["howalarming panic police --yes"]),
        CommandSyntax(
            name: "output", purpose: .acting, brief: "switch an output (PGM)",
            summary: "Activates command output 1 to 4." + codeRemark, operands: [Operand(name: "N")],
            options: [partition] + codes, examples: ["howalarming output 2"]),
        CommandSyntax(
            name: "chime", purpose: .acting, brief: "door chime on or off", summary: "Switches the door chime.",
            operands: [Operand(name: "on|off")], options: [partition], examples: ["howalarming chime off"]),
        CommandSyntax(
            name: "smoke-reset", purpose: .acting, brief: "reset smoke detectors",
            summary: "Resets latched smoke detectors (*72).", options: [partition],
            examples: ["howalarming smoke-reset"]),
        CommandSyntax(
            name: "clock", purpose: .acting, brief: "set the panel's clock",
            summary: "Sets the panel's clock to the local time of the site.", examples: ["howalarming clock"]),
        CommandSyntax(
            name: "keys", purpose: .acting, brief: "press keys of a keypad",
            summary: "Presses keys (0-9 * #, at most 64) as on a keypad. Keys may hold a code: they are asked for on "
                + "the terminal without echo, or read from standard input with '-', and never taken as an argument.",
            operands: [Operand(name: "-", isOptional: true)],
            options: [
                partition,
                Option(name: "--allow-installer", value: nil, summary: "let *8 (installer programming) through"),
            ], examples: ["howalarming keys", "howalarming keys - < keys.txt"]),
        CommandSyntax(
            name: "refresh", purpose: .acting, brief: "ask for a status report",
            summary: "Asks the panel for a status report.", examples: ["howalarming refresh"]),
        CommandSyntax(
            name: "timers", purpose: .acting, brief: "ask for the zone timers",
            summary: "Asks the module for its zone timers.", examples: ["howalarming timers"]),
        CommandSyntax(
            name: "maintenance", purpose: .acting, brief: "test mode on or off",
            summary: "While maintenance is on, events are recorded and marked, and nobody is notified. Without an "
                + "argument it says whether it is on.",
            operands: [Operand(name: "on|off", isOptional: true)],
            examples: ["howalarming maintenance", "howalarming maintenance on"]),
    ]

    private static let keeping = [
        CommandSyntax(
            name: "self-test", purpose: .phones, brief: "try everything once",
            summary: "Tries the daemon, the panel, the store, phones (with a test message), links, modem, clock, "
                + "certificates, watchdog and permissions. Each line passes or says what to do. Ends with 0 when all "
                + "pass and 1 otherwise. Without a daemon it tries what it can.",
            options: [
                json, Option(name: "--no-push", value: nil, summary: "send no test message to phones"),
                Option(name: "--config", value: "FILE", summary: "the configuration, where no daemon has run yet"),
            ], examples: ["howalarming self-test", "howalarming self-test --no-push --json"]),
        CommandSyntax(
            name: "support", purpose: .phones, brief: "pack up for a bug report",
            summary: "Writes one archive (tar) with what helps to find a fault: status, events, links, phones, "
                + "configuration, log, self-test and facts of the machine. Passwords, codes, keys and addresses of "
                + "phones are left out. It holds what happened in the house: give it only to whom you trust with that.",
            operands: [Operand(name: "FILE", isOptional: true)],
            options: [
                Option(name: "--replace", value: nil, summary: "overwrite FILE"),
                Option(name: "--config", value: "FILE", summary: "the configuration, where no daemon has run yet"),
            ], examples: ["howalarming support", "howalarming support /media/usb/howalarming.tar"]),
        CommandSyntax(
            name: "card", purpose: .daemon, brief: "take the owner's card",
            summary:
                "Takes howalarming.yaml from the card of the appliance, as the unit howalarming-card.service does at "
                + "each start: checks it, keeps its secrets on data and blanks them on the card, puts it in force, and "
                + "writes the files for the network. Errors are written beside it, and the last good one stays in force. "
                + "A file named reset-pin on the card resets the console's PIN.",
            options: [
                Option(name: "--card", value: "DIR", summary: "where the card is mounted", isNeeded: true),
                Option(name: "--data", value: "DIR", summary: "where the configuration is kept", isNeeded: true),
                Option(name: "--network-out", value: "DIR", summary: "what is /run on the device", isNeeded: true),
                Option(name: "--template", value: "FILE", summary: "put on a card without a configuration"),
                Option(name: "--no-remount", value: nil, summary: "the card is mounted for writing"),
                Option(name: "--set-hostname", value: nil, summary: "give the machine its name"),
            ], examples: ["howalarming card --card /card --data /data/card --network-out /run"]),
        CommandSyntax(
            name: "reboot", purpose: .phones, brief: "restart the machine",
            summary: "Restarts the machine through the service manager. What happened is stored before.",
            options: [Option(name: "--yes", value: nil, summary: "yes, restart it (needed)")],
            examples: ["howalarming reboot --yes"]),
        CommandSyntax(
            name: "backup", purpose: .phones, brief: "save the state, sealed",
            summary: "Writes everything that is needed to go on with a new card into FILE, sealed with a passphrase. "
                + "The daemon may run meanwhile; the configuration that it used last is part of it, with its secrets and "
                + "the key files and certificates that it names.",
            operands: [Operand(name: "FILE")],
            options: [
                Option(name: "--passphrase-file", value: "FILE", summary: "first line instead of asking"),
                Option(name: "--replace", value: nil, summary: "overwrite FILE"),
            ], examples: ["howalarming backup /media/usb/house.backup"]),
        CommandSyntax(
            name: "restore", purpose: .phones, brief: "bring a backup back",
            summary: "Brings the state of a backup into the state directory. Stop the daemon first. A directory that "
                + "is not empty is left alone unless --replace is given; its journal is then kept aside. The configuration "
                + "and the files that it names are put beside it for you to move where they belong.",
            operands: [Operand(name: "FILE")],
            options: [
                Option(name: "--passphrase-file", value: "FILE", summary: "first line instead of asking"),
                Option(name: "--replace", value: nil, summary: "into a directory in use"),
            ], examples: ["howalarming restore /media/usb/house.backup"]),
    ]
}
