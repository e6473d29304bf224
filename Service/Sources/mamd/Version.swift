/// The release; a test compares it with `MAM_VERSION` in mam.h.
let mamdVersion = "0.1.0"
