/// Which value of a key is wanted where several are booleans. The raw values are those of mam.h.
public enum BooleanQuery: Int32, Sendable, CaseIterable {
    /// The first in the order received.
    case any = 0
    /// true where one is.
    case or = 1
    /// true where all are.
    case and = 2
}

/// Which value of a key is wanted where several are numbers or texts. The raw values are those of mam.h.
public enum OrderedQuery: Int32, Sendable, CaseIterable {
    /// The first in the order received.
    case any = 0
    /// The least.
    case min = 1
    /// The greatest.
    case max = 2
}
