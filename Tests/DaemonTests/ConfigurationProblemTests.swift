import Testing
import YAMLConfiguration

@Suite struct ConfigurationProblemTests {
    @Test("a valid file has no problem")
    func aValidFileHasNoProblem() {
        #expect(ConfigurationSample.complaints(ConfigurationSample.valid) == [])
    }

    @Test("an unknown key is named with its place and the key that was meant")
    func anUnknownKeyIsNamedWithItsPlaceAndTheKeyThatWasMeant() {
        let text = "site: {time_zone: UTC}\npanel:\n  host: a\n  pasword: x\n"
        #expect(
            ConfigurationSample.complaints(text) == [
                "c.yaml:2:1: error: the module's password is missing; expected 'password' in 'panel' or in the secrets "
                    + "file; modules come with 'user'",
                "c.yaml:4:3: error: unknown key 'pasword' in 'panel'; did you mean 'password'?",
            ])
    }

    @Test(
        "typographic characters that cannot be meant are named with their place; those of a name are its own",
        arguments: [
            (
                "panel: {code_master: \u{2018}8421\u{2019}}",
                "1:22: warning: a typographic quote (U+2018) is part of what"
            ),
            (
                "panel:\n  password: \u{201C}secret\u{201D}",
                "2:13: warning: a typographic quote (U+201C) is part of what"
            ),
            (
                "panel:\n  host: 192.0.2.10\u{A0}",
                "2:19: warning: a no-break space (U+00A0) is part of what stands here"
            ),
            ("panel:\n  pass\u{200B}word: x", "2:7: warning: an invisible character (U+200B) is part of what stands"),
            ("site: {name: Anna\u{2019}s house}", nil), ("site: {name: '\u{201C}Mill\u{201D}'}", nil),
        ] as [(String, String?)])
    func typographicCharactersAreNamedWithTheirPlace(text: String, begins: String?) {
        let found = ConfigurationSample.complaints(text)
        let named = found.filter { $0.contains("is part of what stands here") }
        #expect(named.count == (begins == nil ? 0 : 1), "\(found)")
        if let begins { #expect(named.first?.hasPrefix("c.yaml:" + begins) == true, "\(found)") }
        #expect(!found.contains { $0.contains("8421") || $0.contains("secret\u{201D}") })
    }

    @Test(
        "every kind of problem has its exact place",
        arguments: [
            ("zonse: {}", "3:1: error: unknown key 'zonse' in the file; did you mean 'zones'?"),
            ("poll_interval: 3", "3:1: error: unknown key 'poll_interval' in the file; did you mean 'panel.poll_"),
            ("zebra: {}", "3:1: error: unknown key 'zebra' in the file; expected one of site, panel, "),
            ("journal: 5", "3:10: error: 'journal' holds a text of 1 characters; expected keys such as 'keep_days'"),
            ("journal: [1]", "3:10: error: 'journal' holds a list; expected keys such as"),
            (
                "journal: {keep_days: ten}",
                "3:22: error: 'journal.keep_days' holds a text of 3 characters; expected a wh"
            ),
            (
                "journal: {keep_days: -1}",
                "3:22: error: 'journal.keep_days' is -1; expected a whole number from 0 to 365"
            ),
            ("journal: {keep_days: }", "3:11: error: 'journal.keep_days' is empty"),
            ("journal: {keep_days: {}}", "3:22: error: 'journal.keep_days' holds a mapping; expected a whole number"),
            (
                "journal: {keep_days: 1, keep_days: 2}",
                "3:25: error: 'journal.keep_days' is there twice: here and at c.yaml:3:11"
            ),
            ("journal: {keep_days:1}", "3:11: error: a key of 'journal' has a colon without a space after it"),
            (
                "pace: {store_stall: 2 weeks}",
                "3:21: error: 'pace.store_stall' holds a text of 7 characters; expected sec"
            ),
            (
                "update: {healthy_after: 10min, give_up_after: 5min}",
                "3:1: error: a new version would be given up before it can prove itself; expected 'give_up_after' longer"
            ),
            (
                "pace: {store_stall: 2h}",
                "3:21: error: 'pace.store_stall' is 2h; expected seconds, or a number with ms, s"
            ),
            ("zones: {0: a}", "3:9: error: a key of 'zones' is no zone number; expected 1 to 64"),
            ("zones: {65: a}", "3:9: error: a key of 'zones' is no zone number; expected 1 to 64"),
            ("zones: {0x1: a}", "3:9: error: a key of 'zones' is no zone number; expected 1 to 64"),
            (
                "zones: {1: a, '001': b}",
                "3:15: error: zone 1 is set twice: here and at c.yaml:3:9; expected one of the two"
            ),
            ("zones: {1: a, 1: b}", "3:15: error: a key of 'zones' is there twice: here and at c.yaml:3:9"),
            ("zones: {1: {partition: 1}}", "3:9: error: 'zones.1' has no name; expected a key 'name'"),
            (
                "zones: {1: {name: a, partition: 3}}",
                "3:33: error: partition 3 is not listed in 'partitions'; expected 1"
            ),
            (
                "zones: {1: {name: a, partition: 9}}",
                "3:33: error: 'zones.1.partition' is 9; expected a whole number fr"
            ),
            ("zones: {1: {name: a, fire: maybe}}", "3:28: error: 'zones.1.fire' is neither true nor false"),
            ("zones: {1: {nam: a, name: b}}", "3:13: error: unknown key 'nam' in 'zones.1'; did you mean 'name'?"),
            ("zones: [a]", "3:8: error: 'zones' holds a list; expected lines of a number, a colon"),
            ("zones: {1: [a]}", "3:12: error: 'zones.1' holds a list; expected a name"),
            ("zones: {1: }", "3:9: error: 'zones.1' is empty"),
            ("zones: {1: \"a\\nb\"}", "3:12: error: the name holds a control character"),
            ("zones: {1: '  '}", "3:12: error: the name holds only spaces"),
            ("partitions: {9: a}", "3:14: error: a key of 'partitions' is no partition number; expected 1 to 8"),
            (
                "partitions: {2: {nme: a, name: b}}",
                "3:18: error: unknown key 'nme' in 'partitions.2'; did you mean 'name'?"
            ),
            ("users: {0: a}", "3:9: error: a key of 'users' is no user number (the user's place in the panel"),
            ("users: {10000: a}", "3:9: error: a key of 'users' is no user number (the user's place in the panel"),
            ("secrets: s.yaml", "3:10: error: the secrets file 's.yaml' cannot be read: there is no such file"),
            ("secrets: [a]", "3:10: error: 'secrets' holds a list; expected the path"),
            (
                "envisalinkd: {host: b}",
                "3:15: error: 'panel.host' is set twice: here and at c.yaml:2:9; expected one of"
            ),
            (
                "envisalinkd: {timing: {}}",
                "3:15: error: unknown key 'timing' in 'envisalinkd'; did you mean 'panel.timing'"
            ),
            (
                "alert_plivo: {auth_tokn: x}",
                "3:15: error: unknown key 'auth_tokn' in 'alert_plivo'; did you mean 'auth_to"
            ),
            (
                "beanstalkd: {tubes: {event: []}}",
                "3:22: error: unknown key 'event' in 'beanstalkd.tubes'; did you mean 'ev"
            ),
        ])
    func places(added: String, begins: String) {
        let errors = ConfigurationSample.complaints(added: added).filter { $0.contains(": error: ") }
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("c.yaml:\(begins)") == true, "\(errors)")
    }

    @Test(
        "every key of the panel is checked where it stands",
        arguments: [
            (
                "host: http://evl/",
                "3:9: error: 'panel.host' is neither a host name nor an IP address; it looks like a web"
            ),
            ("host: evl:4025", "3:9: error: 'panel.host' is neither a host name nor an IP address; the port has a key"),
            ("host: 192.168.1.500", "3:9: error: 'panel.host' is neither"),
            ("host: a..b", "3:9: error: 'panel.host' is neither"), ("host: -a", "3:9: error: 'panel.host' is neither"),
            ("host: ''", "3:9: error: 'panel.host' is empty"), ("host:", "3:3: error: 'panel.host' is empty"),
            ("host: a\n  port: 0", "4:9: error: 'panel.port' is 0; expected a whole number from 1 to 65535"),
            ("host: a\n  port: 65536", "4:9: error: 'panel.port' is 65536; expected"),
            ("host: a\n  port: 99999999999999999999", "4:9: error: 'panel.port' holds a text of 20 characters"),
            (
                "host: a\n  code_master: 123",
                "4:16: error: 'panel.code_master' holds 3 characters that cannot be it; exp"
            ),
            (
                "host: a\n  code_master: 12a4",
                "4:16: error: 'panel.code_master' holds 4 characters that cannot be it; ex"
            ),
            ("host: a\n  code_installer: '1234567'", "4:19: error: 'panel.code_installer' holds 7 characters"),
            ("host: a\n  code_master:", "4:3: error: 'panel.code_master' is empty"),
            ("host: a\n  set_clock: 3", "4:14: error: 'panel.set_clock' is neither true nor false"),
            (
                "host: a\n  poll_interval: 301",
                "4:18: error: 'panel.poll_interval' is 301; expected seconds, or a number"
            ),
            (
                "host: a\n  poll_interval: 0.5",
                "4:18: error: 'panel.poll_interval' is 0.5; expected seconds, or a number"
            ),
            (
                "host: a\n  timing: {key_spacin: 1}",
                "4:12: error: unknown key 'key_spacin' in 'panel.timing'; did you m"
            ),
            (
                "host: a\n  timing: {reconnect_minimum: 2min}",
                "4:12: error: the shortest wait before a reconnect, 2 min"
            ),
        ])
    func everyKeyOfThePanelIsCheckedWhereItStands(lines: String, begins: String) {
        let problems = ConfigurationSample.complaints(
            "site: {time_zone: UTC}\npanel:\n  \(lines)\n  password: user\n")
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("c.yaml:\(begins)") == true, "\(problems)")
    }

    @Test("all problems come at once, from top to bottom")
    func allProblemsComeAtOnce() {
        let text = """
            zones: {1: {name: a, partition: 5}, 70: b}
            panel:
              port: x
              password: ''
              hots: 192.0.2.1
            users: [Anna]
            jurnal: {}
            """
        let places = ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml").problems.map {
            "\($0.line ?? 0):\($0.column ?? 0) \($0.severity) \($0.path)"
        }
        #expect(
            places == [
                "1:1 warning site.time_zone", "1:33 error zones.1.partition", "1:37 error zones",
                "2:1 error panel.host", "3:9 error panel.port", "4:13 error panel.password", "5:3 error panel",
                "6:8 error users", "7:1 error ",
            ])
    }

    @Test("a file that is no mapping, or nothing, says what it needs", arguments: ["", "- a", "text"])
    func aFileThatIsNoMapping(text: String) {
        let result = ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml")
        #expect(result.configuration == nil && result.errorCount >= 1)
        #expect(result.problems.allSatisfy { $0.line == 1 && $0.column == 1 })
    }

    @Test("a file that cannot be read is one problem without a place")
    func aFileThatCannotBeReadIsOneProblemWithoutAPlace() {
        let result = ConfigurationReader.read(file: "no.yaml", files: FakeFiles())
        #expect(result.configuration == nil)
        #expect(
            result.problems.map(\.description) == [
                "no.yaml: error: the configuration cannot be read: there is no such file; expected a YAML file of at "
                    + "most 1048576 bytes that this user may read"
            ])
    }

    @Test(
        "a key two edits away is found, a swap is one edit, an unlike one is not",
        arguments: [
            ("hsot", "host"), ("pasword", "password"), ("passwrd", "password"), ("code-master", "code_master"),
            ("codemaster", "code_master"), ("PORT", "port"), ("set_clok", "set_clock"),
            ("pollinterval", "poll_interval"),
        ])
    func aKeyTwoEditsAwayIsFound(written: String, meant: String) {
        let problems = ConfigurationSample.complaints("panel: {\(written): 1}")
        #expect(problems.contains { $0.hasSuffix("unknown key '\(written)' in 'panel'; did you mean '\(meant)'?") })
    }

    @Test("a key that moves the cursor is not printed as it is")
    func aKeyThatMovesTheCursorIsNotPrintedAsItIs() {
        let problems = ConfigurationSample.complaints(added: "\"\\e[2Jx\\u202Ey\": 1")
        #expect(problems.first?.contains("unknown key '?[2Jx?y'") == true, "\(problems)")
    }
}
