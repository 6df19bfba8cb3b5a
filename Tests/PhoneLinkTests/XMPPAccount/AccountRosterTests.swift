import AlarmModel
import Foundation
import PhoneLink
import Testing

@Suite("Who sees the box by the roster of its XMPP account")
struct AccountRosterTests {
    /// What the server has written down.
    private static func answer(from server: String = "example.com") -> String {
        let items = [("anna", "both"), ("bob", "from"), ("carl", "to")].map { name, subscription in
            "<item jid='\(name)@example.com' subscription='\(subscription)'/>"
        }
        return "<iq id='roster' type='result' from='\(server)'><query xmlns='jabber:iq:roster'>\(items.joined())"
            + "</query></iq>"
    }
    private static let question = "<iq id=\"roster\" type=\"get\"><query xmlns=\"jabber:iq:roster\"/></iq>"
    private static let farewell = "<presence to=\"anna@example.com\" type=\"unsubscribed\"/>"

    @Test("who was taken from the list while there was no connection is found in the roster, and sees the box no more")
    func whoWasTakenFromTheListWhileThereWasNoConnectionIsFound() {
        for isResumed in [true, false] {
            var bench = AccountBench.ready(isManaged: isResumed)
            bench.admit("anna@example.com", "bob@example.com")
            bench.wait(.seconds(6))
            let first = bench.take().sent
            #expect(first.contains(Self.question))
            bench.say(Self.answer())
            bench.lose()
            bench.admit("bob@example.com")
            bench.waitForDial()
            if isResumed {
                bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
                bench.say("<resumed xmlns='urn:xmpp:sm:3' h='2' previd='session-1'/>")
            } else {
                bench.connect(Account.unmanaged)
            }
            let early = bench.take().sent
            #expect(!early.contains(Self.question) && !early.contains("unsubscribed"))
            bench.wait(.seconds(6))
            bench.say(Self.answer(from: "eve@example.com/x"))
            let second = bench.take().sent
            #expect(second.contains(Self.question) && !second.contains("unsubscribed"))
            bench.say(Self.answer())
            bench.say(Self.answer())
            let last = bench.take().sent
            #expect(last.contains(Self.farewell))
            #expect(last.components(separatedBy: "unsubscribed").count == 2)
        }
    }

    @Test("a roster that comes before anybody has said who may see the box is kept until then")
    func aRosterThatComesBeforeAnybodyHasSaidWhoMaySeeTheBoxIsKept() {
        var bench = AccountBench.ready()
        bench.wait(.seconds(6))
        bench.say(Self.answer())
        let early = bench.take().sent
        #expect(!early.contains("unsubscribed"))
        bench.admit("bob@example.com")
        let late = bench.take().sent
        #expect(late.contains(Self.farewell))
    }
}
