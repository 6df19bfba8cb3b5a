import AlarmModel
import PanelLink

/// Why something was not done, and what is in trouble, in German.
enum GermanReasons {
    static func text(_ reason: Reason, _ names: SiteNames) -> String {
        switch reason {
        case .notReady(let zones):
            zones.isEmpty
                ? "nicht bereit; die Alarmzentrale sagt nicht, welche Zone offen ist: am Bedienteil nachsehen"
                : "nicht bereit; offene Zonen schließen oder umgehen: \(list(zones, names))"
        case .alreadyArmed: "schon scharf; für eine andere Art erst unscharf schalten"
        case .wrongCode: "die Alarmzentrale kennt den Code nicht; code_master in der Konfiguration prüfen"
        case .noCode: "die Alarmzentrale verlangt einen Code, und keiner ist eingetragen; code_master eintragen"
        case .lockedOut: "die Bedienteile sind nach falschen Codes gesperrt; einige Minuten warten"
        case .installerMode: "die Alarmzentrale ist im Errichtermodus; ihn am Bedienteil verlassen"
        case .partitionBusy: "am Bedienteil arbeitet gerade jemand; noch einmal versuchen"
        case .keybusDown: "das Modul erreicht die Alarmzentrale nicht; Kabel und Strom prüfen"
        case .panelStale: "der Zustand der Alarmzentrale ist noch nicht bekannt; kurz warten und noch einmal versuchen"
        case .panelRefused(error: 23):
            "die Alarmzentrale sagt, es sei nicht scharf, und doch wird es scharf oder ist im Alarm: am Bedienteil "
                + "unscharf schalten"
        case .panelRefused(let error): "die Alarmzentrale hat mit dem Fehler \(error) abgelehnt"
        case .notSupported(let what): "das geht nicht (\(what))"
        case .badRequest(let what): what
        case .unknownZone(let zone): "die Zone \(zone) gibt es nicht; Zonen haben die Nummern 1 bis 64"
        case .unknownPartition(let partition): "den Bereich \(partition) gibt es an dieser Anlage nicht"
        case .bypassWhileArmed: "solange der Bereich scharf ist, lässt sich nichts umgehen; erst unscharf schalten"
        case .bypassNeedsCode:
            "die Alarmzentrale verlangt zum Umgehen einen Code; an der Konsole des Geräts lässt er sich eingeben"
        case .storageFailed: "das Gerät kann nicht auf seine Karte schreiben; siehe \(GermanAnswers.atBox(Hint.status))"
        case .queueFull: "zu viele Befehle warten auf die Alarmzentrale; noch einmal versuchen"
        case .stopping: "das Gerät wird gerade beendet"
        case .staleChallenge: "der Befehl kam zu spät oder von vor einem Neustart; noch einmal versuchen"
        case .notAllowed: "das ist diesem Handy nicht erlaubt; Rechte ändert \(GermanAnswers.atBox(Hint.role))"
        case .unknownVerb(let verb): "'\(verb)' ist hier nicht bekannt"
        case .tooManyCommands: "zu viele Befehle; eine Minute warten"
        case .conditionChanged:
            "der Bereich wurde inzwischen scharf oder unscharf geschaltet; nachsehen und dann noch einmal versuchen"
        case .codeWithheld:
            "die Alarmzentrale verlangt einen Code, und 'panel.code_on_request' lässt das Gerät keinen geben: dort "
                + "'always' eintragen, oder die Zentrale so programmieren, dass sie keinen verlangt"
        }
    }

    private static func list(_ zones: [Int], _ names: SiteNames) -> String {
        zones.map { zone in names.zone(zone).map { "\(zone) (\($0.name))" } ?? "\(zone)" }.joined(separator: ", ")
    }

    static func name(_ trouble: Trouble) -> String {
        switch trouble {
        case .ac: "Stromausfall"
        case .battery: "Akku der Alarmzentrale"
        case .bell: "Leitung zur Sirene"
        case .phoneLine: "Telefonleitung"
        case .failureToCommunicate: "Leitstelle nicht erreicht"
        case .tamper: "Sabotage"
        case .fireTrouble: "Brandmelder gestört"
        case .clock: "Uhr der Alarmzentrale"
        case .service: "Wartung nötig"
        case .zoneFault: "Zone gestört"
        case .zoneTamper: "Sabotage an einer Zone"
        case .zoneBattery: "Batterie eines Melders"
        case .keybus: "Verbindung vom Modul zur Alarmzentrale"
        case .fireKey: "Feuertaste"
        case .auxiliaryKey: "Hilfetaste"
        case .panicKey: "Überfalltaste"
        case .smoke: "Rauchmelder am Bedienteil"
        }
    }
}
