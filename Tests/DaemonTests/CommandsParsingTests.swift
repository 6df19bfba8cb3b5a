import AlarmModel
import Testing

@testable import CommandKit
@testable import Daemon
@testable import Subcommands

@Suite struct CommandsParsingTests {
    private static let state = "/var/lib/howalarming"

    private func parse(_ line: String) throws(UsageError) -> any Command {
        try HowAlarmingCommand.parse(line.split(separator: " ").map(String.init))
    }

    private func refusal(_ line: String) -> String? {
        do {
            _ = try parse(line)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("every example in the help is a command line that is understood")
    func everyExampleInTheHelpIsACommandLineThatIsUnderstood() throws {
        for syntax in (CommandTable.all + CommandTable.all.flatMap(\.parts)).map(\.syntax) {
            for example in syntax.examples {
                let words = example.split(separator: "<")[0].split(separator: " ").map(String.init)
                #expect(words.first == "howalarming")
                #expect(throws: Never.self, "\(example)") { try HowAlarmingCommand.parse(Array(words.dropFirst())) }
            }
        }
    }

    @Test("the words that other programs use are taken as they are fixed")
    func theWordsThatOtherProgramsUseAreTakenAsTheyAreFixed() throws {
        let elsewhere = try #require(try parse("run --config c.yaml --state d") as? RunCommand)
        #expect(elsewhere.configurationFile == "c.yaml" && elsewhere.stateDirectory == "d")
        let run = try #require(try parse("run --config=c.yaml") as? RunCommand)
        #expect(run.configurationFile == "c.yaml" && run.stateDirectory == Self.state)
        #expect(try parse("check c.yaml --json") as? CheckCommand == CheckCommand(file: "c.yaml", json: true))
        #expect(try parse("--state d status") as? StatusCommand == StatusCommand(stateDirectory: "d", json: false))
        #expect(
            try parse("panel trace --json") as? TraceCommand == TraceCommand(stateDirectory: Self.state, json: true))
        #expect(try parse("--version") as? VersionCommand == VersionCommand(json: false))
    }

    @Test("a command that acts becomes the order it means")
    func aCommandThatActsBecomesTheOrderItMeans() throws {
        func order(_ line: String) throws -> PanelCommand? {
            (try parse(line) as? OrderCommand)?.order
        }
        #expect(try order("arm") == .arm(partition: 1, mode: .away, force: false))
        #expect(
            try order("arm zero-entry --partition 2 --force") == .arm(partition: 2, mode: .zeroEntry, force: true))
        #expect(try order("bypass 3 --off") == .bypass(zone: 3, bypassed: false))
        #expect(try order("panic fire --yes") == .panic(.fire))
        #expect(try order("output 4 --partition 8") == .output(partition: 8, output: 4))
        #expect(try order("chime off") == .chime(partition: 1, on: false))
        #expect(try order("clock") == .setClock)
        #expect(
            try parse("keys - --allow-installer") as? KeysCommand
                == KeysCommand(isPiped: true, partition: 1, allowInstaller: true, stateDirectory: Self.state))
        #expect(
            try parse("maintenance") as? MaintenanceCommand
                == MaintenanceCommand(on: nil, stateDirectory: Self.state))
        #expect(
            try parse("maintenance off") as? MaintenanceCommand
                == MaintenanceCommand(on: false, stateDirectory: Self.state))
        #expect(
            try parse("disarm --code-file f") as? OrderCommand
                == OrderCommand(order: .disarm(partition: 1), code: .file("f"), stateDirectory: Self.state))
    }

    @Test("what cannot be understood says what was meant or what is missing")
    func whatCannotBeUnderstoodSaysWhatWasMeantOrWhatIsMissing() {
        let cases: [(String, String)] = [
            ("", "no command is given; see 'howalarming help'"),
            ("statsu", "unknown command 'statsu'; did you mean 'status'? See 'howalarming help'."),
            ("arm --forse", "unknown option '--forse'; did you mean '--force'? See 'howalarming help arm'."),
            ("arm awya", "the mode is one of away, stay, zero-entry; did you mean 'away'? See 'howalarming help arm'."),
            ("events --limit", "option '--limit' needs a value: --limit N; see 'howalarming help events'"),
            ("events --since --json", "option '--since' needs a value: --since WHEN; see 'howalarming help events'"),
            ("events --limit 0", "option '--limit' takes a number from 1 to 1000; see 'howalarming help events'"),
            ("events --json=1", "option '--json' takes no value; see 'howalarming help events'"),
            ("events --zone 1 --zone 2", "option '--zone' is given twice; see 'howalarming help events'"),
            (
                "arm --partition 9",
                "option '--partition' takes a number from 1 to 8, or a name; see 'howalarming help arm'"
            ),
            ("bypass 65", "ZONE takes a number from 1 to 64, or a name; see 'howalarming help bypass'"),
            ("panic fire", "this raises a fire alarm at once; add --yes if you mean it; see 'howalarming help panic'"),
            ("clock now", "too many arguments: 'clock' takes none; see 'howalarming help clock'"),
            ("arm --ask-code --code-file f", "choose one of --ask-code and --code-file; see 'howalarming help arm'"),
        ]
        for (line, expected) in cases { #expect(refusal(line) == expected, "\(line)") }
    }

    @Test("a mistyped word never leads to what acts on the house, and words of other programs are known")
    func aMistypedWordNeverLeadsToWhatActsOnTheHouse() {
        let acting = [
            "panic", "restore", "reboot", "keys", "arm", "disarm", "bypass", "output", "silence", "backup", "update",
            "slot", "card", "bundle", "run-hook", "maintenance",
        ]
        for name in acting {
            for written in [name.dropLast(), name.dropFirst()].map(String.init) + ["\(name)x"] {
                guard let words = refusal(written) else { continue }
                #expect(!acting.contains { words.contains("did you mean '\($0)'") }, "\(words)")
            }
        }
        #expect(
            refusal("pair") == "unknown command 'pair'; here it is 'howalarming phones pair'; see 'howalarming help'")
        #expect(
            refusal("restart")
                == "unknown command 'restart'; here it is 'systemctl restart howalarming'; see 'howalarming help'")
        #expect(CommandTable.harmlessNames.allSatisfy(CommandTable.names.contains))
        #expect(refusal("evnets")?.contains("did you mean 'events'?") == true)
    }

    @Test("letters stand for options, where the command has them")
    func lettersStandForOptions() throws {
        #expect(try (parse("events -f -n 5 -z 3") as? EventsCommand)?.selection.limit == 5)
        #expect(try (parse("events -f -n 5 -z 3") as? EventsCommand)?.selection.zone == 3)
        #expect(try (parse("arm -p 2") as? OrderCommand)?.order == .arm(partition: 2, mode: .away, force: false))
        #expect(try (parse("status -s /x") as? StatusCommand)?.stateDirectory == "/x")
        #expect(refusal("status -f") == "unknown option '-f'; see 'howalarming help status'")
    }

    @Test("without --state it is what HOWALARMING_STATE says, and without --config the file of the machine")
    func withoutStateItIsWhatTheEnvironmentSays() throws {
        #expect(try (parse("run") as? RunCommand)?.configurationFile == "/etc/howalarming/howalarming.yaml")
        #expect(CommandSyntax.stateDirectory(environment: "/elsewhere") == "/elsewhere")
        #expect(CommandSyntax.stateDirectory(environment: "") == "/var/lib/howalarming")
        #expect(CommandSyntax.stateDirectory(environment: nil) == "/var/lib/howalarming")
    }

    @Test("zones and partitions have names: the whole one, or a beginning that is nobody else's")
    func zonesAndPartitionsHaveNames() throws {
        let order = try #require(try parse("bypass kitchen --off") as? OrderCommand)
        #expect(order.zone == .name("kitchen") && order.order == .bypass(zone: 1, bypassed: false))
        #expect(order.order.of(zone: 3) == .bypass(zone: 3, bypassed: false))
        let arming = try #require(
            try HowAlarmingCommand.parse(["arm", "--partition", "Ground floor"]) as? OrderCommand)
        #expect(arming.partition == .name("Ground floor"))
        #expect(arming.order.of(partition: 2) == .arm(partition: 2, mode: .away, force: false))

        let known = [(1, "Front door"), (3, "Kitchen window"), (4, "Kitchen"), (7, "Hall smoke"), (8, "Hall")]
        func number(_ name: String) -> String {
            do {
                return "\(try HouseName.name(name).number("zone", among: known))"
            } catch { return error.description }
        }
        #expect(number("kitchen window") == "3" && number("front") == "1")
        #expect(number("kitchen") == "4" && number("HALL") == "8")
        #expect(number("k") == "several are called so, take the number: 3 Kitchen window, 4 Kitchen")
        #expect(number("attic").hasPrefix("no zone is called 'attic': 1 Front door, 3 Kitchen window"))
    }

    @Test("'links' shows, watches or tests")
    func linksShowsWatchesOrTests() throws {
        func links(_ line: String) throws -> (LinksCommand.Part, json: Bool)? {
            (try parse(line) as? LinksCommand).map { ($0.part, $0.json) }
        }
        for (line, part, json) in [
            ("links", .show, false), ("links show", .show, false), ("links --json", .show, true),
            ("links watch --json", .watch, true), ("links test", .test, false),
        ] as [(String, LinksCommand.Part, Bool)] {
            let found = try links(line)
            #expect(found?.0 == part && found?.json == json, "\(line)")
        }
        #expect(
            refusal("links wacth")
                == "the part of 'links' is one of show, watch, test; did you mean 'watch'? See 'howalarming help links'."
        )
        #expect(
            refusal("links test now")
                == "too many arguments: 'links' takes only watch|test; see 'howalarming help links'"
        )
    }

    @Test("a code on the command line is refused, explained and not repeated")
    func aCodeOnTheCommandLineIsRefused() {
        for line in [
            "disarm 4321", "disarm --code 4321", "disarm --code=4321", "keys 4321", "arm away 4321", "arm 4321",
            "bypass 3 4321", "backup f --passphrase 4321", "restore f 4321", "panic 4321", "output 4321",
            "arm --partition 4321", "events --zone 4321", "maintenance 4321", "help 4321",
        ] {
            let text = refusal(line)
            #expect(text != nil, "\(line)")
            #expect(text?.contains("4321") != true, "\(line): \(text ?? "")")
        }
        #expect(refusal("disarm --code=4321")?.contains("everybody on this machine can read it") == true)
        #expect(refusal("disarm --code 4321")?.contains("use --ask-code or --code-file") == true)
        #expect(refusal("disarm 4321")?.contains("everybody on this machine can read it") == true)
    }

    @Test("whoever looks for the simulators or the demo is told where they are", arguments: ["simulate", "demo"])
    func whoeverLooksForTheSimulatorsOrTheDemoIsToldWhereTheyAre(word: String) {
        #expect(refusal("\(word) panel")?.contains("'howalarming-lab \(word) …'") == true)
        #expect(CommandTable.entry(word) == nil)
    }

    @Test("a word that is meant is named where another program would have an option or a part of that name")
    func aWordThatIsMeantIsNamed() {
        #expect(
            refusal("arm --stay")
                == "unknown option '--stay'; here it is 'howalarming arm stay'; see 'howalarming help arm'")
        #expect(refusal("arm --sta") == "unknown option '--sta'; did you mean '--state'? See 'howalarming help arm'.")
        for (line, meant) in [
            ("phones ls", "phones list"), ("phones add", "phones pair"), ("phones remove Pixel", "phones revoke"),
            ("people ls", "people list"), ("people delete Anna", "people remove"),
        ] {
            #expect(refusal(line)?.contains("; here it is 'howalarming \(meant)'; see '") == true, "\(line)")
        }
    }

    @Test("a number below zero is a number, though none that is taken")
    func aNumberBelowZeroIsANumber() {
        #expect(
            refusal("events --limit -5")
                == "option '--limit' takes a number from 1 to 1000; see 'howalarming help events'")
        #expect(refusal("events --limit --json")?.contains("needs a value: --limit N") == true)
    }

    @Test("status says more with -v")
    func statusSaysMoreWithV() throws {
        #expect(try (parse("status") as? StatusCommand)?.isVerbose == false)
        #expect(try (parse("status -v") as? StatusCommand)?.isVerbose == true)
    }

    @Test("after two dashes everything is an argument")
    func afterTwoDashesEverythingIsAnArgument() throws {
        #expect(
            try HowAlarmingCommand.parse(["check", "--", "--json"]) as? CheckCommand
                == CheckCommand(file: "--json", json: false))
    }

    @Test("the selection of events becomes the query: the newest 50, or all since a time")
    func theSelectionOfEventsBecomesTheQuery() throws {
        func query(_ line: String) throws -> EventQuery? {
            (try parse(line) as? EventsCommand)?.selection.query(now: WallTime(milliseconds: 10_000_000_000), in: .utc)
        }
        #expect(try query("events") == EventQuery(order: .newest, limit: 50))
        #expect(
            try query("events --since 1h --type alarm,fault,alarm --zone 3 --partition 2")
                == EventQuery(
                    since: WallTime(milliseconds: 9_996_400_000), types: [.alarm, .fault], zone: 3, partition: 2,
                    order: .oldestFirst, limit: 1_000_000))
        #expect(
            try query("events --since 1h --limit 5")
                == EventQuery(since: WallTime(milliseconds: 9_996_400_000), order: .newest, limit: 5))
        #expect(refusal("events --type alram")?.contains("did you mean 'alarm'?") == true)
    }

    @Test("the overview fits a screen of 80 columns and 24 lines and names every command")
    func theOverviewFitsAScreenOf80ColumnsAnd24LinesAndNames() {
        #expect(CommandTable.overview.count <= 24)
        for line in CommandTable.overview { #expect(line.count <= 80, "\(line)") }
        for name in CommandTable.names {
            #expect(CommandTable.overview.contains { $0.contains("  \(name) ") }, "\(name)")
        }
        for syntax in (CommandTable.all + CommandTable.all.flatMap(\.parts)).map(\.syntax) {
            for line in HelpText.of(syntax) { #expect(line.count <= 80, "\(line)") }
        }
    }
}
