#if SABOTAGE
    import AlarmModel
    import ApplianceCore
    import Glibc
    import Platform

    /// A hang on purpose, for tests of the supervision: HOWALARMING_FREEZE=PART:SECONDS, where PART is `loop`, `disk` or a
    /// part of the core (`Freeze`), so long after the start. Debug builds only.
    struct DeliberateFreeze {
        enum Part: Equatable {
            case loop, disk
            case core(Freeze)
        }
        var part: Part
        var after: Duration

        static var asked: DeliberateFreeze? {
            getenv("HOWALARMING_FREEZE").flatMap { DeliberateFreeze(String(cString: $0)) }
        }

        init?(_ text: String) {
            let words = text.split(separator: ":", maxSplits: 1).map(String.init)
            guard words.count == 2, let seconds = Double(words[1]), (0...3600).contains(seconds) else { return nil }
            after = .milliseconds(Int64(seconds * 1000))
            switch words[0] {
            case "loop": part = .loop
            case "disk": part = .disk
            case let name:
                guard let freeze = Freeze(rawValue: name) else { return nil }
                part = .core(freeze)
            }
        }

        func set(on loop: EventLoop, _ shell: Shell) {
            loop.setTimer(after: after) {
                shell.log.write(LogEntry(.warning, "frozen on purpose"))
                switch part {
                case .loop: while true { pause() }
                case .disk: shell.disk.freeze()
                case .core(let freeze): shell.freeze(freeze)
                }
            }
        }
    }
#endif
