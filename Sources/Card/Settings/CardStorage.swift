import Platform

/// The places of an import, by their names: the card, the data partition, and what is written anew at each start.
///
/// Every write is whole: after a power cut a file is the old or the new one, and what was written before is there.
protocol CardStorage {
    /// nil if there is no such file.
    func read(_ place: CardPlace) throws(SystemError) -> [UInt8]?
    func write(_ place: CardPlace, _ bytes: [UInt8]) throws(SystemError)
    /// A file that is not there is no failure.
    func remove(_ place: CardPlace) throws(SystemError)
    /// Before the first write on the card. Whether it has to be closed after the last one: a card that could be written
    /// anyway is left so.
    func openCard() throws(SystemError) -> Bool
    func closeCard() throws(SystemError)
}

enum CardPlace: Equatable, Sendable {
    case card(String)
    case data(String)
    /// A program in the card's directory `hooks`. It is only read.
    case hook(String)
    /// Written anew at each start, below what is /run on the device: files for the network, and the hooks. With its
    /// permission bits.
    case run(String, mode: UInt32)
}
