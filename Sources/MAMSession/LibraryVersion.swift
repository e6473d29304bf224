/// The release; a script compares it with `MAM_VERSION` in mam.h.
public let libraryVersionText: StaticString = "0.1.0"

/// The release as a string.
let libraryVersion = "\(libraryVersionText)"
