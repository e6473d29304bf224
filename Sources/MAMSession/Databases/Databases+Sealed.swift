import MAMFiles
import MAMProtection
import MAMState
import MAMSupport

extension Databases {
    /// Make a plain file of one that an account has sealed while nothing was in it: `mam_file_protect` seals the files of a directory,
    /// and an empty one may be a new database, or that of a killed first transaction. Returns whether it was such a file. It is
    /// locked meanwhile, so that nothing is written to it.
    func unsealEmpty(_ path: FilePath, of account: Account) throws(MAMError) -> Bool {
        guard case .sealed? = try? SourceFile(path).kind else { return false }
        let conversion = try FileConversion(try FileLocation(path), isInPlace: true, state)
        guard case .sealed(let header) = conversion.kind,
            let key = try state.read({ (view, _) throws(MAMError) in
                try view.keys.key(ofEpoch: header.epoch, of: account.row)
            }), header.names(key),
            try conversion.file.open(key: key, try SharedLocks(words: state.words)).size() == 0
        else { return false }
        try conversion.convert(openedBy: .sealed(key), to: [], sealedBy: nil) {}
        return true
    }
}
