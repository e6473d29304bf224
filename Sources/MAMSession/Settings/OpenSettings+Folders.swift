import CProcess
import MAMSupport

/// Folders below the user's home directory, as in the XDG base directory specification.
extension OpenSettings {
    static func defaultStateDirectory() throws(MAMError) -> String {
        guard let folder = folder("XDG_STATE_HOME", inHome: ".local/state") else {
            throw MAMError(
                .argument, "stateDirectory is missing, and neither XDG_STATE_HOME nor HOME says where it could be",
                [("setting", "stateDirectory")])
        }
        return folder + "/libmam"
    }

    /// The folder for imported copies without a target: `path` in the app's own folder. nil where neither XDG_DATA_HOME nor HOME
    /// says where that could be.
    func importFolder(_ path: String?) -> String? {
        guard let path, let data = OpenSettings.folder("XDG_DATA_HOME", inHome: ".local/share") else { return nil }
        return ([data, app.id] + path.split(separator: "/").map(String.init)).joined(separator: "/")
    }

    /// The absolute path in a variable, else one in the home directory.
    private static func folder(_ variable: String, inHome path: String) -> String? {
        func absolute(_ name: String) -> String? {
            process_environment(name).map { String(repairing: $0) }.flatMap {
                $0.utf8.first == UInt8(ascii: "/") ? $0 : nil
            }
        }
        return absolute(variable) ?? absolute("HOME").map { "\($0)/\(path)" }
    }
}
