/// Writes a PNG picture of black pixels with an opacity each, which iOS draws in the colour of its surroundings.
enum PNGWriter {
    static func template(_ opacities: [UInt8], side: Int) -> [UInt8] {
        var rows: [UInt8] = []
        for row in 0..<side {
            rows.append(0)
            for opacity in opacities[(row * side)..<((row + 1) * side)] { rows += [0, opacity] }
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let size = bigEndian(UInt32(side))
        // Eight bits, grey with opacity, not interlaced.
        file += chunk("IHDR", size + size + [8, 4, 0, 0, 0])
        file += chunk("IDAT", deflated(rows))
        return file + chunk("IEND", [])
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return bigEndian(UInt32(content.count)) + body + bigEndian(crc32(body))
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~crc
    }

    /// A zlib stream of stored blocks: an icon is small, and what builds the app compresses it.
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 0xFFFF, bytes.count)
            let length = UInt16(end - start)
            out += [end == bytes.count ? 1 : 0]
            for word in [length, ~length] { out += [UInt8(word & 0xFF), UInt8(word >> 8)] }
            out += bytes[start..<end]
            start = end
        } while start < bytes.count
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return out + bigEndian(b << 16 | a)
    }
}
