import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("authentication at a launch")
struct AccessTests {
    private static let policy: JSON = ["organizationalCredentialsRequired": true]

    @Test("credentials are valid for all apps of the group until none was used for the period")
    func credentials() throws {
        let fixture = try LaunchFixture(Self.policy)
        defer { fixture.session.end() }
        var asked: [JSON] = []
        func answers(_ question: JSON) -> JSON {
            asked.append(question)
            return signsIn
        }
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: prompt credentials")
        #expect(LaunchFixture.shown(try fixture.launch(answers)) == "allowed")
        #expect(asked.count == 1)
        #expect(asked[0]["question"]?.string == "authenticate" && asked[0]["accountId"]?.string == "oid-ann")
        #expect(asked[0]["methods"] == ["credentials"] && asked[0]["mayCancel"]?.bool == true)
        fixture.place.time.advance(.minutes(20))
        try fixture.session.launches.pause()
        fixture.place.time.advance(.minutes(29))
        #expect(LaunchFixture.shown(try fixture.resume(answers)) == "allowed")
        // The other app of the group, within the period since the first one's use.
        let other = try fixture.place.host("com.example.mail")
        defer { other.end() }
        #expect(try other.enroll("ann") == .newPoliciesReceived)
        #expect(LaunchFixture.shown(try LaunchFixture.finish(other, try other.launches.launch(), answers)) == "allowed")
        #expect(asked.count == 1)
        fixture.place.time.advance(.minutes(30))
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: prompt credentials")
        #expect(LaunchFixture.shown(try fixture.resume(answers)) == "allowed")
        #expect(asked.count == 2)
    }

    @Test("with a period of zero, every launch asks once")
    func always() throws {
        let fixture = try LaunchFixture([
            "organizationalCredentialsRequired": true, "periodOnlineBeforeAccessCheck": "PT0S",
        ])
        defer { fixture.session.end() }
        var count = 0
        for _ in 0..<3 {
            #expect(
                LaunchFixture.shown(
                    try fixture.launch { _ in
                        count += 1
                        return signsIn
                    }) == "allowed")
        }
        #expect(count == 3)
    }

    @Test("without a sign-in the account is blocked as canceled, and the windows are asked about")
    func canceled() throws {
        let fixture = try LaunchFixture(Self.policy)
        defer { fixture.session.end() }
        let shown = try LaunchFixture.finish(
            fixture.session, try fixture.session.identitySwitches.setUIIdentity(try Window(nil), try identities("ann"))
        ) { _ in signsIn }
        #expect(shown["name"]?.string == "success")
        fixture.place.time.advance(.hours(1))
        let refusal: JSON = ["authenticated": false]
        #expect(LaunchFixture.shown(try fixture.resume { _ in refusal }) == "blocked: prompt credentials")
        #expect(try fixture.blocked() == ["conditionalLaunchCanceled"])
        let (questions, _) = try fixture.session.answering([
            "blockAccount": .null, "identitySwitch": ["switched": true],
        ])
        #expect(questions == ["blockAccount", "identitySwitch"])
        #expect(try fixture.session.identities.uiIdentity(try Window(nil)) == [""])
        let again = try LaunchFixture.finish(
            fixture.session, try fixture.session.identitySwitches.setUIIdentity(try Window(nil), try identities("ann"))
        ) { _ in refusal }
        #expect(again["name"]?.string == "canceled")
        let other: JSON = ["accountId": "oid-bob"]
        #expect(
            try LaunchFixture.finish(
                fixture.session,
                try fixture.session.identitySwitches.setUIIdentity(try Window(nil), try identities("ann"))
            ) { _ in
                other
            }["name"]?.string == "canceled")
        let own: JSON = ["upn": "ann@contoso.example"]
        #expect(LaunchFixture.shown(try fixture.resume { _ in own }) == "allowed")
        #expect(try fixture.blocked() == [])
    }

    @Test("a host with several identities asks at the switch, not at the launch")
    func switching() throws {
        let fixture = try LaunchFixture(
            Self.policy, settings: ["MultiIdentity": true, "MultiIdentityCancelDisabled": true])
        defer { fixture.session.end() }
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        var asked: [JSON] = []
        let shown = try LaunchFixture.finish(
            fixture.session, try fixture.session.identitySwitches.setUIIdentity(try Window(nil), try identities("ann"))
        ) { question in
            asked.append(question)
            return signsIn
        }
        #expect(shown["name"]?.string == "success")
        #expect(asked.count == 1 && asked[0]["mayCancel"]?.bool == false)
    }

    @Test("without a host to ask, an account that requires credentials stays closed")
    func nobody() throws {
        let place = try SessionFixture(policy: nil)
        try place.setPolicy(Self.policy)
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(
            LaunchFixture.shown(
                try session.operations.wait(for: try session.launches.launch(), milliseconds: 0).json(in: .english))
                == "blocked: prompt credentials")
    }

    @Test("biometrics replace a PIN that was entered, until their timeout")
    func biometrics() throws {
        let fixture = try LaunchFixture(["pinRequired": true, "pinRequiredInsteadOfBiometricTimeout": "PT2H"])
        defer { fixture.session.end() }
        try fixture.session.pins.set(try named("ann"), old: nil, new: try secret("2580"))
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")  // it was set just now
        var questions: [String] = []
        func answers(_ question: JSON) -> JSON {
            questions.append("\(question["question"]?.string ?? "") \(question["methods"]?.text ?? "")")
            return question["question"]?.string == "authenticate"
                ? ["authenticated": true, "method": "biometrics"] : .null
        }
        fixture.place.time.advance(.minutes(40))
        #expect(LaunchFixture.shown(try fixture.resume(answers)) == "allowed")
        #expect(questions == ["authenticate [\"biometrics\"]"])
        fixture.place.time.advance(.minutes(90))
        questions = []
        #expect(LaunchFixture.shown(try fixture.resume(answers)) == "blocked: prompt pin")
        #expect(questions == ["pin "])
    }
}
