import MAMSupport

/// A number of a setting.
public enum ConfigurationNumber: Sendable, Equatable {
    /// A whole number that was written as one.
    case integer(Int64)
    /// Any other finite number.
    case double(Double)

    /// The value as a double.
    public var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }

    /// The value as a whole number; nil if it was not written as one.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The value as JSON.
    public var json: JSON {
        switch self {
        case .integer(let value): .integer(value)
        case .double(let value): .decimal("\(value)")
        }
    }

    static func precedes(_ a: ConfigurationNumber, _ b: ConfigurationNumber) -> Bool {
        if case .integer(let x) = a, case .integer(let y) = b { return x < y }
        return a.double < b.double
    }
}
