import AlarmModel

/// The error of a 502 and what the driver does about it (docs/envisalink.md 1.4).
package struct SystemError: Codable, Equatable, Sendable, CustomStringConvertible {
    /// 0…999
    package let code: Int

    package init(_ code: Int) { self.code = code }

    /// What to do with the command that met the error.
    package enum Rule: String, Codable, Equatable, Sendable, CaseIterable {
        /// Send it again after 0.2 s, then after twice as long each time, up to 5 s.
        case retryDoubling
        /// Send it again once if it only reads; never if it changes something.
        case retryOnceForReads
        /// Send it again after 1 s, at most twice.
        case retryTwiceAfterOneSecond
        /// It failed; say why.
        case report
        /// It failed, and the module cannot reach the panel; the session stays up.
        case keybusDown
        /// It failed; send no code for some minutes.
        case lockedOut
        /// It failed until somebody leaves installer mode at the keypad.
        case installerMode
        /// Already disarmed: done if that was the wish.
        case notArmed
        /// Zones are open, it is armed already or leaving, or its keypad is blank.
        case notReady
        /// Nothing failed, or it is meant for another device.
        case ignore
    }

    package var rule: Rule {
        switch code {
        case 0, 28...33: .ignore
        case 1, 2, 3, 10: .retryDoubling
        case 11, 12: .retryOnceForReads
        case 15, 18: .retryTwiceAfterOneSecond
        case 14: .keybusDown
        case 16: .lockedOut
        case 17: .installerMode
        case 23: .notArmed
        case 24: .notReady
        default: .report
        }
    }

    /// The module's transmit buffer ran over: a status report has to follow, because events may be missing.
    package var mayHaveLostEvents: Bool { code == 3 }

    /// In plain words, without the number.
    package var meaning: String {
        switch code {
        case 0: "no error"
        case 1: "the module was still busy with the last command"
        case 2: "the module's receive buffer is full"
        case 3: "the module's transmit buffer ran over"
        case 10: "the module's buffer towards the panel ran over"
        case 11: "the panel did not answer the module in time"
        case 12: "the module found no time to speak to the panel"
        case 13: "the keys did not reach the panel in time"
        case 14: "the module cannot reach the panel (keybus down)"
        case 15: "the panel is busy arming or disarming"
        case 16: "the keypads are locked out after wrong codes"
        case 17: "the panel is in installer mode"
        case 18: "the partition is busy: somebody works at a keypad"
        case 20: "the module does not understand the command"
        case 21: "there is no such partition"
        case 22: "the module does not know this command"
        case 23: "the partition is not armed"
        case 24: "the partition is not ready to arm"
        case 25: "the command has the wrong length"
        case 26: "no user code was asked for, or it came too late"
        case 27: "the command has characters that are not allowed"
        case 28...33: "an error of a serial module or a virtual keypad"
        default: "an error that is not documented"
        }
    }

    package var description: String {
        "\(meaning) (502 \(code.padded(3)))"
    }
}
