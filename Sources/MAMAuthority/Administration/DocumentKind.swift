/// How one kind of ``TargetedDocument`` is called.
struct DocumentKind: Sendable {
    /// The key that names one in a request; its actions begin with it.
    let key: String
    /// For people; and the begin of a column's name.
    let noun: String
    /// The key of a list of them; and their table.
    let plural: String
    /// Tables.
    let imports, assignments, targets: String
    /// Why an exclusion is refused, or left out.
    let defaultExcludesNobody: String
    /// How many tenant defaults there may be.
    let mostDefaults: Int?

    /// The column of assignments and targets that points to a document.
    var row: String { "\(noun)_row" }
}
