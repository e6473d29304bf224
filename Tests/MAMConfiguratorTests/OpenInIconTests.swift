import Foundation
import MAMConfigurator
import Testing

@Suite("icons of Open-In extensions")
struct OpenInIconTests {
    /// Four by four pixels, the four in the middle other than the edge. Made by another program.
    private static let pictures = [
        (
            "grey",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACMmsGiAAAAEUlEQVR42mNgAIP//2EEEAAAJ+wD/X0M/W0AAAAASUVORK5CYII="
        ),
        ("one bit", "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAEAQAAAACBiqPTAAAADklEQVR42mNgYEgAQgYAAwgAwYsc3GAAAAAASUVORK5CYII="),
        (
            "sixteen bits",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAEEAAAAADcCh3hAAAAEUlEQVR42mNgQID/QIDKgAAAj5QH+dR30QwAAAAASUVORK5CYII="
        ),
        (
            "colour",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEUlEQVR4AWNgQAP/wQAbBw4ANwsL9VRFWVAAAAAASUVORK5CYII="
        ),
        (
            "palette",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAEAgMAAADUn3btAAAACVBMVEUQIDAAAAD///9+CEqnAAAAAXRSTlMAQObYZgAAAA5JREFUeNpjCGXIBMJQAAX4AX18n40eAAAAAElFTkSuQmCC"
        ),
        (
            "grey and opacity",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAQAAAAD+Fb1AAAAE0lEQVR42mNg+A+FDP9BAJUBgQBg0RPt1D5PVAAAAABJRU5ErkJggg=="
        ),
        (
            "colour and opacity",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAYAAACp8Z5+AAAAT0lEQVR4AQFEALv/AAAAAP8AAAD/AAAA/wAAAP8AAAAA////////////AAAA/wAAAAD///////////8AAAD/AAAAAP8AAAD/AAAA/wAAAP+iyxvlIJZ3gAAAAABJRU5ErkJggg=="
        ),
        (
            "optimized by Xcode",
            "iVBORw0KGgoAAAAEQ2dCSVAAIAIr1bN/AAAADUlIRFIAAAAEAAAABAgGAAAAqfGefgAAABBJREFUY2BgYPiPhhn+wwBuAWQMAP2J1osAAAAASUVORK5CYII="
        ),
        (
            "transparent",
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAYAAACp8Z5+AAAAFUlEQVR42mNgwAYEFAz+gzBuAWQAALUCBX1TO1L3AAAAAElFTkSuQmCC"
        ),
    ]

    private static func picture(_ name: String) throws -> [UInt8] {
        let text = try #require(pictures.first { $0.0 == name }?.1)
        return Array(try #require(Data(base64Encoded: text)))
    }

    /// Width and opacities of a template: the stored blocks of its only data chunk.
    private static func opacities(_ file: [UInt8]) -> (side: Int, opacities: [UInt8]) {
        let side = Int(file[18]) << 8 | Int(file[19])
        let length = file[33..<37].reduce(0) { $0 << 8 | Int($1) }
        var data = file[43..<(41 + length - 4)]
        var rows: [UInt8] = []
        while data.count >= 5 {
            let count = Int(data[data.startIndex + 1]) | Int(data[data.startIndex + 2]) << 8
            rows += data.dropFirst(5).prefix(count)
            data = data.dropFirst(5 + count)
        }
        let opacities = (0..<side).flatMap { row in (0..<side).map { rows[row * (side * 2 + 1) + 2 + $0 * 2] } }
        return (side, opacities)
    }

    @Test("pixels that differ from the edge are opaque, whatever form the picture has", arguments: pictures.map(\.0))
    func forms(_ name: String) throws {
        let icons = try OpenInIcons(icon: Self.picture(name))
        #expect(icons.side == 4)
        for icon in icons.icons {
            let (side, opacities) = Self.opacities(icon.bytes)
            let (middle, corner) = (opacities[side * (side / 2) + side / 2], opacities[0])
            #expect(middle == 255 && corner == 0, "\(icon.name)")
            #expect(
                opacities[side * (side / 4 + 1) + side / 2] == 255 && opacities[side * (side / 4 - 1) + side / 2] == 0)
        }
        #expect(icons.icons.map { Self.opacities($0.bytes).side } == [120, 180, 76, 152, 167])
    }

    @Test("a template can be read as an icon again")
    func again() throws {
        for icon in try OpenInIcons(icon: Self.picture("grey")).icons {
            #expect(try OpenInIcons(icon: icon.bytes).side == Self.opacities(icon.bytes).side)
        }
    }

    @Test("a picture cut or changed anywhere does not hurt", arguments: pictures.map(\.0))
    func damaged(_ name: String) throws {
        let whole = try Self.picture(name)
        for length in 0..<whole.count - 12 {
            #expect(throws: ConfiguratorError.self, "\(length)") { try OpenInIcons(icon: Array(whole[..<length])) }
        }
        for place in whole.indices {
            for bit in 0..<8 {
                var bent = whole
                bent[place] ^= 1 << UInt8(bit)
                _ = try? OpenInIcons(icon: bent)
            }
        }
    }

    @Test("the names of icons are found in each form of a list, with the files that Xcode makes of them")
    func candidates() throws {
        let primary =
            "<dict><key>CFBundlePrimaryIcon</key><dict><key>CFBundleIconFiles</key><array><string>AppIcon60x60</string></array></dict></dict>"
        let names = try OpenInIcons.candidates(
            infoPlist: list("<key>CFBundleIcons</key>\(primary)<key>CFBundleIconFile</key><string>Icon.png</string>"))
        #expect(names.contains("AppIcon60x60@2x.png") && names.contains("Icon.png") && names.contains("Icon@2x.png"))
        for wrong in ["../../etc/passwd", "a/b", ".hidden", ""] {
            #expect(throws: ConfiguratorError.self, "\(wrong)") {
                try OpenInIcons.candidates(
                    infoPlist: list("<key>CFBundleIconFiles</key><array><string>\(wrong)</string></array>"))
            }
        }
        let error = #expect(throws: ConfiguratorError.self) { try OpenInIcons.candidates(infoPlist: list("")) }
        #expect(error?.message.contains("CFBundleIcons") == true)
    }
}
