import ArgumentParser
import CMam

extension Config {
    /// The type as which a setting's text is read.
    enum ValueType: String, ExpressibleByArgument, CaseIterable {
        case text, number, integer, boolean

        var article: String {
            switch self {
            case .text: "a text"
            case .number: "a number"
            case .integer: "an integer"
            case .boolean: "a boolean"
            }
        }

        func one(_ config: OpaquePointer, _ key: String, _ query: Int32, _ out: Library.TextOutput) -> mam_status {
            switch self {
            case .text: mam_app_config_string(config, key, query, out)
            case .number: mam_app_config_number(config, key, query, out)
            case .integer: mam_app_config_integer(config, key, query, out)
            case .boolean: mam_app_config_bool(config, key, query, out)
            }
        }

        func all(_ config: OpaquePointer, _ key: String, _ out: Library.TextOutput) -> mam_status {
            switch self {
            case .text: mam_app_config_all_strings(config, key, out)
            case .number: mam_app_config_all_numbers(config, key, out)
            case .integer: mam_app_config_all_integers(config, key, out)
            case .boolean: mam_app_config_all_bools(config, key, out)
            }
        }
    }

    /// The choice among several values.
    enum Query: String, ExpressibleByArgument, CaseIterable {
        case any, min, max, or, and

        var number: Int32 {
            switch self {
            case .any: Int32(MAM_CONFIG_ANY)
            case .min: Int32(MAM_CONFIG_MIN)
            case .max: Int32(MAM_CONFIG_MAX)
            case .or: Int32(MAM_CONFIG_OR)
            case .and: Int32(MAM_CONFIG_AND)
            }
        }
    }
}
