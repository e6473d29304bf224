import MAMSupport
import Testing

@testable import MAMPolicy

private typealias Values = KeyValuePairs<String, String>

private func dictionary(_ id: String, _ values: Values, _ channel: AppConfiguration.Channel = .targeted) throws
    -> AppConfiguration
{
    try AppConfiguration(id: id, name: "", channel: channel, values: values.map { ($0.key, $0.value) })
}

/// D is the tenant's default, T the targeted dictionaries, M the device's.
private func configured(D: Values = [:], M: Values = [:], _ T: Values...) throws -> AppConfigurations {
    let targeted = try T.enumerated().map { try dictionary("t\($0 + 1)", $1) }
    return AppConfigurations(
        [try dictionary("d", D, .tenantDefault), try dictionary("", M, .device)] + targeted)
}

@Suite("app configuration: the worked examples")
struct ConfigurationTests {
    @Test("a targeted value overrides the default without a conflict")
    func targetedBeatsDefault() throws {
        let c = try configured(D: ["color": "red"], ["color": "blue"])
        #expect(!c.hasConflict("color"))
        #expect(c.string("color", .any) == "blue" && c.strings("color") == ["blue"])
    }

    @Test("numbers that differ conflict, and have a least and a greatest")
    func numbersThatDiffer() throws {
        let c = try configured(["limit": "5"], ["limit": "20"])
        #expect(c.hasConflict("limit"))
        #expect(c.number("limit", .min) == .integer(5) && c.number("limit", .max) == .integer(20))
    }

    @Test("equal values do not conflict; each dictionary has its place in the list")
    func equalValues() throws {
        let c = try configured(["limit": "5"], ["limit": "5"])
        #expect(!c.hasConflict("limit"))
        #expect(c.numbers("limit") == [.integer(5), .integer(5)])
    }

    @Test("booleans in any case")
    func booleans() throws {
        let c = try configured(["sync": "TRUE"], ["sync": "false"])
        #expect(c.boolean("sync", .or) == true && c.boolean("sync", .and) == false)
        #expect(c.booleans("sync") == [true, false])
    }

    @Test("other text is not a boolean, and the default does not replace it")
    func noBoolean() throws {
        #expect(try configured(["sync": "yes"]).boolean("sync", .any) == nil)
        #expect(try configured(D: ["sync": "true"], ["sync": "yes"]).boolean("sync", .any) == nil)
    }

    @Test("1.0 is a number but not an integer")
    func integersAndDoubles() throws {
        let c = try configured(["n": "1.0"], ["n": "7"])
        #expect(c.integers("n") == [7] && c.integer("n", .min) == 7)
        #expect(c.number("n", .max)?.double == 7.0 && c.number("n", .min)?.double == 1.0)
    }

    @Test("a default that is the only value is effective")
    func lonelyDefault() throws {
        for c in [try configured(D: ["region": "eu"]), try configured(D: ["region": "eu"], ["other": "x"])] {
            #expect(c.string("region", .any) == "eu" && c.strings("region") == ["eu"] && !c.hasConflict("region"))
        }
    }

    @Test("texts are ordered by their bytes")
    func texts() throws {
        let c = try configured(D: ["region": "eu"], ["region": "us"], ["region": "asia"])
        #expect(c.string("region", .min) == "asia" && c.string("region", .max) == "us" && c.hasConflict("region"))
        #expect(c.string("region", .any) == "us")
        let bytes = try configured(["k": "b"], ["k": "A"], ["k": "é"])
        #expect(bytes.string("k", .min) == "A" && bytes.string("k", .max) == "é")
    }

    @Test("keys without a value have no result")
    func nothing() {
        let c = AppConfigurations.none
        #expect(c.boolean("k", .any) == nil && c.number("k", .min) == nil && c.integer("k", .max) == nil)
        #expect(c.string("k", .any) == nil && c.strings("k") == [] && c.numbers("k") == [] && c.booleans("k") == [])
        #expect(!c.hasConflict("k") && c.json == [] && c.conflicts == [])
    }

    @Test("the device's value is overridden by a targeted one, and overrides the default")
    func device() throws {
        let c = try configured(D: ["a": "d", "b": "d"], M: ["a": "m", "b": "m"], ["a": "t"])
        #expect(c.string("a", .any) == "t" && c.string("b", .any) == "m" && !c.hasConflict("a"))
    }

    @Test("conflicts name the configurations that disagree")
    func conflicts() throws {
        let c = try configured(D: ["k": "0"], ["z": "1", "k": "1"], ["k": "2"], ["z": "1"])
        #expect(
            c.conflicts.text
                == #"[{"key":"k","values":[{"id":"t1","name":"","value":"1"},{"id":"t2","name":"","value":"2"}]}]"#)
    }

    @Test("keys and values are compared by bytes: canonical equivalents differ")
    func bytes() throws {
        let c = try configured(["caf\u{E9}": "1"], ["cafe\u{301}": "2"], ["k": "\u{E9}"], ["k": "e\u{301}"])
        #expect(c.string("caf\u{E9}", .any) == "1" && c.string("cafe\u{301}", .any) == "2")
        #expect(c.hasConflict("k") && !c.hasConflict("caf\u{E9}"))
    }

    @Test("several accounts: a shared dictionary counts once, an empty one never")
    func shared() throws {
        let one = try dictionary("t1", ["k": "1"])
        let later = try dictionary("t1", ["k": "2"])
        let c = AppConfigurations([one, try dictionary("t0", [:]), one, later])
        #expect(c.strings("k") == ["1", "2"] && c.all.count == 2)
    }
}

@Suite("app configuration: texts as values")
struct ConfigurationValueTests {
    @Test(
        "numbers",
        arguments: [
            ("0", "0"), ("-5", "-5"), ("+5", "5"), ("007", "7"), ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9.223372036854775808e+18"), ("1.50", "1.5"), (".5", "0.5"), ("5.", "5.0"),
            ("1e3", "1000.0"), ("1E-2", "0.01"), ("-0.0", "-0.0"),
        ])
    func numbers(_ text: String, _ json: String) throws {
        let number = try #require(ConfigurationValue.number(text))
        #expect(try Double(json) == number.double && JSON(parsing: number.json.text).text == number.json.text)
        if case .integer = number { #expect(number.json.text == json) }
    }

    @Test(
        "no numbers",
        arguments: [
            "", " 5", "5 ", "0x10", "nan", "inf", "infinity", "1e999", "-1e999", "1e", "e5", ".", "+", "--5", "1.2.3",
            "1,5", "٣", "5f", "1_000", "5\0", String(repeating: "9", count: 401),
        ])
    func noNumbers(_ text: String) { #expect(ConfigurationValue.number(text) == nil) }

    @Test(
        "no booleans",
        arguments: ["", "1", "0", "yes", "true ", "truE\0", "tr\u{55}\u{45}e", "ｔrue", "4RUE", "fal5e"])
    func noBooleans(_ text: String) { #expect(ConfigurationValue.bool(text) == nil) }
}
