import CMam
import Glibc
import MAMValues

/// `mamctl check --batch`: requests of standard input, one JSON object a line, and an answer for each as soon as it is read, so that a
/// program may keep it running and ask.
struct CheckBatch {
    let session: Session
    let asJSON: Bool

    private static let maximumLineLength = 1 << 20
    private static let newline = UInt8(ascii: "\n")

    /// Answer until the input ends; returns whether any answer refuses or requires.
    func answerAll() throws -> Bool {
        var isRestricted = false
        var lineNumber = 0
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0 {
                guard errno == EINTR else { throw Input.unreadable("standard input") }
                continue
            }
            rest += chunk[..<count]
            let isAtEnd = count == 0
            // The last line may lack its newline.
            if isAtEnd, !rest.isEmpty { rest.append(CheckBatch.newline) }
            // The answers to all that has arrived are one write.
            var answers = ""
            var start = 0
            while let end = rest[start...].firstIndex(of: CheckBatch.newline) {
                lineNumber += 1
                let line = rest[start..<end]
                start = end + 1
                guard !line.isEmpty, line != [UInt8(ascii: "\r")] else { continue }
                do {
                    let (answer, isRestriction) = try answer(line)
                    answers += answer + "\n"
                    isRestricted = isRestricted || isRestriction
                } catch let failure as CommandError {
                    try write(answers)
                    throw failure.appending("it is line \(lineNumber) of standard input")
                }
            }
            rest.removeFirst(start)
            try write(answers)
            if isAtEnd { return isRestricted }
            guard rest.count <= CheckBatch.maximumLineLength else {
                throw CommandError.failed(
                    "line \(lineNumber + 1) of standard input is longer than 1 MiB", status: MAM_ERR_ARGUMENT)
            }
        }
    }

    private func answer(_ line: ArraySlice<UInt8>) throws -> (text: String, isRestriction: Bool) {
        guard let request = String(validating: line, as: UTF8.self), !request.utf8.contains(0) else {
            throw CommandError.failed("not UTF-8", status: MAM_ERR_JSON)
        }
        if let request = try? JSON(parsing: request) { try session.checkNames(in: request) }
        let text = try session.text { mam_policy_check($0, request, $1) }
        let answer = try JSON(parsing: text)
        if case .array = answer {
            throw CommandError.failed("a request is one JSON object, not an array", status: MAM_ERR_JSON)
        }
        return (asJSON ? text : answer.decision, answer.isRestriction)
    }

    private func write(_ answers: String) throws {
        guard !answers.isEmpty else { return }
        try Array(answers.utf8).withUnsafeBytes { try Output.write($0) }
    }
}
