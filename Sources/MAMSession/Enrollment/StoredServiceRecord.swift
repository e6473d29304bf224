import MAMAuthority
import MAMState
import MAMSupport

/// The record of a service in the state, sealed, for all apps of the group.
struct StoredServiceRecord: ServiceRecordStore {
    let state: State
    let url: String

    func record() throws(MAMError) -> ServiceRecord {
        try state.read { (view, _) throws(MAMError) in
            ServiceRecord(json: try view.groupValues.value(.service(url: url)))
        }
    }

    func change(_ body: (inout ServiceRecord) -> Void) throws(MAMError) {
        try state.write { (view) throws(MAMError) in
            let former = ServiceRecord(json: try view.groupValues.value(.service(url: url)))
            var record = former
            body(&record)
            if record != former { try view.groupValues.set(.service(url: url), to: record.json) }
        }
    }
}
