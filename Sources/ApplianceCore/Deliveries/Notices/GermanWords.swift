import AlarmModel
import Uplinks

/// What people are told in German. Of the box's own faults the details stay in the journal, which is English.
enum GermanWords {
    static func label(_ verb: ContactVerb) -> String {
        switch verb {
        case .seen: "Gesehen"
        case .status: "Status"
        case .log: "Protokoll"
        case .arm: "Scharf"
        case .disarm: "Unscharf"
        case .bypass: "Umgehen"
        }
    }

    /// Neben der Warnung des Zeitplans, anstelle von `disarm`.
    static let decline = "Heute nicht"

    static let probe = NoticeWords(
        title: "Mitteilungen sind an", text: "Ab jetzt erfährt dieses Handy von Alarmen auch, wenn die App zu ist.")

    /// In a telephone call.
    static let speechOfTest = "Dies ist ein Testanruf der Alarmanlage; es ist kein Alarm"
    static let moreAlarms = "und % weitere"
    static let pressKey = "Zum Bestätigen bitte eine beliebige Taste drücken"
    /// In a text message.
    static let textWords = TextWords(
        alarm: "ALARM", alarms: "% ALARME", more: "+% weitere", hint: "Mit OK antworten = gesehen.")

    static func stillInAlarm(_ words: NoticeWords, in partition: String, _ facts: NoticeFacts) -> NoticeWords {
        guard !facts.isAlarmShown else {
            let unknown = "Dass jemand unscharf geschaltet hat, ist nicht bekannt."
            let text = "\(partition) ist\(since(facts.since)) weiter im Alarm. \(unknown)"
            return NoticeWords(title: "ALARM DAUERT AN", text: "\(words.text) \(text)")
        }
        let began = facts.since.map { " von \($0)" } ?? ""
        let text = "Dass jemand den Alarm\(began) (\(partition)) beendet hat, ist nicht bekannt."
        return NoticeWords(title: "Alarm nicht beendet", text: "\(words.text) \(text)")
    }

    static func words(_ subject: NoticeSubject, _ facts: NoticeFacts) -> NoticeWords {
        NoticeWords(title: title(subject), text: text(subject, facts))
    }

    static func title(_ subject: NoticeSubject) -> String {
        switch subject {
        case .burglary, .otherAlarm, .missedAlarm: "ALARM"
        case .fire: "FEUER"
        case .carbonMonoxide: "KOHLENMONOXID"
        case .gas: "GAS"
        case .water: "WASSER"
        case .medical: "MEDIZINISCHER NOTRUF"
        case .panic: "ÜBERFALL"
        case .tamper: "SABOTAGE"
        case .wrongCode: "FALSCHER CODE"
        case .keypadLockout: "BEDIENTEILE GESPERRT"
        case .cutOff: "ALARMANLAGE ABGESCHNITTEN"
        case .powerLost: "GANZ OHNE STROM"
        case .testAlarm: "PROBEALARM"
        case .alarmEnded: "Alarm beendet"
        case .sirenStopped: "Sirene verstummt"
        case .alarmNoLongerReported: "Alarm nicht mehr angezeigt"
        case .alarmEndedByArming: "Nach einem Alarm wieder scharf"
        case .alarmUnaccepted: "Alarm nicht zugestellt"
        case .alarmNotExcluded: "Alarm nicht auszuschließen"
        case .exitDelay: "Wird scharf"
        case .armed: "Scharf"
        case .disarmed: "Unscharf"
        case .entryDelay: "Eintrittsverzögerung"
        case .automaticArming: "Schaltet gleich scharf"
        case .armedWithBypass: "Scharf mit umgangenen Zonen"
        case .installerMode: "Errichtermodus"
        case .notArmed, .scheduleFailed: "NICHT SCHARF"
        case .reminderNotArmed: "Nicht scharf"
        case .reminderOpen: "Noch offen"
        case .reminderBypassed: "Noch umgangen"
        case .reminderMaintenance: "Wartungsbetrieb"
        case .reminderNobodyHome: "Niemand zu Hause"
        case .scheduleSoon: "Schaltet bald scharf"
        case .scheduleDeclined: "Bleibt unscharf"
        case .powerCut: "Stromausfall"
        case .powerBack: "Strom ist wieder da"
        case .upsOnBattery: "USV auf Akku"
        case .upsBatteryLow: "USV-Akku fast leer"
        case .upsMains: "USV wieder am Netz"
        case .zoneRestored, .keyRestored, .tamperRestored, .panelBatteryRestored, .bellRestored, .stationRestored,
            .fireDetectorRestored, .detectorBack, .detectorBatteryRestored, .troublesOver, .panelBack, .keybusBack,
            .storageBack, .linkBack, .channelBack, .heartbeatBack, .upsRestored, .otherRecovery:
            "Wieder in Ordnung"
        case .panelBatteryLow, .bellTrouble, .stationTrouble, .fireDetectorTrouble, .detectorMissing,
            .detectorBatteryLow, .troubleLight, .troubles, .panelLost, .keybusLost, .storageFailed, .crashed, .linkLost,
            .linksLost, .channelLost, .phoneLost, .heartbeatLost, .upsLost,
            .otherTrouble:
            "Störung"
        case .test: "Probe"
        case .seen: "Gesehen"
        case .news: "Neuigkeit"
        }
    }

    private static func text(_ subject: NoticeSubject, _ facts: NoticeFacts) -> String {
        let place = facts.place ?? "Die Anlage"
        switch subject {
        case .burglary, .otherAlarm: return scene(facts)
        case .fire: return scene(facts) + " Haus verlassen, Feuerwehr rufen."
        case .carbonMonoxide: return scene(facts) + " Fenster öffnen, Haus verlassen, Feuerwehr rufen."
        case .gas: return scene(facts) + " Kein Feuer, keine Schalter: Haus verlassen und Hilfe rufen."
        case .water: return scene(facts) + " Wasser, wo keines sein soll."
        case .medical: return scene(facts) + " Jemand hat die Taste für medizinische Hilfe gedrückt."
        case .panic: return scene(facts) + " Jemand hat die Überfalltaste gedrückt."
        case .tamper: return scene(facts) + " Ein Teil der Anlage wurde geöffnet oder abgetrennt."
        case .wrongCode: return scene(facts) + " Jemand hat am Bedienteil einen falschen Code eingegeben."
        case .keypadLockout: return scene(facts) + " Am Bedienteil wurden zu viele falsche Codes eingegeben."
        case .cutOff:
            return scene(facts) + " Die Verbindung ging verloren, während die Anlage scharf war. Bitte nachsehen."
        case .powerLost:
            return scene(facts) + " Der Strom geht zu Ende: Bald meldet sich die Anlage nicht mehr. Bitte nachsehen."
        case .testAlarm:
            return "Das ist eine Probe: Es ist nichts geschehen. So klingt ein Alarm."
        case .alarmEnded: return ended(facts)
        case .sirenStopped:
            return "\(place) ist weiter scharf. Dass jemand unscharf geschaltet hat, ist nicht bekannt.\(began(facts)) "
                + "Bitte nach dem Haus sehen."
        case .alarmNoLongerReported:
            return
                "Die Alarmzentrale zeigt den Alarm nicht mehr an (\(place)). Dass jemand unscharf geschaltet hat, ist "
                + "nicht bekannt: bitte nach dem Haus sehen.\(began(facts))"
        case .alarmEndedByArming:
            return "\(place) wurde\(at(facts.time)) wieder scharf geschaltet. Dass jemand nach dem Alarm unscharf "
                + "geschaltet hat, ist nicht bekannt.\(began(facts))"
        case .missedAlarm: return missed(facts, place)
        case .alarmNotExcluded:
            return "\(place) war scharf, während das Gerät die Alarmzentrale nicht hörte. Ein Alarm in dieser Zeit ist "
                + "nicht auszuschließen: Das Bedienteil zeigt, ob es einen gab."
        case .alarmUnaccepted:
            return
                "Eine Minute lang nahm kein Dienst diesen Alarm für ein Handy an. Vielleicht weiß sonst niemand davon: "
                + "bitte nach dem Haus sehen und anrufen, wer es wissen muss."
        case .entryDelay:
            return "Jemand ist hereingekommen\(at(facts.time)). Wird jetzt nicht unscharf geschaltet, folgt der Alarm."
        case .zoneRestored: return "\(place) ist wieder ruhig."
        case .keyRestored: return "Die Notruftaste oder der Rauchmelder am Bedienteil ist zurückgesetzt."
        case .tamperRestored: return "Sabotage beendet: \(place)."
        case .exitDelay: return "\(place) wird scharf geschaltet\(by(facts.user)). Bitte das Haus verlassen."
        case .armed:
            return
                "\(place) ist scharf\(facts.mode.map { " (\(mode($0)))" } ?? "")\(by(facts.user)).\(stillOpen(facts))"
        case .disarmed: return "\(place) ist unscharf\(by(facts.user))."
        case .automaticArming: return "\(place) schaltet sich gleich selbst scharf."
        case .armedWithBypass: return "\(place) ist scharf, aber nicht alle Zonen: Einige sind umgangen."
        case .installerMode: return "An der Alarmzentrale wird im Errichtermodus gearbeitet."
        case .notArmed:
            return "\(place) konnte nicht scharf geschaltet werden. Offene Zonen suchen und noch einmal versuchen."
        case .reminderNotArmed: return "\(place) ist\(at(facts.time)) nicht scharf. Scharf schalten oder so lassen."
        case .reminderOpen: return "\(place) steht schon lange offen."
        case .reminderBypassed:
            return "Noch umgangen: \(facts.detail ?? "einige Zonen"). Was umgangen ist, löst keinen Alarm aus."
        case .reminderMaintenance:
            return "Der Wartungsbetrieb, in dem niemand etwas erfährt, endet bald von selbst oder hat geendet. "
                + "Die Konsole zeigt, ob er an ist."
        case .reminderNobodyHome:
            return "\(place) ist nicht scharf, und niemand ist zu Hause. Scharf schalten oder so lassen."
        case .scheduleSoon:
            return "\(place) ist nicht scharf. Der Zeitplan schaltet um \(facts.lastWord) scharf, wenn niemand ablehnt."
        case .scheduleDeclined: return "\(place) bleibt heute unscharf: Der Zeitplan wurde abgelehnt."
        case .scheduleFailed:
            return "Der Zeitplan konnte \(place) nicht scharf schalten. Offene Zonen suchen und selbst scharf schalten."
        case .powerCut: return "Die Alarmzentrale läuft\(since(facts.time)) auf Akku. Er hält einige Stunden."
        case .powerBack: return "Die Alarmzentrale hat wieder Netzstrom."
        case .panelBatteryLow: return "Der Akku der Alarmzentrale ist schwach. Bitte ersetzen."
        case .panelBatteryRestored: return "Der Akku der Alarmzentrale ist wieder gut."
        case .bellTrouble:
            return "Die Leitung zur Sirene ist gestört: Sie könnte stumm bleiben. Bitte prüfen lassen."
        case .bellRestored: return "Die Leitung zur Sirene ist wieder gut."
        case .stationTrouble:
            return "Die Alarmzentrale erreicht ihre Leitstelle nicht. Dort nachfragen, ob sie zu hören ist."
        case .stationRestored: return "Die Alarmzentrale erreicht ihre Leitstelle wieder."
        case .fireDetectorTrouble:
            return
                "Ein Brandmelder ist gestört. Es brennt nicht, aber er könnte ein Feuer übersehen: bitte prüfen lassen."
        case .fireDetectorRestored: return "Der Brandmelder ist nicht mehr gestört."
        case .detectorMissing: return "\(place) meldet sich nicht mehr. Batterie und Melder prüfen."
        case .detectorBack: return "\(place) meldet sich wieder."
        case .detectorBatteryLow: return "Die Batterie von \(place) ist schwach. Bitte ersetzen."
        case .detectorBatteryRestored: return "Die Batterie von \(place) ist wieder gut."
        case .troubleLight: return "Die Störungslampe leuchtet: \(place). Am Bedienteil zeigt *2, warum."
        case .troubles: return "Die Alarmzentrale meldet Störungen. Am Bedienteil zeigt *2, welche."
        case .troublesOver: return "Die Alarmzentrale meldet keine Störung mehr."
        case .panelLost:
            return "Keine Verbindung zur Alarmzentrale: Niemand überwacht das Haus. Strom und Netz des Moduls prüfen."
        case .panelBack: return "Die Verbindung zur Alarmzentrale ist wieder da."
        case .keybusLost: return "Das Modul erreicht die Alarmzentrale nicht. Kabel des Moduls prüfen."
        case .keybusBack: return "Das Modul erreicht die Alarmzentrale wieder."
        case .storageFailed:
            return
                "Das Gerät kann nicht auf seine Karte schreiben. Meldungen gehen weiter hinaus; bitte die Karte ersetzen."
        case .storageBack: return "Das Gerät schreibt wieder auf seine Karte."
        case .crashed: return "Das Gerät ist nach einem Fehler neu gestartet. Gespeichertes ist nicht verloren."
        case .linkLost: return "Eine Verbindung ins Internet ist ausgefallen; eine andere wird benutzt."
        case .linkBack: return "Die Verbindung ins Internet ist wieder da."
        case .linksLost: return "Das Haus war ohne Verbindung ins Internet."
        case .channelLost: return "Ein Kanal zu den Handys ist gestört. Die Konsole zeigt, welcher und warum."
        case .channelBack: return "Der Kanal zu den Handys geht wieder."
        case .phoneLost: return "Ein Handy ist nicht mehr erreichbar. Die Konsole zeigt, welches."
        case .heartbeatLost: return "Der Dienst, der auf Lebenszeichen achtet, ist nicht erreichbar."
        case .heartbeatBack: return "Der Dienst, der auf Lebenszeichen achtet, ist wieder erreichbar."
        case .upsOnBattery:
            return
                "Die USV des Geräts hat keinen Netzstrom und läuft auf Akku. Ist er leer, verstummt das Gerät."
        case .upsBatteryLow:
            return
                "Der Akku der USV ist fast leer. Dann verstummt das Gerät und kommt mit dem Strom von selbst wieder."
        case .upsMains: return "Die USV des Geräts hat wieder Netzstrom."
        case .upsLost: return "Niemand sagt mehr, wie es um die USV steht. Die Konsole zeigt, warum."
        case .upsRestored: return "Es ist wieder bekannt, wie es um die USV steht."
        case .otherTrouble: return "Eine Störung. Die Konsole zeigt Einzelheiten unter Ereignisse\(since(facts.time))."
        case .otherRecovery: return "Eine Störung ist vorbei. Die Konsole zeigt Einzelheiten unter Ereignisse."
        case .test: return "Wer das lesen kann, wird hier auch von Alarmen erreicht."
        case .seen: return "Der Alarm wurde gesehen\(by(facts.user))."
        case .news: return facts.message
        }
    }

    /// `Erdgeschoss, scharf (außer Haus), 16:40:21.`
    private static func scene(_ facts: NoticeFacts) -> String {
        var parts = [facts.zone == nil ? nil : facts.partition, facts.mode.map { "scharf (\(mode($0)))" }, facts.time]
            .compactMap { $0 }
        if !facts.causes.isEmpty { parts.append("begonnen hat \(facts.causes.joined(separator: ", "))") }
        if parts.isEmpty { parts.append("Zeit unbekannt") }
        let text = parts.joined(separator: ", ")
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// ` Der Alarm begann um 03:10:00 mit Küchenfenster.`
    private static func began(_ facts: NoticeFacts) -> String {
        var text = facts.since.map { " um \($0)" } ?? ""
        if !facts.causes.isEmpty { text += " mit \(facts.causes.joined(separator: ", "))" }
        return text.isEmpty ? "" : " Der Alarm begann\(text)."
    }

    private static func missed(_ facts: NoticeFacts, _ place: String) -> String {
        let window = facts.window.map {
            " zwischen \($0.from) und \($0.to), während das Gerät die Alarmzentrale nicht hörte"
        }
        let now =
            facts.alarmOn == nil
            ? "Er ist jetzt vorbei" : "Dass jemand unscharf geschaltet hat, ist nicht bekannt"
        guard facts.zone == nil else {
            return "Es gab einen Alarm (\(place)). Das Gerät hörte nur, dass dort wieder Ruhe ist: bitte nachsehen."
        }
        return "Es gab einen Alarm (\(place))\(window ?? ""). Welche Zonen, sagt die Alarmzentrale nicht. \(now): "
            + "bitte nach dem Haus sehen."
    }

    private static func ended(_ facts: NoticeFacts) -> String {
        var text = "\(facts.partition ?? "Das Haus") wurde\(at(facts.time)) unscharf geschaltet\(by(facts.user))."
        if let lasted = facts.lasted { text += " Der Alarm dauerte \(span(lasted))." }
        if !facts.causes.isEmpty { text += " Begonnen hat \(facts.causes.joined(separator: ", "))." }
        if let other = facts.alarmOn, other != facts.partition { text += " \(other) ist weiter im Alarm." }
        return text
    }

    private static func stillOpen(_ facts: NoticeFacts) -> String {
        guard !facts.open.isEmpty else { return "" }
        return " Noch offen: \(facts.open.joined(separator: ", ")). Was offen ist, löst vielleicht keinen Alarm aus."
    }

    private static func at(_ time: String?) -> String { time.map { " um \($0)" } ?? "" }
    private static func since(_ time: String?) -> String { time.map { " seit \($0)" } ?? "" }
    private static func by(_ user: String?) -> String { user.map { " durch \($0)" } ?? "" }

    private static func span(_ lasted: Duration) -> String {
        let seconds = max(0, lasted.milliseconds / 1000)
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
    }

    static func mode(_ mode: ArmMode) -> String {
        switch mode {
        case .away: "außer Haus"
        case .stay: "zu Hause"
        case .zeroEntryAway: "außer Haus, ohne Eintrittsverzögerung"
        case .zeroEntryStay: "zu Hause, ohne Eintrittsverzögerung"
        }
    }
}
