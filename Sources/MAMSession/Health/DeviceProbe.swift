import MAMDevice
import MAMPolicy
import MAMSupport

/// Reads the signals of the device; tests pass their own.
public struct DeviceProbe: Sendable {
    /// The input of a probe.
    public struct Request: Sendable {
        /// The state directory.
        public let stateDirectory: String
        /// Libraries that may be loaded in the process.
        public let allowedLibraries: [String]
    }

    /// Returns one reading for each signal that it knows. Called with no lock held.
    public let read: @Sendable (Request) -> [DeviceReading]
    /// Returns whether the screen is locked. Called with no lock held.
    public let screen: @Sendable () -> ScreenState

    /// Make a probe.
    public init(
        screen: @escaping @Sendable () -> ScreenState = { .unknown },
        _ read: @escaping @Sendable (Request) -> [DeviceReading]
    ) {
        self.read = read
        self.screen = screen
    }

    /// The probe of this computer.
    public static let system = DeviceProbe(screen: systemScreen) { request in
        let device = Device.own
        let system = device.operatingSystem()
        return DeviceSignal.allCases.compactMap { signal in
            let reading: Reading
            switch signal {
            case .osDistribution: reading = system.distribution
            case .osVersion: reading = system.version
            case .deviceModel: reading = device.model()
            case .kernelTaint: reading = device.kernelTaint()
            case .tracer: reading = device.tracer()
            case .injectedLibraries: reading = device.injectedLibraries(allowed: request.allowedLibraries)
            case .rootUser: reading = device.rootUser()
            case .setUserId: reading = device.setUserId()
            case .secureBoot: reading = device.secureBoot()
            case .diskEncryption: reading = device.diskEncryption(below: request.stateDirectory)
            case .deviceLock: reading = device.screenLock()
            case .compliance: return nil
            }
            return DeviceReading(signal, reading)
        }
    }

    private static let systemScreen: @Sendable () -> ScreenState = {
        Device.own.isScreenLocked().map { $0 ? .locked : .unlocked } ?? .unknown
    }
}

extension DeviceReading {
    fileprivate init(_ signal: DeviceSignal, _ reading: Reading) {
        let state: State =
            switch reading.state {
            case .ok: .ok
            case .fail: .fail
            case .unknown: .unknown
            case .notApplicable: .notApplicable
            }
        self.init(signal, state, source: reading.source, detail: reading.detail, value: reading.value)
    }
}
