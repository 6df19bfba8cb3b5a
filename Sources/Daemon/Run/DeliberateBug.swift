#if SABOTAGE
    import AlarmModel
    import Glibc

    /// One of the deliberate bugs on the real machine, for tests of what looks for bugs: HOWALARMING_SABOTAGE=NAME.
    /// Debug builds only.
    enum DeliberateBug {
        static var asked: Sabotage? {
            getenv("HOWALARMING_SABOTAGE").flatMap { Sabotage(rawValue: String(cString: $0)) }
        }
    }
#endif
