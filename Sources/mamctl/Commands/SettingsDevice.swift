import ArgumentParser
import CMam
import MAMValues

extension Settings {
    /// `mamctl settings device`
    struct Device: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "device",
            abstract: "Show the device's owner, or replace the statement about the device.",
            discussion: """
                DEVICE is the object "device" of mam_open, @FILE to read it from a file. It takes the place of the former \
                statement as a whole, and programs that are open follow at once: whose the device is counts for every \
                app of the group, the rest for this app. Without it, whose the device is is shown.

                Example:
                  mamctl settings device '{"mdmAccountId":"0b1c2d3e"}'
                """)

        @Argument(help: ArgumentHelp("The statement as JSON.", valueName: "device"))
        var device: String?

        @Flag(help: "State nothing: the device has no account.")
        var none = false

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func validate() throws {
            guard device == nil || !none else { throw ValidationError("give a device or --none, not both") }
        }

        func run() throws {
            let stated = try device.map { try Input.json($0, option: "device").text }
            try Session.open(session, firstRun: stated != nil || none ? .stores : .reads) { session in
                if stated != nil || none { try session.perform { mam_set_device($0, stated) } }
                while let event = try session.nextEvent().map(JSON.init(parsing:)) {
                    guard event["event"] == .string("warning") else { continue }
                    Output.complain("warning: \(Text.clean(Text.value(event["message"])))")
                }
                let known = JSON.members([
                    "allowedAccounts": try JSON(parsing: session.text { mam_allowed_accounts($0, $1) }),
                    "mdmAccount": try JSON(parsing: session.text { mam_mdm_account($0, $1) }),
                ])
                try output.show(known.text) { known in
                    let owner = known["mdmAccount"]["accountId"].string ?? "nobody"
                    let allowed = known["allowedAccounts"] == .null ? "anybody" : Text.value(known["allowedAccounts"])
                    return Text.fields([("device of", owner), ("allowed accounts", allowed)])
                }
            }
        }
    }
}
