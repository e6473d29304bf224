import CHandles
import CMam
import MAMPolicy
import MAMSession
import MAMSupport

// mam.h, section 8.

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config")
public func mam_app_config(
    _ m: OpaquePointer!, _ identities_json: UnsafePointer<CChar>!, _ config: UnsafeMutablePointer<OpaquePointer?>!
) -> mam_status {
    config?.pointee = nil
    return call(m) { (session) throws(MAMError) in
        let out = try output(config, "config")
        let identities = try identities(identities_json, "identities_json")
        let handle = try ConfigurationHandle(session, of: identities)
        out.pointee = OpaquePointer(bitPattern: try newToken(HANDLE_CONFIGURATION, handle))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_release")
public func mam_app_config_release(_ config: OpaquePointer!) {
    release(config, HANDLE_CONFIGURATION) { (_: ConfigurationHandle, _) in }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_full_data")
public func mam_app_config_full_data(
    _ config: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, json) { (configurations) throws(MAMError) in configurations.json }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_conflicts")
public func mam_app_config_conflicts(
    _ config: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, json) { (configurations) throws(MAMError) in configurations.conflicts }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_has_conflict")
public func mam_app_config_has_conflict(_ config: OpaquePointer!, _ key: UnsafePointer<CChar>!) -> mam_bool {
    var answer = true
    let status = call(config) { (configurations) throws(MAMError) in
        answer = configurations.hasConflict(try MAMABI.key(key))
    }
    return status != 0 || answer ? 1 : 0
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_bool")
public func mam_app_config_bool(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ query: Int32,
    _ value_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, value_json, named: "value_json") { (configurations) throws(MAMError) in
        guard let query = BooleanQuery(rawValue: query) else {
            throw .argument("query", "is \(query); it must be MAM_CONFIG_ANY, MAM_CONFIG_OR or MAM_CONFIG_AND")
        }
        return configurations.boolean(try MAMABI.key(key), query).map(JSON.bool) ?? .null
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_number")
public func mam_app_config_number(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ query: Int32,
    _ value_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, value_json, named: "value_json") { (configurations) throws(MAMError) in
        configurations.number(try MAMABI.key(key), try ordered(query))?.json ?? .null
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_integer")
public func mam_app_config_integer(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ query: Int32,
    _ value_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, value_json, named: "value_json") { (configurations) throws(MAMError) in
        configurations.integer(try MAMABI.key(key), try ordered(query)).map(JSON.integer) ?? .null
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_string")
public func mam_app_config_string(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ query: Int32,
    _ value_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, value_json, named: "value_json") { (configurations) throws(MAMError) in
        .optional(configurations.string(try MAMABI.key(key), try ordered(query)))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_all_bools")
public func mam_app_config_all_bools(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, json) { (configurations) throws(MAMError) in
        .array(configurations.booleans(try MAMABI.key(key)).map(JSON.bool))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_all_numbers")
public func mam_app_config_all_numbers(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, json) { (configurations) throws(MAMError) in
        .array(configurations.numbers(try MAMABI.key(key)).map(\.json))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_all_integers")
public func mam_app_config_all_integers(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, json) { (configurations) throws(MAMError) in
        .array(configurations.integers(try MAMABI.key(key)).map(JSON.integer))
    }
}

/// Documented in mam.h.
@implementation @_cdecl("mam_app_config_all_strings")
public func mam_app_config_all_strings(
    _ config: OpaquePointer!, _ key: UnsafePointer<CChar>!,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> mam_status {
    reply(config, json) { (configurations) throws(MAMError) in .strings(configurations.strings(try MAMABI.key(key))) }
}

/// Decodes the name of a setting.
private func key(_ pointer: UnsafePointer<CChar>?) throws(MAMError) -> String {
    try text(pointer, "key", limit: AppConfiguration.maximumBytes)
}

private func ordered(_ query: Int32) throws(MAMError) -> OrderedQuery {
    guard let query = OrderedQuery(rawValue: query) else {
        throw .argument("query", "is \(query); it must be MAM_CONFIG_ANY, MAM_CONFIG_MIN or MAM_CONFIG_MAX")
    }
    return query
}

/// Calls `body` with a configuration handle while its session is open. Nothing here calls the host, so both are kept busy
/// meanwhile.
private func call(_ config: OpaquePointer?, _ body: (AppConfigurations) throws(MAMError) -> Void) -> mam_status {
    call { () throws(MAMError) in
        try withObject(config, HANDLE_CONFIGURATION, "config") {
            (handle: ConfigurationHandle) throws(MAMError) in
            try withOpenSession(handle.session.token, "config") { () throws(MAMError) in
                try body(handle.configurations)
            }
        }
    }
}

private func reply(
    _ config: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    named argument: String = "json", _ body: (AppConfigurations) throws(MAMError) -> JSON
) -> mam_status {
    out?.pointee = nil
    return call(config) { (configurations) throws(MAMError) in
        let out = try output(out, argument)
        try put(try body(configurations).utf8, out)
    }
}
