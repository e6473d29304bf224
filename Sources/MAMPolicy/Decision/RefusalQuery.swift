import MAMSupport

/// A rule to evaluate against one policy, with the texts that explain a refusal.
struct RefusalQuery {
    /// The action, in words.
    let action: RefusedAction
    /// The settings that the rule depends on, the most direct first.
    let settings: [PolicySetting]
    /// The policy's account, in a message about lock-down.
    var subject = "the account"
    /// The text that follows the policy's name in the message, for a setting and its value.
    var context: (PolicySetting, JSON) -> String = { _, _ in "" }
    /// The rule to evaluate.
    let allows: (DecisionRules) -> Bool
}
