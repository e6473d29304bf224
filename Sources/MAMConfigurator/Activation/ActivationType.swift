import MAMValues

/// Uniform type identifiers of activation rules.
enum ActivationType {
    /// The Intune App SDK shares data under this prefix, so that apps without it are not offered.
    private static let prefix = "com.microsoft.intune.mam."

    static func isManaged(_ type: String) -> Bool { type.lowercased().hasPrefix(prefix) }

    static func managed(_ type: String) -> String { prefix + type }

    /// Letters, digits, dots and hyphens: nothing that a predicate or XML would read as something else.
    static func isValid(_ type: String) -> Bool {
        !type.isEmpty
            && type.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
    }

    /// The test of an attachment for a type.
    static func test(_ type: String) -> String {
        "ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO \"\(type)\""
    }
}
