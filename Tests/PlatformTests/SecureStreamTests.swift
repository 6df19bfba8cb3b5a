import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct SecureStreamTests {
    /// Sends from one end to the other in pieces and expects all of it, and totals of plain bytes.
    private func transfer(
        _ rig: TLSRig, _ bytes: [UInt8], from source: SecureStream, to target: SecureStream, pieces: Int
    ) {
        var received: [UInt8] = []
        var totals: [UInt64] = []
        var largest = 0
        let before = source.sentTotal
        let stopWhenDone = {
            if received.count >= bytes.count, totals.last == before + UInt64(bytes.count) { rig.loop.stop() }
        }
        target.onReceived = { chunk in
            #expect(!chunk.isEmpty)
            largest = max(largest, chunk.count)
            received += chunk
            stopWhenDone()
        }
        source.onSent = {
            totals.append($0)
            stopWhenDone()
        }
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            source.send(Array(bytes[start..<min(bytes.count, start + pieces)]))
        }
        #expect(source.unsentCount == bytes.count)
        #expect(rig.loop.runBounded())
        #expect(received == bytes)
        #expect(largest <= 64 * 1024)
        #expect(totals == totals.sorted() && Set(totals).count == totals.count)
        #expect(source.unsentCount == 0 && source.sentTotal == before + UInt64(bytes.count))
    }

    @Test("data of every size arrives whole in both directions, and plain bytes are counted")
    func dataOfEverySizeArrivesWholeInBothDirections() throws {
        let rig = try TLSRig()
        let (client, server) = try rig.pair()
        for count in [1, 2, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 100_000, 3_000_000] {
            transfer(rig, pattern(count), from: client, to: server, pieces: count)
            transfer(rig, pattern(count), from: server, to: client, pieces: count)
        }
        #expect(client.summary.hasPrefix("TLSv1.3, "))
    }

    @Test("many small writes arrive in order and share records")
    func manySmallWritesArriveInOrderAndShareRecords() throws {
        let rig = try TLSRig()
        var below: (any ByteStream)?
        let (client, server) = try rig.pair {
            below = $0
            return $0
        }
        let start = below?.sentTotal ?? 0
        transfer(rig, pattern(5000), from: client, to: server, pieces: 1)
        #expect((below?.sentTotal ?? 0) - start < 5100)
    }

    @Test("delivery one byte at a time changes nothing")
    func deliveryOneByteAtATimeChangesNothing() throws {
        let rig = try TLSRig()
        let (client, server) = try rig.pair { TricklingStream($0) }
        transfer(rig, pattern(40_000), from: server, to: client, pieces: 40_000)
        transfer(rig, pattern(40_000), from: client, to: server, pieces: 700)
    }

    @Test("a peer that does not read leaves the rest in the clear and unsent, and little of it is encrypted ahead")
    func aPeerThatDoesNotReadLeavesTheRestInTheClearAndUnsent() throws {
        let rig = try TLSRig()
        var below: (any ByteStream)?
        let (client, server) = try rig.pair {
            below = $0
            return $0
        }
        let bytes = pattern(20_000_000)
        var received: [UInt8] = []
        server.pauseReading()
        server.onReceived = { chunk in
            received += chunk
            if received.count == bytes.count { rig.loop.stop() }
        }
        client.send(bytes)
        rig.loop.setTimer(after: .milliseconds(300)) { rig.loop.stop() }
        #expect(rig.loop.runBounded())
        #expect(received.isEmpty)
        #expect(client.unsentCount > 1_000_000)
        #expect(Int(client.sentTotal) + client.unsentCount == bytes.count)
        #expect((below?.unsentCount ?? .max) < 300 * 1024)
        // From now on it reads slowly: pausing in the middle of what was decrypted loses nothing.
        var pauses = 0
        server.onReceived = { chunk in
            received += chunk
            if received.count == bytes.count { return rig.loop.stop() }
            if received.count / 1_000_000 > pauses {
                pauses += 1
                server.pauseReading()
                rig.loop.setTimer(after: .milliseconds(1)) { server.resumeReading() }
            }
        }
        server.resumeReading()
        #expect(rig.loop.runBounded())
        #expect(received == bytes)
        #expect(pauses == 19)
    }
}
