/// How many pages of databases are counted at once, and how many one key seals.
enum PageBudget {
    static let block: Int64 = 1 << 16
    static let limit: Int64 = 1 << 31
}
