import MAMPolicy

/// The result of a request to a directory. A refusal commits as well, since it may have counted down a fault.
package enum Answer<T> {
    case granted(T)
    case refused(AuthorityFailure)

    static func refused(_ code: StatusCode, _ message: String) -> Answer {
        .refused(AuthorityFailure(code, message))
    }
}
