import AlarmModel
import PhoneLink
import Testing

@Suite("URLs and the network")
struct URLNetworkTests {
    @Test("another network makes each attempt anew, and what stood idle is not used there")
    func anotherNetworkMakesEachAttemptAnew() throws {
        var rig = URLTransportTests.Rig([
            try URLTransportTests.post("https://a.example/"), try URLTransportTests.post("https://b.example/"),
        ])
        rig.deliver("a-1", to: "https://a.example/")
        rig.deliver("b-1", to: "https://b.example/")
        rig.connect(1, 2)
        rig.answer(2, "200 OK")
        _ = rig.took()
        rig.transport.setUrgent(true, at: rig.now)
        rig.transport.networkChanged(at: rig.now, into: &rig.actions)
        let target = DialTarget(host: "a.example", port: 443, security: .tls(authorityFile: nil))
        #expect(rig.took() == [.cancelConnect(DialSlot(0)), .connect(DialSlot(0), target), .close(ConnectionID(2))])
        #expect(rig.transport.health.underWay == 1)
    }

    @Test("a connection for no address of ours is closed, and a failure of one is nobody's")
    func aConnectionForNoAddressOfOursIsClosed() throws {
        var rig = URLTransportTests.Rig([try URLTransportTests.post("https://a.example/")])
        _ = rig.took()
        rig.connect(1, 7)
        #expect(rig.took() == [.close(ConnectionID(7))])
        rig.transport.connectFailed(
            .dial(.unreachable(.refused)), slot: DialSlot(1), at: rig.now, into: &rig.actions)
        rig.answer(7, "200 OK")
        #expect(rig.took().isEmpty)
    }
}
