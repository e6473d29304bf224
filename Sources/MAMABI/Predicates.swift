import CHandles
import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 6: predicates. Each loads and masks the published words, unless these are stale.

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_pin_required")
public func mam_policy_is_pin_required(_ policy: OpaquePointer!) -> mam_bool { predicate(policy, .pinRequired) }

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_managed_browser_required")
public func mam_policy_is_managed_browser_required(_ policy: OpaquePointer!) -> mam_bool {
    predicate(policy, .managedBrowserRequired)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_contact_sync_allowed")
public func mam_policy_is_contact_sync_allowed(_ policy: OpaquePointer!) -> mam_bool { predicate(policy, .contactSync) }

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_widget_content_sync_allowed")
public func mam_policy_is_widget_content_sync_allowed(_ policy: OpaquePointer!) -> mam_bool {
    predicate(policy, .widgetContentSync)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_indexing_allowed")
public func mam_policy_is_indexing_allowed(_ policy: OpaquePointer!) -> mam_bool { predicate(policy, .indexing) }

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_are_assistant_intents_allowed")
public func mam_policy_are_assistant_intents_allowed(_ policy: OpaquePointer!) -> mam_bool {
    predicate(policy, .assistantIntents)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_are_app_intents_allowed")
public func mam_policy_are_app_intents_allowed(_ policy: OpaquePointer!) -> mam_bool { predicate(policy, .appIntents) }

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_app_sharing_allowed")
public func mam_policy_is_app_sharing_allowed(_ policy: OpaquePointer!) -> mam_bool { predicate(policy, .appSharing) }

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_file_encryption_required")
public func mam_policy_is_file_encryption_required(_ policy: OpaquePointer!) -> mam_bool {
    predicate(policy, .fileEncryptionRequired)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_should_file_provider_encrypt")
public func mam_policy_should_file_provider_encrypt(_ policy: OpaquePointer!) -> mam_bool {
    predicate(policy, .fileProviderEncrypt)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_screen_capture_allowed")
public func mam_policy_is_screen_capture_allowed(_ policy: OpaquePointer!) -> mam_bool {
    predicate(policy, .screenCapture)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_print_allowed")
public func mam_policy_is_print_allowed(_ policy: OpaquePointer!) -> mam_bool { predicate(policy, .print) }

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_backup_allowed")
public func mam_policy_is_backup_allowed(_ policy: OpaquePointer!) -> mam_bool { predicate(policy, .backup) }

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_are_third_party_keyboards_allowed")
public func mam_policy_are_third_party_keyboards_allowed(_ policy: OpaquePointer!) -> mam_bool {
    predicate(policy, .thirdPartyKeyboards)
}

/// Documented in mam.h.
@implementation @_cdecl("mam_policy_is_document_picker_allowed")
public func mam_policy_is_document_picker_allowed(_ policy: OpaquePointer!, _ mode: Int32) -> mam_bool {
    switch mode {
    case 0: return predicate(policy, .pickerImport)
    case 1: return predicate(policy, .pickerOpen)
    case 2: return predicate(policy, .pickerExport)
    case 3: return predicate(policy, .pickerMove)
    default:
        fail(.argument("mode", "is \(mode); it must be a MAM_PICKER_* constant"))
        return 0
    }
}

@inline(__always)
func predicate(_ policy: OpaquePointer?, _ predicate: Predicate) -> mam_bool {
    var answer: Int32 = 0
    let result = policy_bits_predicate(
        UInt(bitPattern: policy), UInt32(truncatingIfNeeded: predicate.rawValue), &answer)
    guard result == 0 else { return afterChange(policy, predicate, result) }
    succeed()
    return answer
}

/// Answers stale words from the latest state. Any other result is a failure, which returns the closed value.
private func afterChange(_ policy: OpaquePointer?, _ predicate: Predicate, _ result: Int32) -> mam_bool {
    var answer = predicate.closedValue
    guard Int(result) == HANDLE_STALE else {
        fail(handleError(result, "policy"))
        return answer ? 1 : 0
    }
    _ = call(policy) { (handle, session) throws(MAMError) in answer = try session.policies.answer(predicate, of: handle)
    }
    return answer ? 1 : 0
}
