/// Selects one of several booleans. The raw values are those of mam.h.
public enum BooleanQuery: Int32, Sendable, CaseIterable {
    /// The first in the order received.
    case any = 0
    /// true if any value is.
    case or = 1
    /// true if all values are.
    case and = 2
}

/// Selects one of several numbers or texts. The raw values are those of mam.h.
public enum OrderedQuery: Int32, Sendable, CaseIterable {
    /// The first in the order received.
    case any = 0
    /// The least.
    case min = 1
    /// The greatest.
    case max = 2
}
