import MAMValues

/// The icons of an Open-In extension: templates, made of the icon of the app that contains it.
public struct OpenInIcons: Sendable {
    /// A picture to write.
    public struct Icon: Sendable {
        /// The name of its file.
        public let name: String
        /// The file, PNG.
        public let bytes: [UInt8]
    }

    /// The sizes that iOS draws for an action: on phones at twice and three times 60 points, on pads at once and twice 76 points and at
    /// twice 83.5 points.
    static let sizes = [
        (name: "OpenIn60x60@2x.png", side: 120), (name: "OpenIn60x60@3x.png", side: 180),
        (name: "OpenIn76x76~ipad.png", side: 76), (name: "OpenIn76x76@2x~ipad.png", side: 152),
        (name: "OpenIn83.5x83.5@2x~ipad.png", side: 167),
    ]

    /// The names of the files in a built app that may hold its icon, from its Info.plist.
    public static func candidates(infoPlist bytes: [UInt8]) throws(ConfiguratorError) -> [String] {
        let list = try PropertyListDocument(bytes)
        var names: [String] = []
        for key in ["CFBundleIcons", "CFBundleIcons~ipad"] {
            let path: PropertyListDocument.Path = [.key(key), .key("CFBundlePrimaryIcon"), .key("CFBundleIconFiles")]
            _ = try list.dictionary(at: [.key(key)])
            _ = try list.dictionary(at: Array(path.dropLast()))
            names += try list.strings(at: path) ?? []
        }
        names += try list.strings(at: [.key("CFBundleIconFiles")]) ?? []
        if let name = list.value(at: [.key("CFBundleIconFile")])?.string { names.append(name) }
        guard !names.isEmpty else {
            throw ConfiguratorError(
                "names no icon: neither CFBundleIcons, CFBundleIconFiles nor CFBundleIconFile is in it")
        }
        var files: [String] = []
        for name in names.prefix(64) {
            guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(UInt8(ascii: "/")), !name.hasPrefix(".")
            else {
                throw ConfiguratorError("names the icon \"\(name.prefix(80))\", which is no file's name")
            }
            let stem = name.hasSuffix(".png") ? String(name.dropLast(4)) : name
            for end in ["@3x", "@2x", "", "@2x~ipad", "~ipad"] where !files.contains("\(stem)\(end).png") {
                files.append("\(stem)\(end).png")
            }
        }
        return files
    }

    private let image: PNGImage

    /// Read the app's icon: a PNG picture, also in the form that Xcode writes into apps.
    public init(icon bytes: [UInt8]) throws(ConfiguratorError) {
        image = try PNGImage(bytes)
        guard image.width == image.height else {
            throw ConfiguratorError("is \(image.width) by \(image.height) pixels; an icon is square")
        }
    }

    /// The side of the app's icon in pixels.
    public var side: Int { image.width }

    /// The templates. A pixel is the more opaque the more it differs from the icon's edge.
    public var icons: [Icon] {
        let template = template()
        return OpenInIcons.sizes.map { size in
            Icon(name: size.name, bytes: PNGWriter.template(scaled(template, to: size.side), side: size.side))
        }
    }

    private func template() -> [UInt8] {
        let side = image.width
        let edge = image.pixels.indices.filter {
            $0 % side == 0 || $0 % side == side - 1 || $0 < side || $0 >= side * (side - 1)
        }
        let opaque = edge.map { image.pixels[$0] }.filter { $0.opacity == 255 }
        guard opaque.count * 2 > edge.count else { return image.pixels.map(\.opacity) }
        let ground = opaque.reduce(0) { $0 + Int($1.light) } / opaque.count
        let differences = image.pixels.map { abs(Int($0.light) - ground) * Int($0.opacity) / 255 }
        let largest = max(1, differences.max() ?? 1)
        return differences.map { UInt8($0 * 255 / largest) }
    }

    /// Each pixel is the mean of those that it covers, or the one that covers it.
    private func scaled(_ pixels: [UInt8], to side: Int) -> [UInt8] {
        let from = image.width
        var out: [UInt8] = []
        out.reserveCapacity(side * side)
        for row in 0..<side {
            let rows = (row * from / side)..<max(row * from / side + 1, (row + 1) * from / side)
            for column in 0..<side {
                let columns = (column * from / side)..<max(column * from / side + 1, (column + 1) * from / side)
                var sum = 0
                for y in rows { for x in columns { sum += Int(pixels[y * from + x]) } }
                out.append(UInt8(sum / (rows.count * columns.count)))
            }
        }
        return out
    }
}
