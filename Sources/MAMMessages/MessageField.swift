/// A field of a request or reply. Names are in lower case.
public typealias MessageField = (name: String, value: String)

extension [MessageField] {
    /// The value of a field that is there once; nil where it is missing or repeated.
    func only(_ name: String) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return nil }
            found = field.value
        }
        return found
    }
}
