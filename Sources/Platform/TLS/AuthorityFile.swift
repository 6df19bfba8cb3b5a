package import AlarmModel
import COpenSSL
import Glibc

/// The certificates in a file with authorities, for people who look after them.
package enum AuthorityFile {
    package struct Entry: Equatable, Sendable {
        /// Not valid after this.
        package var until: WallTime
    }

    /// In the order of the file; nil names the system's. Never empty.
    package static func read(_ file: String?) throws(CertificateError) -> [Entry] {
        let path: String
        let bytes: [UInt8]
        do throws(TLSFailure) {
            if let file { path = file } else { path = try TLSTrust.systemFile() }
        } catch {
            throw CertificateError(what: "\(error)")
        }
        do throws(SystemError) {
            bytes = try FileReader.read(path, limit: TLSTrust.fileLimit)
        } catch {
            throw CertificateError(what: "\(error)")
        }
        let certificates = try X509Certificate.all(inPEM: bytes)
        guard !certificates.isEmpty else { throw CertificateError(what: "\(path): there is no certificate in it") }
        return certificates.map { Entry(until: $0.until) }
    }
}

extension X509Certificate {
    /// Not valid after this.
    var until: WallTime {
        var parts = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(pointer), &parts) == 1 else { return WallTime(milliseconds: 0) }
        let (milliseconds, overflow) = Int64(timegm(&parts)).multipliedReportingOverflow(by: 1000)
        return WallTime(milliseconds: overflow ? .max : milliseconds)
    }
}
