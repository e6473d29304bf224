import CFiles
import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension FileConversions {
    /// A refusal by the receiver's policy.
    private struct RefusedImport {
        let error: MAMError
        let receiver: AccountArgument
        /// The file's own account, where that account may receive it.
        let owner: AccountArgument?
    }

    /// `mam_file_import`. `mayAsk`: the calling thread may wait for the host's answer.
    public func importFile(
        _ path: FilePath, for argument: AccountArgument, as given: FilePath?, mayAsk: Bool
    ) throws(MAMError) {
        let target = if let given { given } else { try newTarget(of: path) }
        guard let refused = try makeCopy(of: path, for: argument, as: target) else { return }
        guard mayAsk, events.hasHost, let owner = refused.owner else { throw refused.error }
        try windows.switchWindow(to: owner, from: refused.receiver, or: refused.error)
        if let again = try makeCopy(of: path, for: owner, as: target) { throw again.error }
    }

    /// Returns the path of a copy without a target, and makes its folder. Fails where a file is there: it may have been changed
    /// since it was imported.
    private func newTarget(of path: FilePath) throws(MAMError) -> FilePath {
        guard let folder = settings.importFolder(try current().settings.string(SettingKey.importPath)) else {
            throw .argument(
                "target_path",
                "is missing, and neither XDG_DATA_HOME nor HOME says where \(SettingKey.importPath) could be")
        }
        let target = try path.inDirectory(folder)
        let made = files_make_directories(folder)
        guard made == 0 else { throw .system(made, "make the directory", path: folder) }
        guard try owners.findIfThere(try FileLocation(target)) == nil else {
            throw .file(
                .already, target.text, "is there already; name a target_path, or remove it", originalCode: nil,
                [("argument", "target_path")])
        }
        return target
    }

    /// Copies a file for its new owner; returns the refusal where that owner may not receive it.
    private func makeCopy(
        of path: FilePath, for argument: AccountArgument, as target: FilePath
    ) throws(MAMError) -> RefusedImport? {
        try owners.refuseLibraryFiles(target, argument: "target_path")
        let source = try SourceFile(path)
        let shared = try SharedLocks(words: state.words)
        let snapshot = try current()
        let content = try exchangedFile(source)
        let known = try owners.find(source)
        if !content.isSealed { try snapshot.checkReadable(known, path, screen) }
        let sender = try snapshot.sender(of: content, known)
        let owned = content.isSealed ? [] : try snapshot.accounts(owning: known) ?? []
        let senders = [sender.identity.flatMap { snapshot.find($0) }].compactMap(\.self) + owned
        if let owner = senders.first(where: \.hasLeft) {
            throw .file(
                .denied, path.text,
                "is data of an account that was unenrolled; it is readable (mam_file_decrypt_copy), and no other account may import it",
                [("owner", .string(owner.accountId))], for: .errorAccountRemoved)
        }
        let named = files.givenOrEffective(argument, snapshot)
        let asked = named == .notGiven ? .noUser : named
        try snapshot.checkFileOwner(asked)
        let receiver = snapshot.receiver(asked, ofFileFrom: sender)
        let subject = PolicySubject(receiver)
        let policy = snapshot.accountPolicy(of: subject)
        let decision = policy.receive(from: snapshot.peer(sender, of: subject))
        guard decision.allowed else {
            let refusal = MAMError.refused(decision.reason, path.text, in: settings.language)
            return RefusedImport(
                error: content.isSealed ? refusal : Files.explained(refusal, known), receiver: receiver,
                owner: snapshot.ownReceiver(ofFileFrom: sender))
        }
        if !content.isSealed, let refused = try files.refusal(byOwnersOf: known, path, subject, policy, snapshot) {
            throw Files.explained(.refused(refused.reason, path.text, in: settings.language), known)
        }
        // A sealed file stays sealed, and a file that policy assigns to an account is protected for it.
        let isSealed = policy.encryptsFiles || content.isSealed || receiver != asked
        let sealer = isSealed ? try snapshot.key(ofReceiver: receiver) : nil
        let owner = try files.label(
            ofNew: receiver, at: try FileLocation(target), isGiven: named != .notGiven, snapshot)
        let own = receiver.identity.flatMap { snapshot.find($0) }
        try files.checkTarget(target, of: own.map { [$0] } ?? [], "target_path", snapshot)
        let copy = try NewFile(target, mode: source.mode, state)
        if let (account, key) = sealer {
            try copy.write(sealedFor: account, key: key) { (take) throws(MAMError) in
                try read(source, content, shared, take)
            }
        } else {
            try read(source, content, shared) { (bytes) throws(MAMError) in try copy.write(bytes) }
        }
        // The label is set before the copy appears under its name, the index entry after.
        if let owner { try owners.label(created: copy.number, target, owner) }
        try copy.commit()
        if let owner { try owners.set(created: copy.number, target, to: owner) }
        return nil
    }
}
