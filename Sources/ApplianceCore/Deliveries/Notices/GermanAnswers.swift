import AlarmModel
import PanelLink
import PhoneProtocol

/// What contacts are answered in German. The words that they write are the same in every language, and so is the journal.
enum GermanAnswers {
    static func words(_ answer: ContactAnswer) -> NoticeWords { NoticeWords(title: title(answer), text: text(answer)) }

    private static func title(_ answer: ContactAnswer) -> String {
        switch answer {
        case .code(let code): "Code \(code.revealed)"
        case .paired: "verbunden"
        case .notUnderstood: "nicht verstanden"
        case .notAllowed, .noCodes(_, isAllowed: false): "nicht erlaubt"
        case .help: "Hilfe"
        case .seen: "gesehen"
        case .status: "Status"
        case .log: "Protokoll"
        case .notRepeated: "nicht wiederholt"
        case .noCodes, .storageFails, .tooManyCommands, .clockInDoubt, .codesLocked, .wrongCode: "nicht ausgeführt"
        case .outcome: "Ergebnis"
        }
    }

    private static func text(_ answer: ContactAnswer) -> String {
        switch answer {
        case .code(let code):
            "\(code.revealed) am Gerät eingeben. Wer das nicht angefordert hat, braucht nichts zu tun."
        case .paired: "Alarme und Störungen dieses Hauses kommen von jetzt an hierher."
        case .notUnderstood(let error): text(error)
        case .notAllowed(let verb):
            "'\(verb.rawValue)' ist für dieses Konto nicht erlaubt; es wurde nichts getan. Erlauben lässt es sich mit "
                + "\(atBox(Hint.allow))."
        case .noCodes(let verb, _):
            "'\(verb.rawValue)' braucht Einmalcodes, und es sind keine eingerichtet; es wurde nichts getan. Eingerichtet "
                + "werden sie mit \(atBox(Hint.codes)). Bis dahin: ein verbundenes Handy oder das Bedienteil."
        case .help(let allowed): help(allowed)
        case .seen:
            "Der Alarm gilt als gesehen und wird hier nicht wiederholt. Die anderen erfahren es und bekommen ihn, bis auch "
                + "sie ihn gesehen haben."
        case .status(let house?): status(house)
        case .status(nil): "Die Alarmzentrale ist nicht erreichbar: Was im Haus los ist, ist nicht bekannt."
        case .log(let lines): lines.isEmpty ? "Das Protokoll ist leer." : lines.joined(separator: "\n")
        case .storageFails: "Das Gerät kann nicht auf seine Karte schreiben; es wurde nichts getan."
        case .tooManyCommands: "Zu viele Befehle in einer Minute; etwas warten und noch einmal versuchen."
        case .notRepeated:
            "Der Befehl kam nach einem Neustart des Geräts noch einmal; er wird nicht zweimal ausgeführt. 'log' zeigt, wie "
                + "er ausging."
        case .clockInDoubt:
            "Die Uhr des Geräts ist jetzt nicht vom Netz gestellt, und ein Einmalcode lässt sich nicht prüfen; es wurde "
                + "nichts getan. Ein verbundenes Handy oder das Bedienteil benutzen."
        case .codesLocked:
            "Nach fünf falschen Codes sind die Codes eine Weile gesperrt; es wurde nichts getan. Ein verbundenes Handy oder "
                + "das Bedienteil benutzen. Die Sperre endet mit \(atBox(Hint.lift))."
        case .wrongCode(let span):
            "Der Code ist falsch, zu alt oder schon benutzt; es wurde nichts getan. "
                + (span.map { "Das war der fünfte: Für \(words($0)) gilt kein Code mehr." }
                    ?? "Den nächsten Code der Authenticator-App abwarten und noch einmal versuchen.")
        case .outcome(let words): words
        }
    }

    private static func text(_ error: ContactCommandError) -> String {
        switch error {
        case .empty: "In der Nachricht war kein Wort. help zeigt, was möglich ist."
        case .tooLong: "Die Nachricht ist zu lang für einen Befehl. help zeigt, was möglich ist."
        case .unknown(let word): "„\(word)“ ist kein Befehl. help zeigt, was möglich ist."
        case .missing(let word, let what): "Zu \(word) gehört \(part(what)); es wurde nichts getan. help zeigt, wie."
        case .number(let word, let what, let range):
            "Zu \(word) gehört \(part(what)) von \(range.lowerBound) bis \(range.upperBound); es wurde nichts getan."
        case .code(let word):
            "Zu \(word) gehören die sechs Ziffern, die die Authenticator-App jetzt zeigt; es wurde nichts getan. Den Code "
                + "der Alarmanlage niemals hier schreiben."
        case .tooMuch(let word): "Hinter \(word) steht mehr, als dazugehört; es wurde nichts getan. help zeigt, wie."
        }
    }

    /// Of the three things that follow a word; in English where there is a new one.
    private static func part(_ what: String) -> String {
        switch what {
        case "how many events": "eine Anzahl von Ereignissen"
        case "a partition": "die Nummer eines Bereichs"
        case "a zone": "die Nummer einer Zone"
        default: what
        }
    }

    private static func help(_ allowed: [ContactVerb]) -> String {
        var lines = ["Möglich sind diese Wörter:"]
        for verb in ContactVerb.allCases where allowed.contains(verb) {
            switch verb {
            case .seen: lines.append("seen - den Alarm gesehen; die anderen erfahren es")
            case .status: lines.append("status - wie es im Haus aussieht")
            case .log: lines.append("log 10 - die letzten 10 Ereignisse, auf Englisch")
            case .arm:
                lines.append("arm, arm stay (zu Hause), arm night (nachts), arm away (außer Haus) - scharf schalten")
                lines.append("  bei mehreren Bereichen mit der Nummer dahinter")
            case .disarm:
                lines.append("disarm CODE - unscharf; CODE sind die sechs Ziffern der Authenticator-App")
            case .bypass: lines.append("bypass CODE ZONE - umgeht eine Zone bis zum nächsten Unscharfschalten")
            }
        }
        lines.append("help - dieser Text")
        return lines.joined(separator: "\n")
    }

    private static func status(_ house: HouseStatus) -> String {
        var lines = house.partitions.map { part in
            "\(part.name ?? NoticeFacts.partition(part.number, .german)): \(part.status.map(words) ?? "nicht bekannt")"
        }
        func zones(_ what: String, _ zones: [HouseStatus.Zone]) {
            let names = zones.map { $0.name ?? NoticeFacts.zone($0.number, .german) }
            if !names.isEmpty { lines.append("\(what): \(names.joined(separator: ", "))") }
        }
        zones("Offen", house.open)
        zones("Umgangen", house.bypassed)
        if !house.troubles.isEmpty {
            lines.append("Störungen: \(house.troubles.map(GermanReasons.name).joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    private static func words(_ status: PartitionStatus) -> String {
        switch status {
        case .notEnabled: "nicht benutzt"
        case .disarmed: "unscharf"
        case .ready: "unscharf, bereit"
        case .readyForce: "unscharf, nur mit offenen Zonen bereit"
        case .notReady: "unscharf, nicht bereit"
        case .exitDelay: "wird scharf"
        case .armed(let mode): "scharf\(mode.map { " (\(GermanWords.mode($0)))" } ?? "")"
        case .entryDelay: "scharf, Eintrittsverzögerung"
        case .alarm: "IM ALARM"
        }
    }

    /// As `Duration.words`.
    private static func words(_ span: Duration) -> String {
        let minutes = max(1, (span.milliseconds + 59_999) / 60_000)
        if minutes < 120 { return minutes == 1 ? "1 Minute" : "\(minutes) Minuten" }
        return "\((minutes + 59) / 60) Stunden"
    }

    static func atBox(_ hint: Hint) -> String {
        let words = hint.key.split(separator: " ")
        return switch words.first {
        case "key"?: "Taste \(words[words.count - 1]) der Konsole am Gerät"
        case "screen"?: "Seite \(words[words.count - 1]) der Konsole am Gerät"
        default: hint.atBox
        }
    }

    // MARK: How a command ended

    static func outcome(_ outcome: Outcome, of summary: String, _ names: SiteNames) -> String {
        let end =
            switch outcome {
            case .done: "ausgeführt"
            case .refused(let reason): "abgelehnt: \(GermanReasons.text(reason, names))"
            case .failed(let reason): "fehlgeschlagen: \(GermanReasons.text(reason, names))"
            case .notConfirmed:
                "von der Alarmzentrale nicht bestätigt; ihren Zustand ansehen, bevor es noch einmal versucht wird"
            case .expired: "zu alt geworden, bevor die Alarmzentrale es annahm; es wurde nichts getan"
            }
        return "\(command(summary, names)): \(end)."
    }

    static func unfinished(_ summary: String, _ names: SiteNames) -> String {
        "\(command(summary, names)): nicht bestätigt, weil das Gerät inzwischen neu gestartet wurde; den Zustand der "
            + "Alarmzentrale ansehen."
    }

    /// Contacts arm, disarm and bypass; of other commands the summary stays as it is.
    private static func command(_ summary: String, _ names: SiteNames) -> String {
        let words = summary.split(separator: " ")
        guard let first = words.first, let number = words.last.flatMap({ Int($0) }) else { return summary }
        let partition = names.partition(number) ?? NoticeFacts.partition(number, .german)
        return switch first {
        case "arm": "\(partition) scharf schalten"
        case "disarm": "\(partition) unscharf schalten"
        case "bypass": "\(names.zone(number)?.name ?? NoticeFacts.zone(number, .german)) umgehen"
        default: summary
        }
    }
}
