import Platform
import Testing

@Suite struct ServiceNotifierTests {
    @Test("a text cannot smuggle an assignment of its own to the service manager")
    func oneLine() {
        #expect(ServiceNotifier.readyMessage(status: "up\nREADY=0\r\nX=1") == "READY=1\nSTATUS=up READY=0 X=1")
    }

    @Test("without a service manager nothing is told and nothing fails")
    func nobodyListens() {
        ServiceNotifier.ready(status: "up")
        ServiceNotifier.reloading()
        ServiceNotifier.stopping()
        ServiceNotifier.watchdog()
    }
}
