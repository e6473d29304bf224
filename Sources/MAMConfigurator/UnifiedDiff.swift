/// The difference between two texts, in the form of diff -u.
public enum UnifiedDiff {
    private static let context = 3

    private struct Line {
        let sign: UInt8
        let text: ArraySlice<UInt8>
    }

    /// The difference; empty where there is none. A name is that of a file, for the two lines at the top.
    public static func text(_ before: [UInt8], _ after: [UInt8], name: String) -> String {
        guard before != after else { return "" }
        let all = slid(lines(split(before), split(after)))
        var out = Array("--- \(name)\n+++ \(name)\n".utf8)
        // Lines of the old and of the new text before a hunk.
        var (place, old, new) = (0, 0, 0)
        for hunk in hunks(all) {
            old += all[place..<hunk.lowerBound].count { $0.sign != UInt8(ascii: "+") }
            new += all[place..<hunk.lowerBound].count { $0.sign != UInt8(ascii: "-") }
            place = hunk.lowerBound
            write(all[hunk], old, new, to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Lines with their newlines.
    private static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            lines.append(bytes[start..<end])
            start = end
        }
        return lines
    }

    /// All lines of both texts. Only what lies between the common beginning and end is compared line by line.
    private static func lines(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [Line] {
        let head = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { $0 == $1 }.count
        let removed = Array(old[head..<(old.count - tail)])
        let added = Array(new[head..<(new.count - tail)])
        let change = LineDifference(removed, added)
        var middle: [Line] = []
        var (i, j) = (0, 0)
        while i < removed.count || j < added.count {
            if i < removed.count, change.removed.contains(i) {
                middle.append(Line(sign: UInt8(ascii: "-"), text: removed[i]))
                i += 1
            } else if j < added.count, change.added.contains(j) {
                middle.append(Line(sign: UInt8(ascii: "+"), text: added[j]))
                j += 1
            } else {
                if i < removed.count { middle.append(Line(sign: UInt8(ascii: " "), text: removed[i])) }
                (i, j) = (i + 1, j + 1)
            }
        }
        let same = { (text: ArraySlice<UInt8>) in Line(sign: UInt8(ascii: " "), text: text) }
        return old[..<head].map(same) + middle + old[(old.count - tail)...].map(same)
    }

    /// A block of changes that begins with the line that follows it says the same one line further down, where it ends as
    /// people see it end: with a closing tag, not before one.
    private static func slid(_ lines: [Line]) -> [Line] {
        var lines = lines
        var start = 0
        while start < lines.count {
            let sign = lines[start].sign
            guard sign != UInt8(ascii: " ") else {
                start += 1
                continue
            }
            var end = lines[start...].firstIndex { $0.sign != sign } ?? lines.count
            while end < lines.count, lines[end].sign == UInt8(ascii: " "), lines[end].text == lines[start].text {
                (lines[start], lines[end]) = (lines[end], lines[start])
                (start, end) = (start + 1, end + 1)
            }
            start = end
        }
        return lines
    }

    /// Changed lines with the lines around them; neighbours that touch are one.
    private static func hunks(_ lines: [Line]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for (index, line) in lines.enumerated() where line.sign != UInt8(ascii: " ") {
            let (start, end) = (max(0, index - context), min(lines.count, index + context + 1))
            if let last = hunks.last, start <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<end
            } else {
                hunks.append(start..<end)
            }
        }
        return hunks
    }

    private static func write(_ lines: ArraySlice<Line>, _ old: Int, _ new: Int, to out: inout [UInt8]) {
        func range(_ before: Int, without other: UInt8) -> String {
            let count = lines.count { $0.sign != other }
            return "\(count == 0 ? before : before + 1)\(count == 1 ? "" : ",\(count)")"
        }
        out += "@@ -\(range(old, without: UInt8(ascii: "+"))) +\(range(new, without: UInt8(ascii: "-"))) @@\n".utf8
        for line in lines {
            out.append(line.sign)
            out += line.text
            if line.text.last != 0x0A { out += "\n\\ No newline at end of file\n".utf8 }
        }
    }
}
