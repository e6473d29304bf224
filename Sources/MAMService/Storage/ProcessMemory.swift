import CProcess

/// The memory of a program that holds a service's keys and people's tokens.
public enum ProcessMemory {
    /// Keep it from core dumps, and from other processes of the same user, until the program ends.
    public static func refuseDumps() { process_refuse_dumps() }
}
