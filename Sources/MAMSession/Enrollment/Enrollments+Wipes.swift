import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Wipes that apply to what the state has of an account that is to be enrolled again.
extension Enrollments {
    /// Whether the authority's own names show an account whose wipes the request did not ask for: the account was renamed while it was not
    /// enrolled.
    func isIncomplete(
        _ candidate: Candidate, _ stated: AccountName, _ enrollment: Enrollment
    ) throws(MAMError) -> Bool {
        try state.read { (view, _) throws(MAMError) in
            let asked = WipeMarks(of: try view.holders(of: candidate.name))
            let all = WipeMarks(of: try view.holders(of: stated))
            return all.lowest(of: enrollment.identity) != asked.lowest(of: enrollment.identity)
        }
    }

    /// The candidate with the account id that the authority has stated; nil where it was removed meanwhile.
    func identified(_ candidate: Candidate, _ stated: AccountName) throws(MAMError) -> Candidate? {
        guard let row = candidate.row else { return .named(stated) }
        try state.commitForAll { (view) throws(MAMError) in
            _ = try view.accounts.change(row) { record in record.accountId = stated.accountId }
        }
        return try reload().accounts.first { $0.row.id == row.id }.map { .known($0) }
    }

    /// Carry out a wipe that the authority requires before it enrolls an account; nil where the state has nothing of it. The registration
    /// goes first: only the host may enroll the account again.
    func carryOut(_ wipe: RequiredWipe, before candidate: Candidate) throws(MAMError) -> EnrollmentStatus? {
        let name = wipe.accountId.map { AccountName(accountId: $0) } ?? candidate.name
        let holders = try state.read { (view, _) throws(MAMError) in
            try view.holders(of: name).filter { WipeMarks(of: [$0]).lowest(of: wipe.authority) != nil }
        }
        guard !holders.isEmpty else { return nil }
        if let row = candidate.row, !holders.contains(where: { $0.id == row.id }) {
            try state.commitForAll { (view) throws(MAMError) in try view.accounts.remove(row.id) }
            try reload()
            removeShare(of: row.id)
        }
        var result: EnrollmentStatus?
        for holder in holders { result = try checkIns.wipeBeforeEnrolling(holder, wipe.id) }
        return result
    }
}
