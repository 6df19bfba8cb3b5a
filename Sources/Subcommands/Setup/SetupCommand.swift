import AlarmModel
import Card
import CommandKit
import Glibc
import Platform
import Reports
import YAMLConfiguration

/// `setup`: from nothing to a configuration that sends a push, as a talk.
struct SetupCommand: Command, Equatable {
    var file: String
    /// On the appliance: where its configuration is kept for the next start. Nil: `file` is written.
    var kept: String?

    private static let onCard = "howalarming.yaml on the card"

    static let entry = CommandEntry(
        "setup", in: .daemon, brief: "first configuration",
        """
        Asks what is needed for the first push and writes the configuration: looks for the module in your
        network or takes its address, tries its password, sees which zones move, and makes a topic for the app
        ntfy. Nothing is written before you agree at the end. Without FILE it is
        \(CommandSyntax.configurationFile), and you have to be root.

        --config FILE  what is written
        --card DIR     on the appliance: kept in DIR, for its next start

        howalarming setup
        howalarming setup --config howalarming.yaml
        """
    ) {
        SetupCommand(file: $0.value("--config") ?? CommandSyntax.configurationFile, kept: $0.value("--card"))
    }

    func run(on console: Console) -> Int32 {
        let talk = SetupTalk(console: console)
        do throws(SetupTalk.Over) {
            return try run(talk)
        } catch {
            console.complain("setup was ended; nothing was written")
            return ExitStatus.failed
        }
    }

    private func run(_ talk: SetupTalk) throws(SetupTalk.Over) -> Int32 {
        let service = SetupService()
        guard kept != nil || access(file, F_OK) != 0 || !service.isActive else {
            talk.console.complain(
                "HowAlarming runs with \(file) already and holds the module's only session. Edit that file and reload, or "
                    + "stop the service ('systemctl stop howalarming') and begin again")
            return ExitStatus.failed
        }
        talk.say(
            kept == nil
                ? "This writes \(file). Enter takes what stands in brackets; Ctrl-C ends it."
                : "A few questions, and this box watches your panel. Enter takes what stands in brackets; Ctrl-C leads back.",
            "", "1. The panel's module")
        let wifi = isWithoutCable ? try SetupWiFi.ask(talk) : nil
        let (module, password, found, zones) = wifi == nil ? try findModule(talk) : try Self.untriedModule(talk)
        var answers = SetupAnswers(module: module, password: password)
        answers.wifi = wifi
        answers.partitions = found.partitions
        for number in zones { answers.zones.append(try zone(number, talk)) }
        talk.say("", "2. Who is told")
        answers.person = try talk.ask("Your name", expected: "a name of at most 32 bytes") { PersonName($0)?.text }
        answers.language = try talk.ask("Language, en or de", usual: "en", expected: "en or de") {
            NoticeLanguage(rawValue: $0.lowercased())
        }
        answers.timeZone = try timeZone(talk, answers)
        try subscribe(talk, &answers)
        return try finish(talk, answers, service)
    }

    /// The name suggests what the zone watches, and the person decides: a fire has to be told as FIRE.
    private func zone(_ number: Int, _ talk: SetupTalk) throws(SetupTalk.Over) -> SetupAnswers.Zone {
        var zone = SetupAnswers.Zone(
            number: number, name: try name(talk, "Name of zone \(number)", usual: "Zone \(number)"))
        guard let guess = ZoneNameGuess(name: zone.name) else { return zone }
        let isRight = try talk.confirm("  Does zone \(number), \(zone.name), watch for \(guess.watched)?")
        zone.setting = isRight ? guess.setting : ZoneNameGuess.other
        return zone
    }

    private func name(_ talk: SetupTalk, _ question: String, usual: String) throws(SetupTalk.Over) -> String {
        try talk.ask(question, usual: usual, expected: "a name of at most 64 characters") {
            $0.unicodeScalars.count <= 64 && !$0.unicodeScalars.contains { $0.value < 32 } ? $0 : nil
        }
    }

    private func timeZone(_ talk: SetupTalk, _ answers: SetupAnswers) throws(SetupTalk.Over) -> String {
        func isKnown(_ name: String) -> Bool {
            var tried = answers
            tried.timeZone = name
            return tried.errors.first?.path != "site.time_zone"
        }
        let usual = Self.machinesTimeZone.flatMap { isKnown($0) ? $0 : nil } ?? "UTC"
        return try talk.ask(
            "Time zone", usual: usual, expected: "a name such as Europe/Vienna or America/Toronto"
        ) { isKnown($0) ? $0 : nil }
    }

    // MARK: The module

    /// On the appliance alone: what else is a machine's network is not ours.
    private var isWithoutCable: Bool { kept != nil && SetupWiFi.isOnlyWay(InterfaceList.now().interfaces) }

    /// Address and password as they are typed.
    static func untriedModule(
        _ talk: SetupTalk
    ) throws(SetupTalk.Over) -> (Endpoint, Secret, ModuleTrial.Found, zones: [Int]) {
        talk.say("The module is tried once the box is in the Wi-Fi, after its restart.")
        let module = try talk.ask(
            "Its address, which the router's list of devices shows", expected: "an address such as 192.168.1.50"
        ) { Endpoint(text: $0, usualPort: SetupAnswers.modulePort) }
        let password = try talk.askSecret("Its password", usual: Secret("user"))
        return (module, password, ModuleTrial.Found(partitions: [], openZones: []), [])
    }

    private func findModule(
        _ talk: SetupTalk
    ) throws(SetupTalk.Over) -> (Endpoint, Secret, ModuleTrial.Found, zones: [Int]) {
        while true {
            guard let module = try address(talk) else { continue }
            let password = try talk.askSecret("Its password", usual: Secret("user"))
            talk.say("Trying \(module) …")
            do throws(SystemError) {
                let trial = try ModuleTrial(module, password: password)
                switch trial.logIn() {
                case .failed(let why):
                    trial.close()
                    talk.say("It did not work: \(why).")
                case .found(let found):
                    talk.say(
                        "The module has let us in. \(Text.count(found.partitions.count, "partition")) answered"
                            + (found.openZones.isEmpty
                                ? "."
                                : "; open now: zones \(found.openZones.map(String.init).joined(separator: ", "))."))
                    let zones = walk(talk, trial, found)
                    trial.close()
                    return (module, password, found, zones)
                }
            } catch {
                talk.say("It did not work: \(error).")
            }
        }
    }

    /// An address that somebody typed or that was found; nil: ask once more.
    private func address(_ talk: SetupTalk) throws(SetupTalk.Over) -> Endpoint? {
        let text = try talk.ask("Its address, or Enter to look for it")
        if !text.isEmpty {
            guard let endpoint = Endpoint(text: text, usualPort: SetupAnswers.modulePort) else {
                talk.say("That is no address; type one such as 192.168.1.50.")
                return nil
            }
            return endpoint
        }
        var (networks, addresses) = ModuleSearch.addresses(InterfaceList.now().interfaces)
        if addresses.isEmpty {
            talk.say("This machine has no address in a private network yet; waiting for one, up to half a minute …")
        }
        for _ in 0..<30 where addresses.isEmpty {
            sleep(1)
            (networks, addresses) = ModuleSearch.addresses(InterfaceList.now().interfaces)
        }
        guard !addresses.isEmpty else {
            talk.say("There is none. Is the network's cable in? Type the module's address, or Enter to look again.")
            return nil
        }
        talk.say(
            "Looking in \(networks.joined(separator: ", ")): port \(SetupAnswers.modulePort) of \(addresses.count) "
                + "addresses, \(ModuleSearch.perSecond) a second …")
        let endpoints = addresses.map { Endpoint(address: $0, port: SetupAnswers.modulePort) }
        guard let found = try? ModuleSearch.search(endpoints), !found.isEmpty else {
            talk.say(
                "No module was found. Is it on, in this network, and without another client? The router's list of devices "
                    + "shows its address.")
            return nil
        }
        talk.say("Found: \(found.map(\.address.description).joined(separator: ", ")).")
        return try talk.ask("Which one is yours", usual: "\(found[0].address)", expected: "one of those") { text in
            found.first { "\($0.address)" == text }
        }
    }

    /// Zones that the person makes move, with those that are open already, ascending.
    private func walk(_ talk: SetupTalk, _ trial: ModuleTrial, _ found: ModuleTrial.Found) -> [Int] {
        talk.say("Walk through the house now: open each door and window, pass each motion detector. Enter when done.")
        let moved = try? trial.watch { talk.say("  zone \($0)") }
        if !trial.isUp {
            talk.say("The module has ended the session. What was seen is kept; add the other zones to the file later.")
        } else if moved != nil {
            _ = readLine()
        }
        return Set((moved ?? []) + found.openZones).sorted()
    }

    // MARK: The phone

    private func subscribe(_ talk: SetupTalk, _ answers: inout SetupAnswers) throws(SetupTalk.Over) {
        guard try talk.confirm("Alarms by the app ntfy, from your phone's store, without an account") else {
            let place = kept == nil ? file : Self.onCard
            talk.say("Nobody is told then, until you add another channel to \(place); the example shows them.")
            return
        }
        let topic = SetupAnswers.topic(Random.bytes(15))
        answers.topic = topic
        let link = "\(SetupAnswers.server)/\(topic.revealed)"
        if case .rows(let rows) = QRPicture.draw(Secret("https://\(link)")) { talk.console.print(rows) }
        talk.say(
            "Install the app ntfy and subscribe to this topic (Android: scan the picture):", "  \(link)",
            "Keep it to yourself: whoever knows it reads what is sent.",
            "Others behind your internet address can use up what ntfy.sh takes a day: add a second channel later.")
        _ = try talk.ask("Enter when subscribed")
    }

    // MARK: The file

    private func finish(
        _ talk: SetupTalk, _ answers: SetupAnswers, _ service: SetupService
    ) throws(SetupTalk.Over) -> Int32 {
        let bytes = Array(answers.file.utf8)
        if let problem = answers.errors.first {
            talk.console.complain("what would be written is not right; please report this fault: \(problem)")
            return ExitStatus.failed
        }
        if let kept { return try keep(talk, bytes, in: kept, isUntried: answers.wifi != nil) }
        talk.say("", "3. The file")
        let old = file + ".before-setup"
        let isThere = access(file, F_OK) == 0
        guard try talk.confirm(isThere ? "Write \(file) and keep the one that is there as \(old)" : "Write \(file)")
        else {
            throw SetupTalk.Over()
        }
        // A second name: the file stays in its place until the new one is whole.
        if isThere {
            unlink(old)
            guard link(file, old) == 0 else {
                talk.console.complain("\(file) cannot be kept as \(old); nothing was written")
                return ExitStatus.failed
            }
        }
        do throws(SystemError) {
            try AtomicFile.write(file, bytes)
        } catch {
            talk.console.complain(
                "the file cannot be written: \(error). What was there stays. Make room, or try it with sudo or another "
                    + "--config FILE")
            return ExitStatus.failed
        }
        service.own(file)
        // Who leaves now has the file, and no service.
        let starts = service.isInstalled && file == CommandSyntax.configurationFile
        guard starts, (try? talk.confirm("Start HowAlarming now, and at each start of this machine")) ?? false else {
            talk.say("Start it with: howalarming run --config \(file)", "A test notice arrives when it runs.")
            return ExitStatus.done
        }
        if let why = service.start() {
            talk.console.complain("the service did not start: \(why). See 'journalctl -u howalarming'")
            return ExitStatus.failed
        }
        talk.say("It runs. A test notice arrives on the phone now; 'howalarming status' shows the rest.")
        return ExitStatus.done
    }

    private func keep(
        _ talk: SetupTalk, _ bytes: [UInt8], in directory: String, isUntried: Bool
    ) throws(SetupTalk.Over) -> Int32 {
        talk.say("", "3. The box")
        guard try talk.confirm("Take this, and restart the box with it") else { throw SetupTalk.Over() }
        do {
            try RestoredSettings.keep(text: bytes, in: directory)
        } catch {
            talk.console.complain(
                "the answers cannot be kept: \(error). Nothing has changed; restart the box and try again")
            return ExitStatus.failed
        }
        talk.say(
            "The box restarts. In a minute or two it watches the panel, and a test notice arrives on the phone.",
            "What you answered stands in \(Self.onCard) then; names and much more can be changed there.")
        if isUntried {
            talk.say(
                "Screens 6 and 4 of the console say whether the Wi-Fi and the module answer. If one does not, switch the "
                    + "box off and correct it in \(Self.onCard), in 'network' or 'panel'.")
        }
        do throws(SystemError) {
            try SetupRequest.restart()
        } catch {
            talk.say("It does not restart by itself (\(error)): switch it off and on.")
        }
        return ExitStatus.done
    }

    /// As `/etc/localtime` leads to it.
    private static var machinesTimeZone: String? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/etc/localtime", $0, bytes.count) } ?? 0
        }
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "/")
        guard let place = path.lastIndex(of: "zoneinfo"), place + 1 < path.count else { return nil }
        return path[(place + 1)...].joined(separator: "/")
    }
}
