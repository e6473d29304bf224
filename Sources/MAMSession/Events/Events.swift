import MAMPolicy
import MAMState
import MAMSupport

/// The events of a session and its questions to the host.
public final class Events: @unchecked Sendable {
    let queues: HostQueues
    let snapshots: Snapshots
    let settings: OpenSettings
    let state: State
    let clock: Clock
    let log: Log
    let delegate = Callback<@Sendable (QuestionCall) -> Void>()
    let delivering = Lock()  // held while an outcome is read; taken before the lock of `queues`

    init(
        _ queues: HostQueues, _ snapshots: Snapshots, _ settings: OpenSettings, _ state: State, _ clock: Clock,
        _ log: Log
    ) {
        (self.queues, self.snapshots, self.settings) = (queues, snapshots, settings)
        (self.state, self.clock, self.log) = (state, clock, log)
    }

    /// Queue an event: {"event":…,"time":…,"accountId":…,"upn":…,…}.
    func emit(
        _ name: EventName, of account: NamedAccount?, _ more: [(key: String, value: JSON)] = [],
        for messageKey: MessageKey? = nil
    ) {
        append(name, of: account, more + settings.language.members(messageKey ?? name.messageKey))
    }

    /// Queue a question, whose members include its message for the person.
    func emitQuestion(_ members: [(key: String, value: JSON)]) { append(.question, of: nil, members) }

    private func append(_ name: EventName, of account: NamedAccount?, _ more: [(key: String, value: JSON)]) {
        let json = json(name, of: account, more)
        queues.contents.change { $0.events.append(name, accountId: account?.accountId, json: json) }
        queues.refreshSignal()
    }

    /// Queue the event of a request that ended.
    func emit(_ name: EventName, _ status: EnrollmentStatus) {
        let id = status.accountId ?? status.upn
        emit(
            name, of: id.map { NamedAccount(accountId: $0, upn: status.upn) },
            [("status", status.json(in: settings.language))], for: status.messageKey)
    }

    /// The JSON of an outcome that is kept until the host has taken it, in the language of this session.
    func outcome(
        _ name: EventName, of account: NamedAccount, _ more: [(key: String, value: JSON)] = []
    ) -> JSON {
        json(name, of: account, more + settings.language.members(name.messageKey))
    }

    /// The JSON of the outcome of a request.
    func outcome(_ name: EventName, of account: NamedAccount, _ status: EnrollmentStatus) -> JSON {
        json(
            name, of: account,
            [("status", status.json(in: settings.language))] + settings.language.members(status.messageKey))
    }

    /// An event's JSON.
    private func json(_ name: EventName, of account: NamedAccount?, _ more: [(key: String, value: JSON)]) -> JSON {
        let first: [(key: String, value: JSON)] = [
            ("event", .string(name.rawValue)), ("time", .string(clock.now().rfc3339)),
        ]
        return .object(first + (account?.members ?? []) + more)
    }

    /// Log a warning and queue it as an event.
    func warn(_ message: String, _ about: [(key: String, value: JSON)]) {
        log.write(.warning, message)
        emit(.warning, of: nil, [("message", .string(message))] + about)
    }

    /// Follow a published snapshot: its outcomes are the ones to deliver.
    func follow(from old: Snapshot, to new: Snapshot) {
        queues.contents.change { contents in
            // A snapshot of the same generation has the same outcomes.
            if new.generationWord != old.generationWord { contents.outcomes.follow(new.outcomes) }
        }
    }

    /// `mam_event_fd`.
    public func descriptor() throws(MAMError) -> Int32 { try queues.descriptor() }
}
