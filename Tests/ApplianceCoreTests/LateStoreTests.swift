import AlarmModel
import ApplianceCore
import Testing

@Suite("A store that was not open at the start")
struct LateStoreTests {
    @Test(
        "a store that came too late for the start costs one restart, which finds the state as it was stored before",
        arguments: [true, false])
    func aStoreThatCameTooLateForTheStartCostsOneRestart(_ allowed: Bool) {
        var bench = Bench()
        bench.disk = .silent
        bench.start {
            $0.isStoreOpen = false
            $0.mayRestart = allowed
        }
        bench.logIn()
        bench.advance(.seconds(60))
        #expect(!bench.history.contains(.finish(status: 75)))
        bench.disk = .answers
        bench.panel("609003")
        #expect(bench.codes.contains("609"), "what waited is stored")
        bench.advance(.seconds(29))
        #expect(!bench.history.contains(.finish(status: 75)), "the panel has to tell first whether there is an alarm")
        bench.advance(.seconds(2))
        #expect(bench.history.contains(.finish(status: 75)) == allowed)
        // Without a restart to come what is known now is the best there is.
        #expect((bench.snapshot == nil) == allowed)
    }

    @Test("a store that was open at the start, or never came, costs none")
    func aStoreThatWasOpenAtTheStart() {
        for isStoreOpen in [true, false] {
            var bench = Bench()
            if !isStoreOpen { bench.disk = .fails(Bench.broken) }
            bench.start {
                $0.isStoreOpen = isStoreOpen
                $0.mayRestart = true
            }
            bench.logIn()
            bench.advance(.minutes(20))
            #expect(!bench.history.contains(.finish(status: 75)))
        }
    }

    @Test("no restart for a late store during an alarm, nor within five minutes of one")
    func noRestartForALateStoreDuringAnAlarm() {
        var bench = Bench()
        bench.start {
            $0.isStoreOpen = false
            $0.mayRestart = true
        }
        bench.logIn()
        bench.panel("65210", "6541")
        bench.advance(.minutes(8))
        #expect(!bench.history.contains(.finish(status: 75)))
        bench.panel("609003")
        bench.panel("6551", "6501")
        bench.advance(.seconds(290))
        #expect(!bench.history.contains(.finish(status: 75)))
        bench.advance(.seconds(20))
        #expect(bench.history.contains(.finish(status: 75)))
    }
}
