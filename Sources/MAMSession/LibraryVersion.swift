/// The release: `MAM_VERSION` in mam.h, which a script compares.
public let libraryVersionText: StaticString = "0.1.0"

/// The same, for JSON.
let libraryVersion = "\(libraryVersionText)"
