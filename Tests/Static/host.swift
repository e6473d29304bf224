import CMam

/// A host with types and conformances of its own, which its runtime has to find beside libmam's.
protocol Named { var name: String { get } }

struct Note: Named, Hashable {
    var name: String
}

@main
struct Host {
    static func main() async {
        let notes: [any Named] = [Note(name: "first"), Note(name: "second")]
        let hashable = notes.compactMap { $0 as? any Hashable }
        let count = await Task { hashable.count }.value
        var session: OpaquePointer?
        guard mam_open(CommandLine.arguments[1], &session) == MAM_OK else {
            return print(String(cString: mam_last_message()))
        }
        print("notes: \(count), \(notes[0]); libmam \(String(cString: mam_version())), closed: \(mam_close(session))")
    }
}
