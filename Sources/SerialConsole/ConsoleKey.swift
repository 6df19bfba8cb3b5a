/// A key of a terminal, or what a terminal says of itself.
package enum ConsoleKey: Equatable, Sendable {
    case character(Character)
    case enter, escape, backspace, up, down, left, right, pageUp, pageDown, home, end
    /// Ctrl-C, Ctrl-D
    case interrupt
    /// Ctrl-L
    case redraw
    /// Where the cursor is, counted from 1: the answer to `ESC [ 6 n`.
    case cursor(row: Int, column: Int)
}
