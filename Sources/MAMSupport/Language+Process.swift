import CProcess

extension Language {
    /// The language of this process, according to its environment.
    public static var process: Language {
        Language { name in process_environment(name).map { String(repairing: $0) } }
    }
}
