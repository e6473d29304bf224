import ArgumentParser
import CMam
import Glibc
import MAMValues

/// `mamctl events`
struct Events: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print what has happened, or what happens.",
        discussion: """
            Prints the events that wait and ends. With --timeout it waits for the first one, and fails when \
            none comes in time. With --follow it goes on until --timeout is over or it is interrupted, and \
            ends with status 0. While it waits it does what is due, check-ins above all. An event is taken by whoever \
            reads it first: a program of the same app does not see what this command has printed. A line has time, app, \
            account, event, the message for the user, and details; on a terminal the last two are below, and the app is \
            left out. --json has everything.

            With --control its questions are events too, and wait for 'mamctl answer'; without it they take their \
            defaults. PATH is a socket in a folder that is yours alone.

            Example:
              mamctl events --follow
              mamctl events --follow --json --control ~/.mam/control
            """)

    @Option(help: ArgumentHelp("Wait this long at most.", valueName: "seconds"))
    var timeout: Int32?

    @Flag(help: "Go on printing.")
    var follow = false

    @Option(help: ArgumentHelp("With --follow, take answers of 'mamctl answer' here.", valueName: "path"))
    var control: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func validate() throws {
        if let timeout, timeout < 0 { throw ValidationError("--timeout is a number of seconds, 0 or more") }
        if control != nil, !follow { throw ValidationError("--control goes with --follow") }
    }

    func run() throws {
        let control = try control.map { try ControlSocket(path: $0) }
        var lines = EventLines(app: try Configuration.text(.app, option: session.app) ?? "-")
        let firstRun = follow || timeout != nil ? FirstRun.stores : .manages
        try Session.open(session, firstRun: firstRun, asksByEvents: control != nil) {
            session in
            let descriptors = [try session.eventDescriptor()] + (control.map { [$0.descriptor] } ?? [])
            let wait = EventWait(descriptors: descriptors, timeout: timeout ?? (follow ? nil : 0))
            var printed = try drain(session, &lines)
            while follow || (timeout != nil && !printed), try wait.pause() {
                control?.serve { session.answer($0, secret: $1) }
                try session.perform { mam_run_due($0) }
                printed = try drain(session, &lines) || printed
            }
            guard printed || follow || timeout == nil else {
                throw CommandError.failed("no event came in time", status: MAM_ERR_TIMEOUT)
            }
        }
    }

    /// Print all queued events; returns whether there were any.
    private func drain(_ session: Session, _ lines: inout EventLines) throws -> Bool {
        var printed = false
        while let event = try session.nextEvent() {
            printed = true
            try Output.line(output.json ? event : text(JSON(parsing: event), &lines))
        }
        return printed
    }
    private func text(_ event: JSON, _ lines: inout EventLines) -> String {
        guard let width = Output.terminalWidth else { return lines.line(event).text }
        return lines.lines(event, width: width).map(\.text).joined(separator: "\n")
    }
}
