/// The names of one kind of ``TargetedDocument``.
struct DocumentKind: Sendable {
    /// The key of one document in requests, and the prefix of its actions.
    let key: String
    /// The noun in messages, and the prefix of column names.
    let noun: String
    /// The key of a list of documents, and the name of their table.
    let plural: String
    /// Names of tables.
    let imports, assignments, targets: String
    /// The message for an exclusion that is refused or left out because the document is a tenant default.
    let defaultExcludesNobody: String
    /// How many tenant defaults there may be; nil for no limit.
    let maximumDefaults: Int?

    /// The column of assignments and targets that refers to a document.
    var row: String { "\(noun)_row" }
}
