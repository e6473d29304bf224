import MAMPolicy
import MAMState
import MAMSupport

extension Snapshot {
    /// The names of accounts, each with the row id that stands for it in the log.
    var namesToHide: PersonalNames {
        var names: [(String, String)] = []
        for account in accounts { names += account.record.allNames.map { ($0, account.row.id.hex) } }
        for account in unopenable { names += (account.tag?.allNames ?? []).map { ($0, account.id.hex) } }
        for wipe in wipes {
            names += ([wipe.accountId, wipe.upn].compactMap(\.self) + wipe.formerNames).map { ($0, wipe.account.hex) }
        }
        let owner = [device.accounts.mdmAccountId, device.accounts.upn, device.accounts.objectId]
        let registered: [String?] = (try? self.names.get())?.registered ?? []
        let others = unenrollments.all.flatMap { [$0.accountId, $0.upn] } + owner + registered
        return PersonalNames(names + others.compactMap { $0.map { ($0, PersonalNames.unknown) } })
    }
}
