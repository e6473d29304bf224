import MAMPolicy
import MAMSupport

extension Session {
    /// The health of the device for the checks; read anew where a launch, or the inactivity timer, asks for it.
    func launchHealth(looksAgain: Bool) throws(MAMError) -> DeviceHealth {
        DeviceHealth(
            readings: [DeviceReading(lock: settings.device.lock, source: "settings", detail: "")], time: clock.now())
    }
}
