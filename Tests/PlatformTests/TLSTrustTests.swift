import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct TLSTrustTests {
    private func failure(of text: String) throws -> String? {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/ca.pem"
        try AtomicFile.write(path, Array(text.utf8))
        let failure = thrown(TLSFailure.self) { try TLSTrust(caFile: path) }
        guard case .noAuthorities(let what) = failure else { return nil }
        #expect(what.hasPrefix(path))
        return String(what.dropFirst(path.count))
    }

    @Test("a file without authorities is an error that says what is wrong with it")
    func aFileWithoutAuthoritiesIsAnErrorThatSaysWhatIsWrongWithIt() throws {
        let missing = thrown(TLSFailure.self) { try TLSTrust(caFile: "/nowhere/ca.pem") }
        #expect(missing == .noAuthorities("/nowhere/ca.pem: No such file or directory (open)"))
        #expect(try failure(of: "") == ": there is no certificate in it")
        #expect(try failure(of: "hello\n") == ": there is no certificate in it")
        let pem = try Authority().certificatePEM
        #expect(try failure(of: pem + pem.replacing("M", with: "!"))?.hasPrefix(": certificate 2: ") == true)
        #expect(try failure(of: String(pem.prefix(200))) != nil)
    }

    @Test("all certificates of a file are taken, with text between them and with one twice")
    func allCertificatesOfAFileAreTaken() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/ca.pem"
        let first = try Authority().certificatePEM
        let second = try Authority(name: "Second").certificatePEM
        try AtomicFile.write(path, Array("# one\n\(first)# two\n\(second)\(first)".utf8))
        #expect(try TLSTrust(caFile: path).authorityCount == 3)
    }

    @Test("without a file the system's authorities are taken; a system that has none is told what to install")
    func withoutAFileTheSystemsAuthoritiesAreTaken() throws {
        do throws(TLSFailure) {
            #expect(try TLSTrust().authorityCount > 0)
        } catch {
            #expect(error == .noAuthorities("this system has none; install ca-certificates"))
        }
    }

    @Test("a file is parsed again only when it has changed; a bad one is an error each time")
    func aFileIsParsedAgainOnlyWhenItHasChanged() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/ca.pem"
        let cache = TLSTrustCache()
        #expect(thrown(TLSFailure.self) { try cache.trust(caFile: path) } != nil)
        try AtomicFile.write(path, Array(try Authority().certificatePEM.utf8))
        let first = try cache.trust(caFile: path)
        #expect(try cache.trust(caFile: path) === first)
        try AtomicFile.write(path, Array(try Authority(name: "Next").certificatePEM.utf8))
        let next = try cache.trust(caFile: path)
        #expect(next !== first)
        #expect(try cache.trust(caFile: path) === next)
    }
}
