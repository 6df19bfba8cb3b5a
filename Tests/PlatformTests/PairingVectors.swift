import AlarmModel
import PhoneProtocol
import Platform

/// The values of the protocol's reference, section 13; computed there with two other programs.
enum PairingVectors {
    static let text = """
        HA2:AIADLADS2Y3FRAGRV3VDFGW7SEQTQOCR5UQ2FDR3OXUWLUGSZULGEVABAEDW45DGPEXHG2AAAEBAGBAFAYDQQCIKBMGA\
        2DQPYJYQ
        """
    static let boxKey = "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254"
    static let psk = "4652a37799e4c8e25d6f15fe1ee39d9572eeac7f1db08621db295ff05e147445"
    static let payload1 = """
        04416e6e6101204fd099ccd47d7893dfe9ec24414ecb0d9b5420232aad30d91c465be33cbe65c40120dde3bccec7f3a6\
        6a1115f45d720f4dc135c3ae7c4e22dca38fdb1efd6a495ff8010100116e7466792e73682f71346578616d706c65
        """
    static let msg1 = """
        675dd574ed7789310b3d2e7681f3790b466c773b1521fecf36577958371ea52f67fdfd088e61b7e37c5aaf925236e401\
        aef73fdbbc7429a7226382bfb4c24aee3c5a5e97ce26ac8e6740b4c61cce6352b296832fba9dad84c1c2b52aca44576f\
        836b634f8c381c2d64765ccc8e9fa4269643ed6e05b73caad5fbfbb4896a04ec29740ea237f2bef8e2b696952ad6
        """
    static let msg2 = """
        493e82fc74464a59268817623d2053c5eb8e2cc4a988b4fee179ec6b010d531d25358348140d89f4b14566204c697411\
        a6385f7ae3ba
        """
    static let h = "cee576ff640e60223af39e16b488e9cba74214fcecf46fb3dbdd931f1ed8da3c"
    static let x = "72c51fab5c54b500f36935558c15523606424138e63f1e0b01b8b5b691a8c3d5"
    static let up = "5698f98938922b0556202371e8f93382a6103d49459ad26658157401075715d3"
    static let down = "88f7e9236d04f9ac0b4118f3f13a34e5d39a7fb7a9c094c746483c639b5dff13"
    static let bind = "2b26a0075b2f15d3343a03fb9e20c0901233bbb814e21b638072f5a7b50e7961"
    static let signed = """
        48413220636d642031002b26a0075b2f15d3343a03fb9e20c0901233bbb814e21b638072f5a7b50e7961318c6aabc080\
        c112010200000000000000070110e0e1e2e3e4e5e6e7e8e9eaebecedeeef0664697361726d0003703d31156c6f673d31\
        626164636166653b7365713d31303432
        """
    static let sig = """
        69844efff9139f33cc467ec366de38db91fce662c1213fed2a985fc3f64548d08a441f665a58f3e27ea06ca1bac97bb5\
        1c34a1bcf5121ee3d7d724bbedd38407
        """
    static let commandEnvelope = """
        0210318c6aabc080c112505152535455565758595a5b5c5d5e5f9672d66a2bb32806463ed4130d453c20ef1c5ea9f2a6\
        542f0ce0ca85fa8887c5ca00a0aa02779e275935875fe6526991bc3ef34f01e5081da3b9d5bb28d3868726465590bcd0\
        5bda903ced92507340e262606585a88625793d64425e6ec4490bb0ce9ef7aac6700f2a3ed2be5ec1d28c1c12d8298fe0\
        228567da6741170c157df7f70a6f5d01cf65bd9176aeb553341076c80f3e6dd526fa7016de71d1680f4c2d36d44177e8\
        5251f61343d5e03caa38632d26041d3879ec69eccd07cd280f4e43a720976fed2a888a15bad9e5ca6d0a40d7db13d369\
        b33e418d2013e29f43dc7f2bac562378
        """
    static let eventEnvelope = """
        0220318c6aabc080c112707172737475767778797a7b7c7d7e7f5576da1d7920b67d19253a504b9c3c3101c6a11bd55f\
        94171b1f96b65231c392c83a827fa38c7c6100233fbdb7106e7e68b46b702d0af28411c06ab53a684ffc1a3da2da82e6\
        30ccfaa92568d7aa44e93ffaf9ebc71f76e3335a2eca68920fb5d97414c436890774faa629c2700cd8b74ba3b2d4d010\
        85828dfea6fcbf7f78397af77c36140c947cc03b7b9e4af6fcdc68e7fcf04b935969dc4e2b38017edc0afcefa215548b\
        881833db27fbb57e65687fd95d74c2444fda352dcbd20cebaeeefe55e713e783f987e95beb5fb867ac55b9e4a9881e5b\
        0cc06dd92fc83e1667b97c223be1f7ff942713e116a3396c4b5118b24526e0799988e8ddfea02d7d1ff287848e963dc9\
        d2c5a787e27a629dc8a53125b4fd1de385512492637fa9376ac61b445a7a3b0a82c2ed4abc79d2c879a0c3ffd79e170f\
        91b0a72a4d85ef74b8097462baf63765aa3333e0a6ca7fdba7b32f37899071fee90c69f3a89e7fe585e65a3883ab7fd3\
        a51d1edb02684edd7ce6b353a4e1fd56cab6376b2c890f77db0057eba3b77411dbeeff50af9565cd65f771ab4e566d53\
        04de4ba0a02f90e94c11147ba2c4af5ba8af9d213495001e3634b535280ffa23ebf7ae630d58d238be4ae8772086291c\
        54a80af60d317321513f62ed5060e1ff03402c75e6afdc7160074a5863baa539
        """
    static let eventJSON = #"""
        {"code":"601","raw":"6011001","type":"alarm","message":"alarm. partition = 1 zone = Study PIR","\#
        timestamp":"1795228190","v":"2","log":"1badcafe","seq":"1042","part":"1","zone":"1","zn":"Study \#
        PIR","st":"a=a;r=0;al=1;t=0;z=1;x="}
        """#
    static let p256Point = """
        04e4a67e5f4e342285468ed72bd661eeb8806c394906d5f581e33d284d10539b9c413702d8ffb782b60fb98eb37b503d\
        4500384e3dede3c1ea54f4240d4b73658c
        """
    static let p256Signature = """
        cf814f0ed25d0aeefdbf0340a11a3307fae9fb3ad0cb73a14a91925186fbe5a71c105458a870d6600cbdd8e957d7e661\
        04dcef73a64ee878ec4fcf7efb068c0f
        """
    /// Key 2 as a passkey of `passkeyPlace`: its point, what a phone then says of itself, and its answer to `signed`.
    static let passkeyPoint = """
        044865cd597256fb1107f193621e2be06fb4a6f955aa3d3c881c212290b590763c1d3d1900cb786e6be388d4d91bd78b05f5\
        f4cf070e29a22523da64c36d615194
        """
    static let passkeyPayload1 = """
        04416e6e6101204fd099ccd47d7893dfe9ec24414ecb0d9b5420232aad30d91c465be33cbe65c40341044865cd597256fb11\
        07f193621e2be06fb4a6f955aa3d3c881c212290b590763c1d3d1900cb786e6be388d4d91bd78b05f5f4cf070e29a22523da\
        64c36d61519411616c61726d2e6578616d706c652e6f72671968747470733a2f2f616c61726d2e6578616d706c652e6f7267\
        010100116e7466792e73682f71346578616d706c65
        """
    static let passkeyAuthenticator = """
        21022bbd0c84e831a0475b84d4c86e65248f0ab664ad6d45946a86ed7ad4d5de0500000000
        """
    static let passkeyClient = #"""
        {"type":"webauthn.get","challenge":"HF07_2taVAagStBDkvxqQL5h0kj63uN2vHeUNp6IVgE","origin":"https://alarm.\#
        example.org","crossOrigin":false}
        """#
    static let passkeySignature = """
        3046022100d66375978ce2d8e388116bae4d688296f7b9865c9719e9134d0d88f2c405818a022100c30862461210ad2b723966\
        e81e1afa5bf55056c0dd537c5ae76fafa93183ab52
        """
    static let passkeyPlace = PasskeyPlace(relyingParty: "alarm.example.org", origin: "https://alarm.example.org")
    static let topicUp = "s5hrb7jtflrvx5nko47mk3ub"
    static let topicDown = "yhbaqdmojyz27wkhanv3e2kn"
    static let phone = "318c6aabc080c112"
    static let code = "633591"

    /// So many bytes counting up.
    static func counting(from first: UInt8, _ count: UInt8) -> [UInt8] { (0..<count).map { first + $0 } }

    static let secret = counting(from: 0x00, 16)
    static let boxPrivateKey = counting(from: 0x20, 32)
    static let phoneEphemeral = counting(from: 0x60, 32)
    static let boxEphemeral = counting(from: 0x80, 32)
    static let seed1 = counting(from: 0xA0, 32)
    static let seed2 = counting(from: 0xC0, 32)
    static let servers = [RendezvousPlace(kind: .topicServer, place: "ntfy.sh")]
    static let addresses = [PairingHeard.Address(kind: .topic, value: "ntfy.sh/q4example")]
}

/// OpenSSL with the random bytes that a test wants; when they are used up, the kernel's.
struct ScriptedCrypto: Crypto {
    private let real = OpenSSLCrypto()
    private var scripted: [[UInt8]]

    init(_ scripted: [[UInt8]] = []) { self.scripted = scripted }

    mutating func random(_ count: Int) -> [UInt8] {
        guard let next = scripted.first, next.count == count else { return Random.bytes(count) }
        scripted.removeFirst()
        return next
    }
    func sha256(_ bytes: [UInt8]) -> [UInt8] { real.sha256(bytes) }
    func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { real.hmacSHA256(key: key, bytes) }
    func hmacSHA1(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { real.hmacSHA1(key: key, bytes) }
    func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? { real.x25519PublicKey(of: privateKey) }
    func x25519(privateKey: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
        real.x25519(privateKey: privateKey, publicKey: publicKey)
    }
    func sealChaCha20Poly1305(
        _ plain: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
    ) -> [UInt8]? { real.sealChaCha20Poly1305(plain, key: key, nonce: nonce, additional: additional) }
    func openChaCha20Poly1305(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]
    ) -> [UInt8]? { real.openChaCha20Poly1305(sealed, key: key, nonce: nonce, additional: additional) }
    func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        real.verifyEd25519(signature, of: message, publicKey: publicKey)
    }
    func verifyP256(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        real.verifyP256(signature, of: message, publicKey: publicKey)
    }
    func isP256Point(_ publicKey: [UInt8]) -> Bool { real.isP256Point(publicKey) }
}
