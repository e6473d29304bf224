/// A picture of a PNG file: for each pixel how light it is and how opaque, from 0 to 255.
struct PNGImage {
    let width: Int
    let height: Int
    /// In rows. The lightness is not multiplied by the opacity.
    let pixels: [(light: UInt8, opacity: UInt8)]

    /// The largest width and height.
    static let maximumSide = 2048

    /// The form of a file's rows.
    private struct Header {
        var width = 0
        var height = 0
        var depth = 0
        var colours = 0
        /// Apple's form, which Xcode writes into apps: blue first, multiplied by the opacity, and deflate without a frame.
        var isOptimized = false
        var palette: [UInt8] = []
        var opacities: [UInt8] = []

        var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colours] ?? 0 }
        var rowLength: Int { (width * channels * depth + 7) / 8 }
        var pixelLength: Int { max(1, channels * depth / 8) }
    }

    /// Read a PNG file that is not interlaced.
    init(_ bytes: [UInt8]) throws(ConfiguratorError) {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw ConfiguratorError("is no PNG picture")
        }
        let (header, data) = try PNGImage.chunks(bytes)
        let size = (header.rowLength + 1) * header.height
        guard let raw = Inflate.bytes(data, from: header.isOptimized ? 0 : 2, size: size),
            let rows = PNGImage.unfiltered(raw, header)
        else { throw PNGImage.damaged }
        (width, height) = (header.width, header.height)
        var pixels: [(light: UInt8, opacity: UInt8)] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width { pixels.append(PNGImage.pixel(column, rows, row * header.rowLength, header)) }
        }
        self.pixels = pixels
    }

    private static let damaged = ConfiguratorError("is damaged, or no PNG picture of a form that is read")

    // MARK: Chunks

    private static func chunks(_ bytes: [UInt8]) throws(ConfiguratorError) -> (Header, [UInt8]) {
        var header = Header()
        var data: [UInt8] = []
        var at = 8
        while bytes.count - at >= 12 {
            let length = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - at - 12 else { throw damaged }
            let content = bytes[(at + 8)..<(at + 8 + length)]
            switch String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self) {
            case "CgBI": header.isOptimized = true
            case "IHDR": try read(Array(content), into: &header)
            case "PLTE": header.palette = Array(content)
            case "tRNS": header.opacities = Array(content)
            case "IDAT": data += content
            case "IEND":
                guard header.width > 0, header.colours != 3 || header.palette.count >= 3 else { throw damaged }
                return (header, data)
            default: break
            }
            at += 12 + length
        }
        throw damaged
    }

    private static func read(_ content: [UInt8], into header: inout Header) throws(ConfiguratorError) {
        guard content.count == 13 else { throw damaged }
        header.width = content[..<4].reduce(0) { $0 << 8 | Int($1) }
        header.height = content[4..<8].reduce(0) { $0 << 8 | Int($1) }
        (header.depth, header.colours) = (Int(content[8]), Int(content[9]))
        guard (1...maximumSide).contains(header.width), (1...maximumSide).contains(header.height) else {
            throw ConfiguratorError(
                "is \(header.width) by \(header.height) pixels; at most \(maximumSide) each are read")
        }
        guard content[12] == 0 else { throw ConfiguratorError("is interlaced; save it without interlacing") }
        let depths =
            [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]][header.colours] ?? []
        guard depths.contains(header.depth), !header.isOptimized || header.colours == 6 && header.depth == 8 else {
            throw damaged
        }
    }

    // MARK: Rows

    /// The rows without their filters.
    private static func unfiltered(_ raw: [UInt8], _ header: Header) -> [UInt8]? {
        let (length, step) = (header.rowLength, header.pixelLength)
        var rows = [UInt8](repeating: 0, count: length * header.height)
        for row in 0..<header.height {
            let filter = raw[row * (length + 1)]
            guard filter <= 4 else { return nil }
            for column in 0..<length {
                let at = row * length + column
                let left = column >= step ? rows[at - step] : 0
                let above = row > 0 ? rows[at - length] : 0
                let corner = row > 0 && column >= step ? rows[at - length - step] : 0
                let predicted: UInt8 =
                    switch filter {
                    case 0: 0
                    case 1: left
                    case 2: above
                    case 3: UInt8((Int(left) + Int(above)) / 2)
                    default: paeth(Int(left), Int(above), Int(corner))
                    }
                rows[at] = raw[row * (length + 1) + 1 + column] &+ predicted
            }
        }
        return rows
    }

    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> UInt8 {
        let estimate = left + above - corner
        let (a, b, c) = (abs(estimate - left), abs(estimate - above), abs(estimate - corner))
        return UInt8(a <= b && a <= c ? left : b <= c ? above : corner)
    }

    // MARK: Pixels

    private static func pixel(_ column: Int, _ rows: [UInt8], _ start: Int, _ header: Header) -> (
        light: UInt8, opacity: UInt8
    ) {
        func channel(_ index: Int) -> Int {
            let place = column * header.channels + index
            switch header.depth {
            case 8: return Int(rows[start + place])
            case 16: return Int(rows[start + place * 2])
            default:
                let bit = place * header.depth
                return Int(rows[start + bit / 8]) >> (8 - header.depth - bit % 8) & (1 << header.depth - 1)
            }
        }
        switch header.colours {
        case 0: return (UInt8(channel(0) * 255 / (header.depth < 8 ? 1 << header.depth - 1 : 255)), 255)
        case 2: return (light(channel(0), channel(1), channel(2)), 255)
        case 3:
            let index = channel(0)
            guard index * 3 + 2 < header.palette.count else { return (0, 0) }
            let colour = header.palette[(index * 3)..<(index * 3 + 3)].map { Int($0) }
            let opacity = index < header.opacities.count ? header.opacities[index] : 255
            return (light(colour[0], colour[1], colour[2]), opacity)
        case 4: return (UInt8(channel(0)), UInt8(channel(1)))
        default:
            let opacity = channel(3)
            guard header.isOptimized else { return (light(channel(0), channel(1), channel(2)), UInt8(opacity)) }
            guard opacity > 0 else { return (0, 0) }
            return (light(channel(2), channel(1), channel(0), of: opacity), UInt8(opacity))
        }
    }

    /// The lightness of a colour (ITU-R BT.601), whose channels go up to `full`.
    private static func light(_ red: Int, _ green: Int, _ blue: Int, of full: Int = 255) -> UInt8 {
        UInt8(min(255, (299 * red + 587 * green + 114 * blue) * 255 / (1000 * full)))
    }
}
