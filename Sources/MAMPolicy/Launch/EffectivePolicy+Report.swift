extension EffectivePolicy {
    /// Whether a host's report could mend what stands against the device: there is none of a threat level that a policy bounds, or
    /// none of what counts and only a host tells.
    public func wantsReport(_ health: DeviceHealth) -> Bool {
        parts.contains { part in
            let bound = part.settings.value(of: LaunchSetting.threatLevel)?.string ?? "notConfigured"
            if health.threatLevel == nil, bound != "notConfigured" { return true }
            return part.settings.value(of: LaunchSetting.compliance) == true
                && health.refusals.contains { $0.source == "host" && $0.state == .unknown }
        }
    }
}
