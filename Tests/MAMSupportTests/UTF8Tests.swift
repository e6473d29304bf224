import MAMSupport
import Testing

@Suite("UTF-8")
struct UTF8Tests {
    private func agrees(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes(isUTF8) == (String(validating: bytes, as: UTF8.self) != nil)
    }

    @Test("one to three bytes are judged as the standard library judges them")
    func shortOnes() {
        for a in UInt8.min...UInt8.max {
            #expect(agrees([a]))
            for b in UInt8.min...UInt8.max where !agrees([a, b]) || !agrees([a, b, 0x80]) || !agrees([a, b, 0x41]) {
                Issue.record("\(a) \(b)")
            }
        }
    }

    @Test("four bytes and cut ones too")
    func longOnes() {
        for a: UInt8 in 0xEF...0xF8 {
            for b in UInt8.min...UInt8.max {
                for tail: [UInt8] in [[0x80, 0x80], [0xBF, 0xBF], [0xBF, 0xC0], [0x7F, 0x80], [0xBF]] {
                    let isRight = agrees([a, b] + tail) && agrees([0x41, a, b] + tail + [0x42])
                    if !isRight { Issue.record("\(a) \(b) \(tail)") }
                }
            }
        }
    }
}
