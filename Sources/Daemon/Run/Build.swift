/// What the build knows of itself.
enum Build {
    /// Seconds since 1970: the clock is never believed to be before this. Set by the release of a version.
    static let time: Int64 = 1_793_491_200
}
