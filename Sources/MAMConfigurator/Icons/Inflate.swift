/// Decompresses deflate (RFC 1951). The size of what comes out is known beforehand, so no input makes more.
struct Inflate {
    /// A Huffman code: how many symbols have each length, and the symbols in order.
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        /// Nil where the lengths are no prefix code. An incomplete code is accepted where it has at most one symbol, as encoders write it.
        init?(_ lengths: some Collection<Int>) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            var left = 1
            for length in 1...15 {
                left = left << 1 - counts[length]
                guard left >= 0 else { return nil }
            }
            var starts = [Int](repeating: 0, count: 17)
            for length in 1...15 { starts[length + 1] = starts[length] + counts[length] }
            symbols = [Int](repeating: 0, count: starts[16])
            guard left == 0 || symbols.count <= 1 else { return nil }
            for (symbol, length) in lengths.enumerated() where length > 0 {
                symbols[starts[length]] = symbol
                starts[length] += 1
            }
        }
    }

    private let input: [UInt8]
    private var position: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private let size: Int
    private var output: [UInt8] = []

    /// The `size` bytes that the data from an offset on stand for; nil where it is damaged, or stands for fewer or more.
    static func bytes(_ input: [UInt8], from start: Int, size: Int) -> [UInt8]? {
        var inflate = Inflate(input: input, position: start, size: size)
        inflate.output.reserveCapacity(size)
        guard inflate.run(), inflate.output.count == size else { return nil }
        return inflate.output
    }

    private init(input: [UInt8], position: Int, size: Int) {
        self.input = input
        self.position = position
        self.size = size
    }

    private mutating func run() -> Bool {
        while true {
            guard let isLast = take(1), let type = take(2) else { return false }
            switch type {
            case 0: guard stored() else { return false }
            case 1:
                let lengths =
                    Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112)
                    + Array(repeating: 7, count: 24) + Array(repeating: 8, count: 8)
                guard let literals = Code(lengths), let distances = Code(Array(repeating: 5, count: 32)),
                    compressed(literals, distances)
                else { return false }
            case 2: guard let (literals, distances) = codes(), compressed(literals, distances) else { return false }
            default: return false
            }
            if isLast == 1 { return true }
        }
    }

    // MARK: Bits

    private mutating func take(_ count: Int) -> Int? {
        while bitCount < count {
            guard position < input.count else { return nil }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            (position, bitCount) = (position + 1, bitCount + 8)
        }
        let value = Int(bits & (1 << UInt32(count) - 1))
        (bits, bitCount) = (bits >> UInt32(count), bitCount - count)
        return value
    }

    private mutating func symbol(_ code: Code) -> Int? {
        var (word, first, index) = (0, 0, 0)
        for length in 1...15 {
            guard let bit = take(1) else { return nil }
            word |= bit
            let count = code.counts[length]
            if word - first < count { return code.symbols[index + word - first] }
            index += count
            first = (first + count) << 1
            word <<= 1
        }
        return nil
    }

    // MARK: Blocks

    private mutating func stored() -> Bool {
        (bits, bitCount) = (0, 0)
        guard input.count - position >= 4 else { return false }
        let length = Int(input[position]) | Int(input[position + 1]) << 8
        let check = Int(input[position + 2]) | Int(input[position + 3]) << 8
        position += 4
        guard length == ~check & 0xFFFF, length <= input.count - position, length <= size - output.count else {
            return false
        }
        output += input[position..<(position + length)]
        position += length
        return true
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private mutating func codes() -> (Code, Code)? {
        guard let literals = take(5), let distances = take(5), let count = take(4), literals <= 29 else { return nil }
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<(count + 4) {
            guard let length = take(3) else { return nil }
            lengths[Inflate.order[index]] = length
        }
        guard let code = Code(lengths) else { return nil }
        let total = literals + 257 + distances + 1
        var all: [Int] = []
        while all.count < total {
            guard let symbol = symbol(code) else { return nil }
            var (value, times): (Int, Int?) = (symbol, 1)
            switch symbol {
            case 16:
                guard let last = all.last else { return nil }
                (value, times) = (last, take(2).map { $0 + 3 })
            case 17: (value, times) = (0, take(3).map { $0 + 3 })
            case 18: (value, times) = (0, take(7).map { $0 + 11 })
            default: break
            }
            guard let times, times <= total - all.count else { return nil }
            all += Array(repeating: value, count: times)
        }
        guard let literal = Code(all[..<(literals + 257)]), let distance = Code(all[(literals + 257)...]) else {
            return nil
        }
        return (literal, distance)
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]

    private mutating func compressed(_ literals: Code, _ distances: Code) -> Bool {
        while let symbol = symbol(literals) {
            if symbol == 256 { return true }
            guard symbol > 256 else {
                guard output.count < size else { return false }
                output.append(UInt8(symbol))
                continue
            }
            guard symbol - 257 < Inflate.lengthBases.count, let more = take(Inflate.lengthBits[symbol - 257]),
                let code = self.symbol(distances), code < Inflate.distanceBases.count,
                let further = take(max(0, code / 2 - 1))
            else { return false }
            let length = Inflate.lengthBases[symbol - 257] + more
            let distance = Inflate.distanceBases[code] + further
            guard distance <= output.count, length <= size - output.count else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return false
    }
}
