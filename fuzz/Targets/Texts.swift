import MAMPolicy
import MAMSupport

/// JSON that is accepted is written as JSON that means the same.
func fuzzJSON(_ input: [UInt8]) {
    guard let value = try? JSON(parsing: input) else { return }
    let again = try? JSON(parsing: value.utf8, limit: .max)
    require(again == value, "what is written reads as what was read")
}

/// A property list, of either form, the test policy in it, and an Info.plist of it.
func fuzzPropertyList(_ input: [UInt8]) {
    fuzzInfoPlist(input)
    guard let list = try? PropertyList(parsing: input) else { return }
    _ = try? TestPolicy(list)
}
