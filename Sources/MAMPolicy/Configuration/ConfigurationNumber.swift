import MAMSupport

/// A number of a setting.
public enum ConfigurationNumber: Sendable, Equatable {
    /// Whole, and written so.
    case integer(Int64)
    /// Any other finite number.
    case double(Double)

    /// As a double.
    public var double: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        }
    }

    /// As a whole number, where it was written as one.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// As JSON.
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
