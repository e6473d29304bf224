import CMam

extension Session {
    /// Call what a policy may refuse: then the exit status is that of a refusal.
    func transfer(_ call: (OpaquePointer) -> mam_status) throws {
        var status = mam_status(MAM_OK)
        do {
            try perform { handle in
                status = call(handle)
                return status
            }
        } catch let failure as Failure where status == mam_status(MAM_ERR_DENIED) {
            throw Failure(exitStatus: .refused, message: failure.message, json: failure.json)
        }
    }
}
