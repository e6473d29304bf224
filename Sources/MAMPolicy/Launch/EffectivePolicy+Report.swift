import MAMSupport

extension EffectivePolicy {
    /// Returns whether a host's report could make the device compliant: a policy bounds the threat level and none was reported,
    /// or a signal that only the host reports is unknown.
    public func wantsReport(_ health: DeviceHealth) -> Bool {
        policies.contains { policy in
            let bound = policy.settings.value(of: LaunchSetting.threatLevel)?.string ?? "notConfigured"
            if health.threatLevel == nil, bound != "notConfigured" { return true }
            return policy.settings.value(of: LaunchSetting.compliance) == true
                && health.refusals.contains { $0.source == "host" && $0.state == .unknown }
        }
    }
}
