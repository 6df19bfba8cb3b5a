import AlarmModel
import Foundation
import Glibc
import Platform
import Testing

@Suite struct EventLoopTests {
    @Test("timers fire in the order of their times, equal times in the order of setting")
    func timersFireInTheOrderOfTheirTimes() throws {
        let loop = try EventLoop()
        let start = SystemClock.bootTime()
        var fired: [Int] = []
        for (name, milliseconds) in [(1, 30), (2, 10), (3, 20), (4, 10), (5, -50)] {
            loop.setTimer(at: start + .milliseconds(milliseconds)) { fired.append(name) }
        }
        loop.setTimer(at: start + .milliseconds(40)) { loop.stop() }
        #expect(loop.runBounded())
        #expect(fired == [5, 2, 4, 3, 1])
        #expect(SystemClock.bootTime() - start >= .milliseconds(40))
    }

    @Test("a cancelled timer does not fire, nor does it take another with it")
    func aCancelledTimerDoesNotFire() throws {
        let loop = try EventLoop()
        let time = SystemClock.bootTime() + .milliseconds(10)
        var fired: [Int] = []
        loop.setTimer(at: time) { fired.append(1) }
        let second = loop.setTimer(at: time) { fired.append(2) }
        loop.setTimer(at: time) { fired.append(3) }
        loop.cancel(second)
        loop.cancel(second)
        loop.setTimer(after: .milliseconds(20)) { loop.stop() }
        #expect(loop.runBounded())
        #expect(fired == [1, 3])
    }

    @Test("a timer that sets itself anew for a past time does not keep the loop from descriptors")
    func aTimerThatSetsItselfAnewForAPastTimeDoesNotKeepTheLoop() throws {
        let loop = try EventLoop()
        var rounds = 0
        func again() {
            rounds += 1
            loop.setTimer(at: .zero) { again() }
        }
        again()
        let inbox = try LoopInbox<Int>(on: loop) { _ in loop.stop() }
        inbox.mailbox.post(1)
        #expect(loop.runBounded())
        #expect(rounds < 10)
        inbox.close()
    }

    @Test("a timer that sets itself anew for a past time does not keep the loop from other timers")
    func aTimerThatSetsItselfAnewForAPastTimeDoesNotKeepTheLoop2() throws {
        let loop = try EventLoop()
        func again() { loop.setTimer(at: .zero) { again() } }
        again()
        var fired = 0
        for milliseconds in [10, 20] { loop.setTimer(after: .milliseconds(milliseconds)) { fired += 1 } }
        let inbox = try LoopInbox<Int>(on: loop) { _ in loop.stop() }
        let mailbox = inbox.mailbox
        Thread.detachNewThread {
            usleep(200_000)
            mailbox.post(1)
        }
        #expect(loop.runBounded())
        #expect(fired == 2)
        inbox.close()
    }

    @Test("an idle loop does not wake up and uses no processor")
    func anIdleLoopDoesNotWakeUpAndUsesNoProcessor() throws {
        let loop = try EventLoop()
        let inbox = try LoopInbox<Int>(on: loop) { _ in }
        let pair = try Pair.make(on: loop)
        pair.accepted.pauseReading()
        pair.dialed.reset()
        var before: UInt64 = 0
        loop.setTimer(after: .milliseconds(50)) { before = loop.wakeUps }
        loop.setTimer(after: .milliseconds(350)) { loop.stop() }
        #expect(loop.runBounded())
        // The one wake-up is that of the timer that ended the wait.
        #expect(loop.wakeUps - before == 1)
        inbox.close()
        pair.listener.close()
    }

    @Test("messages from several threads arrive, each thread's in order")
    func messagesFromSeveralThreadsArrive() throws {
        let loop = try EventLoop()
        var received: [Int: [Int]] = [:]
        var count = 0
        let inbox = try LoopInbox<(Int, Int)>(on: loop) { thread, number in
            received[thread, default: []].append(number)
            count += 1
            if count == 4000 { loop.stop() }
        }
        let mailbox = inbox.mailbox
        let workers = try (0..<4).map { thread in
            let worker = try WorkerThread<Int>("poster", on: loop) { 0 }
            worker.submit({ _ in for number in 0..<1000 { mailbox.post((thread, number)) } }, then: { _ in })
            return worker
        }
        #expect(loop.runBounded())
        for thread in 0..<4 { #expect(received[thread] == Array(0..<1000)) }
        for worker in workers { #expect(worker.stop(within: .patience)) }
    }

    @Test("the hook runs after the callbacks of a round, and what is put off in it still runs before the loop ends")
    func theHookRunsAfterTheCallbacksOfARound() throws {
        let loop = try EventLoop()
        var order: [String] = []
        loop.setTimer(at: .zero) {
            order.append("timer")
            loop.later { order.append("later") }
        }
        loop.beforeSleep = {
            order.append("hook")
            loop.stop()
            loop.later { order.append("last") }
        }
        loop.run()
        #expect(order == ["timer", "later", "hook", "last"])
    }

    @Test("what is put off by what was put off runs in the same round; a chain without an end does not hold the loop")
    func whatIsPutOffByWhatWasPutOffRunsInTheSameRound() throws {
        let loop = try EventLoop()
        var order: [String] = []
        loop.setTimer(at: .zero) {
            loop.later {
                order.append("encrypt")
                loop.later { order.append("send") }
            }
        }
        loop.beforeSleep = {
            order.append("sleep")
            if order.count > 2 { loop.stop() }
        }
        loop.run()
        #expect(order == ["encrypt", "send", "sleep"])

        var rounds = 0
        func again() { loop.later { again() } }
        again()
        loop.beforeSleep = {
            rounds += 1
            if rounds == 3 { loop.stop() }
        }
        #expect(loop.runBounded())
        #expect(rounds == 3)
    }

    @Test("a signal becomes an event of the loop")
    func aSignalBecomesAnEventOfTheLoop() throws {
        var old = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &old)
        SignalSource.blockSignals()
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        let loop = try EventLoop()
        var caught: [ProcessSignal] = []
        let source = try SignalSource(on: loop) {
            caught.append($0)
            if caught.count == 2 { loop.stop() }
        }
        raise(SIGHUP)
        raise(SIGUSR1)
        #expect(loop.runBounded())
        #expect(caught.sorted { "\($0)" < "\($1)" } == [.hangup, .user1])
        source.cancel()
    }

    @Test("boot time goes on and wall time is this century's")
    func bootTimeGoesOnAndWallTimeIsThisCenturys() {
        let first = SystemClock.moment(isTrusted: false)
        let second = SystemClock.moment(isTrusted: true)
        #expect(second.boot > first.boot)
        #expect(first.wall.seconds > 1_700_000_000)
        #expect(!first.isWallTrusted && second.isWallTrusted)
    }
}
