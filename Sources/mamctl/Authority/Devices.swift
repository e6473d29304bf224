import ArgumentParser
import MAMValues

/// `mamctl authority device`
struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Show devices, block them, or let them in again.",
        discussion: """
            A device is what one person's group of apps is on one computer: a device tag belongs to a state directory. \
            Another person there, or another group of apps, has another tag. 'mamctl diagnose' shows it as deviceTag, also \
            where apps may only read the authority and the list stays empty.

            Example:
              mamctl authority device block 5f1c0d
            """,
        subcommands: [List.self, Block.self, Unblock.self, WipeCopies.self])

    private static func note(_ reply: JSON) -> String { reply["note"].string.map { "; note: \($0)" } ?? "" }

    /// `mamctl authority device list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the devices, with what they have reported.",
            discussion: """
                A device whose state was put back from an older copy has an entry in 'regresses'; every wipe of an \
                account there is in 'wiped'. The table counts them; --json has them all.

                Example:
                  mamctl authority device list --json
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("device.list", [:]) { reply in
                let rows = reply["devices"].elements.map { device in
                    JSON.members([
                        "deviceTag": device["deviceTag"], "blocked": device["blocked"],
                        "regresses": .number(device["regresses"].elements.count),
                        "wiped": .number(device["wiped"].elements.count),
                    ])
                }
                return Table(rows, keys: ["deviceTag", "blocked", "regresses", "wiped"]).lines(none: "no devices")
            }
        }
    }

    /// `mamctl authority device block`
    struct Block: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "block",
            abstract: "Block enrollments on a device.",
            discussion: """
                Enrolling there ends with code 226, "device blocked enrollment". Other people and other groups of apps on \
                the computer have tags of their own: block each. Accounts that are enrolled stay so. A tag that no account \
                has enrolled with is refused, or blocked with a note where apps may only read the authority.

                Example:
                  mamctl authority device block 5f1c0d
                """)

        @Argument(help: "The device's tag.", completion: Completions.devices)
        var deviceTag: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("device.block", ["deviceTag": .string(deviceTag)]) {
                "device \(Text.value($0["deviceTag"])) blocked\(Devices.note($0))"
            }
        }
    }

    /// `mamctl authority device unblock`
    struct Unblock: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unblock",
            abstract: "Let a blocked device in again.",
            discussion: """
                Accounts enroll there again when they next try.

                Example:
                  mamctl authority device unblock 5f1c0d
                """)

        @Argument(help: "The device's tag.", completion: Completions.devices)
        var deviceTag: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("device.unblock", ["deviceTag": .string(deviceTag)]) {
                "device \(Text.value($0["deviceTag"])) let in again\(Devices.note($0))"
            }
        }
    }

    /// `mamctl authority device wipe-copies`
    struct WipeCopies: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "wipe-copies",
            abstract: "Have copies of a device's state wiped.",
            discussion: """
                For a service (mamd) whose setting 'copies' is 'wipe'. Where a state of the device is found to be a copy, the \
                account is wiped in the app: in the copy, and in what it is a copy of. A backup that was put back in good \
                faith looks the same, so a service wipes no copy of a device that you have not confirmed here.

                Example:
                  mamctl authority device wipe-copies 5f1c0d
                """)

        @Argument(help: "The device's tag.", completion: Completions.devices)
        var deviceTag: String

        @Flag(help: "Take it back: wipe none.")
        var undo = false

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            let action = undo ? "copy.keep" : "copy.wipe"
            try authority.change(action, ["deviceTag": .string(deviceTag)]) {
                let result = $0["wiped"] == .bool(true) ? "are wiped" : "are not wiped"
                return "copies of device \(Text.value($0["deviceTag"])) \(result)\(Devices.note($0))"
            }
        }
    }
}
