/// The services of files and databases.
struct FileServices {
    let files: Files
    let conversions: FileConversions
    let databases: Databases

    init(_ context: SessionContext, _ protection: Protection, _ identities: CurrentIdentities) {
        files = Files(context, protection, identities)
        databases = Databases(context, protection, files)
        conversions = FileConversions(context, files, protection, databases, identities)
    }
}
