import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM: the service account's file")
struct ServiceAccountTests {
    private func changed(_ key: String, _ value: JSON?) throws -> [UInt8] {
        let json = try JSON(parsing: FCMBench.file)
        let members = (json.objectValue ?? []).compactMap { member in
            member.key == key ? value.map { JSON.Member(key: key, value: $0) } : member
        }
        return Array(JSON.object(members).text.utf8)
    }

    @Test("Google's file gives all that is needed, and shows no key")
    func googlesFileGivesAllThatIsNeeded() throws {
        let account = try ServiceAccount(parsing: Array(FCMBench.file.utf8))
        #expect(account.projectID == "house-1")
        #expect(account.clientEmail == "box@house-1.iam.gserviceaccount.com")
        #expect(account.privateKeyID == "kid1")
        #expect(account.privateKey.revealed.contains("\nSECRETKEY\n"))
        #expect(account.tokenURL.host == "oauth2.example.com")
        #expect(account.audience == "https://oauth2.example.com/token")
        #expect(!"\(account)".contains("SECRETKEY"))
        #expect(!(try JSON.encoding(account).text.contains("SECRETKEY")))
    }

    @Test(
        "each key that is missing or odd is named",
        arguments: ["project_id", "client_email", "private_key_id", "private_key", "token_uri"])
    func eachKeyThatIsMissingOrOddIsNamed(key: String) throws {
        let odd: [JSON?] = [nil, .null, .integer(1), .string(""), .string("\u{7}"), .string("ü")]
        for value in odd + [.string(String(repeating: "a", count: 20_000))] {
            do {
                _ = try ServiceAccount(parsing: try changed(key, value))
                Issue.record("\(key) was taken")
            } catch let error as ServiceAccountError {
                #expect(error.description.hasPrefix("\(key): "))
            }
        }
    }

    @Test("a place for tokens without encryption, another kind of file and no file at all are refused with words")
    func aPlaceForTokensWithoutEncryption() throws {
        let cases: [([UInt8], String)] = [
            (try changed("token_uri", .string("http://oauth2.example.com/token")), "https"),
            (try changed("type", .string("authorized_user")), "authorized_user"),
            (try changed("private_key", .string("ssh-rsa AAAA")), "PEM"), ([], "empty"),
            (Array("<html>".utf8), "not valid JSON at byte 0"), (Array("[]".utf8), "an array"),
            ([UInt8](repeating: 0x20, count: 40_000), "32768"),
        ]
        for (bytes, word) in cases {
            do {
                _ = try ServiceAccount(parsing: bytes)
                Issue.record("'\(word)' was taken")
            } catch {
                #expect(error.description.contains(word), "\(error)")
            }
        }
    }
}
