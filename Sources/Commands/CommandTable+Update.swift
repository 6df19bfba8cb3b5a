import Card
import CommandKit

/// `update`, `slot` and `bundle`.
extension CommandTable {
    private typealias Option = CommandSyntax.Option
    private typealias Operand = CommandSyntax.Operand

    private static let places = [
        Option(name: "--disk", value: "PATH", summary: "the card (the one with /data)"),
        Option(name: "--slot-a", value: "PATH", summary: "slot A (partition 2 of the card)"),
        Option(name: "--slot-b", value: "PATH", summary: "slot B (partition 3 of the card)"),
        Option(name: "--running", value: "A|B", summary: "the slot that runs (/proc/cmdline)"),
        Option(name: "--release", value: "FILE", summary: "what runs (\(UpdatePlaces().release))"),
        Option(name: "--floor", value: "FILE", summary: "the kept floor (\(UpdatePlaces().floor))"),
        Option(name: "--report", value: "FILE", summary: "write what is in the slots there, as JSON"),
    ]

    static let update = [
        CommandSyntax(
            name: "update", purpose: .phones, brief: "install a new version",
            summary: "Installs the version of a bundle into the slot that does not run: signature, board, version and "
                + "content are checked before anything is written, and what was written is read back. The new version "
                + "starts at the next restart; if it does not prove itself within its three tries, the old one comes "
                + "back. On the appliance root does the work, everybody else asks the daemon to have it done. A "
                + "version below the security floor is never installed.",
            operands: [Operand(name: "FILE", isOptional: true)],
            options: [
                Option(name: "--check", value: nil, summary: "only say whether it may be installed"),
                Option(name: "--install", value: nil, summary: "do the work here"),
                Option(name: "--older", value: nil, summary: "yes, an older or the same version"),
                Option(name: "--request", value: "FILE", summary: "do what the daemon asks there"),
                Option(name: "--keys", value: "DIR", summary: "public keys (\(UpdatePlaces().keys))"),
                Option(name: "--status", value: "FILE", summary: "how far it is, as JSON"),
            ] + places,
            examples: [
                "howalarming update /run/howalarming-usb/sda1/howalarming-rpi-1.1.0.bundle",
                "howalarming update --check howalarming-rpi-1.1.0.bundle",
            ]),
        CommandSyntax(
            name: "slot", purpose: .watching, brief: "the two software slots",
            summary:
                "Shows what is in the two slots, which of them runs, and how often each is tried. 'slot good' says "
                + "that what runs has proved itself; the service does that by itself after some minutes.",
            operands: [Operand(name: "good", isOptional: true)],
            options: [Option(name: "--json", value: nil, summary: "print JSON for programs")] + places,
            examples: ["howalarming slot", "howalarming slot --json", "howalarming slot good"]),
        CommandSyntax(
            name: "bundle", purpose: .daemon, brief: "make bundles for updates",
            summary: "Makes keys and bundles for updates, for whoever builds releases.",
            examples: ["howalarming bundle show howalarming-rpi-1.1.0.bundle"], parts: bundle),
    ]

    private static let bundle = [
        CommandSyntax(
            name: "bundle keygen", purpose: .daemon, brief: "a new signing key",
            summary: "Makes an Ed25519 key for signing bundles. Its public half is written beside it, with the ending "
                + ".pub, as an image takes it.",
            options: [Option(name: "--out", value: "FILE", summary: "the key", isNeeded: true)],
            examples: ["howalarming bundle keygen --out release.key"]),
        CommandSyntax(
            name: "bundle make", purpose: .daemon, brief: "a signed bundle",
            summary:
                "Makes a bundle of a slot's image, which has to end with its trailer, and signs it. All options but --built are "
                + "needed.",
            options: [
                Option(name: "--board", value: "BOARD", summary: "which machines"),
                Option(name: "--version", value: "TEXT", summary: "for people"),
                Option(name: "--number", value: "N", summary: "orders versions"),
                Option(
                    name: "--floor", value: "N", summary: "the lowest that may be installed after it"),
                Option(name: "--slot", value: "IMAGE", summary: "the slot's image"),
                Option(name: "--key", value: "FILE", summary: "of 'bundle keygen'"),
                Option(name: "--out", value: "FILE", summary: "the bundle"),
                Option(name: "--built", value: "TIME", summary: "when (SOURCE_DATE_EPOCH, or now)"),
            ]),
        CommandSyntax(
            name: "bundle show", purpose: .daemon, brief: "what is in one",
            summary: "Says what a bundle holds and whether it is whole. Whether a box would take it says "
                + "'howalarming update --check' there.",
            operands: [Operand(name: "FILE")], examples: ["howalarming bundle show howalarming-rpi-1.1.0.bundle"]),
    ]
}
