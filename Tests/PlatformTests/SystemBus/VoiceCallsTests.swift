import AlarmModel
import Platform
import Testing

@Suite("Calls by the modem on the system bus", .enabled(if: PrivateBus.isPossible, "\(PrivateBus.advice)"), .serialized)
struct VoiceCallsTests {
    @Test("a call is dialed, its tones are sent, a key is told, and it is hung up and deleted")
    func aCallIsDialed() throws {
        let house = try ModemHouse()
        defer { house.end() }
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        house.modem?.carryOut(.call(CallID(3), number: "+431234567"))
        try house.heard("Start +431234567")
        try house.control("CallChanges", [.int32(4), .uint32(3)])
        try house.wait(for: .call(CallID(3), .answered))
        house.modem?.carryOut(.sendTone(CallID(3), "D"))
        try house.heard("SendDtmf D")
        try house.control("KeyComes", [.string("5")])
        try house.wait(for: .call(CallID(3), .keyPressed))
        house.modem?.carryOut(.hangUp(CallID(3)))
        try house.heard("DeleteCall")
        let heard = try house.heard()
        #expect(
            heard == [
                "HangupAll", "CreateCall +431234567", "Start +431234567", "SendDtmf D", "Hangup", "DeleteCall",
            ])
        #expect(!house.facts.contains(.call(CallID(3), .ended)), "our own hanging up is not told as theirs")
    }

    @Test("they hang up, the call breaks off, and the modem refuses: each is told, and its call is deleted")
    func howACallEnds() throws {
        let house = try ModemHouse()
        defer { house.end() }
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        for (id, reason, fact) in [
            (UInt64(1), UInt32(4), VoiceCallFact.ended), (2, 5, .ended),
            (3, 6, .failed(ModemFailure(.other, "the call broke off"))),
        ] {
            house.modem?.carryOut(.call(CallID(id), number: "+4\(id)"))
            try house.heard("Start +4\(id)")
            try house.control("CallChanges", [.int32(7), .uint32(reason)])
            try house.wait(for: .call(CallID(id), fact))
        }
        try house.bus.wait(for: "three deleted calls") { (try? house.heard())?.count { $0 == "DeleteCall" } == 3 }
        try house.control("FailNext", [.string("CreateCall"), .string("Core.Unauthorized"), .string("no")])
        house.modem?.carryOut(.call(CallID(4), number: "+44"))
        try house.wait(for: .call(CallID(4), .failed(ModemFailure(.notAllowed, "no"))))
        try house.control("ModemVanishes")
        try house.bus.wait(for: "the modem's going") { house.status == nil }
        house.modem?.carryOut(.call(CallID(5), number: "+45"))
        try house.wait(for: .call(CallID(5), .failed(ModemFailure(.noModem))))
    }

    @Test("a call that is hung up while it is made is never begun, and a service that goes ends it")
    func aCallThatIsHungUpWhileItIsMadeIsNeverBegun() throws {
        let house = try ModemHouse()
        defer { house.end() }
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        house.modem?.carryOut(.call(CallID(1), number: "+41"))
        house.modem?.carryOut(.hangUp(CallID(1)))
        house.modem?.carryOut(.call(CallID(2), number: "+42"))
        try house.heard("Start +42")
        #expect(try house.heard().contains("Start +41") == false)
        try house.bus.endServices()
        try house.wait(for: .call(CallID(2), .failed(ModemFailure(.noModem))))
    }
}
