import CMam

extension Session {
    /// A call that a policy may refuse; a refusal has its own exit status.
    func transfer(_ call: (OpaquePointer) -> mam_status) throws {
        var status = mam_status(MAM_OK)
        do {
            try perform { handle in
                status = call(handle)
                return status
            }
        } catch let failure as CommandError where status == mam_status(MAM_ERR_DENIED) {
            throw CommandError(exitStatus: .refused, message: failure.message, json: failure.json)
        }
    }
}
