/// A field of a request or reply. Names are in lower case.
public typealias MessageField = (name: String, value: String)

extension [MessageField] {
    /// The value of a field that is there once; nil where it is missing or repeated.
    func only(_ name: String) -> String? {
        let found = filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }
}
