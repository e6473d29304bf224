import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("what a person shows at a launch")
struct AccessTests {
    private static let policy: JSON = ["organizationalCredentialsRequired": true]

    @Test("credentials hold for the apps of the group until none was used for the period")
    func credentials() throws {
        let desk = try Desk(Self.policy)
        defer { desk.session.end() }
        var asked: [JSON] = []
        func answers(_ question: JSON) -> JSON {
            asked.append(question)
            return signsIn
        }
        #expect(Desk.shown(try desk.look()) == "blocked: prompt credentials")
        #expect(Desk.shown(try desk.launch(answers)) == "allowed")
        #expect(asked.count == 1)
        #expect(asked[0]["question"]?.string == "authenticate" && asked[0]["accountId"]?.string == "oid-ann")
        #expect(asked[0]["methods"] == ["credentials"] && asked[0]["mayCancel"]?.bool == true)
        desk.place.time.advance(.minutes(20))
        try desk.session.pause()
        desk.place.time.advance(.minutes(29))
        #expect(Desk.shown(try desk.resume(answers)) == "allowed")
        // The other app of the group, within the period of the first one's use.
        let other = try desk.place.host("com.example.mail")
        defer { other.end() }
        #expect(try other.enroll("ann") == .newPoliciesReceived)
        #expect(Desk.shown(try Desk.finish(other, try other.launch(), answers)) == "allowed")
        #expect(asked.count == 1)
        desk.place.time.advance(.minutes(30))
        #expect(Desk.shown(try desk.look()) == "blocked: prompt credentials")
        #expect(Desk.shown(try desk.resume(answers)) == "allowed")
        #expect(asked.count == 2)
    }

    @Test("no period at all asks at every launch, and once at each")
    func always() throws {
        let desk = try Desk(["organizationalCredentialsRequired": true, "periodOnlineBeforeAccessCheck": "PT0S"])
        defer { desk.session.end() }
        var count = 0
        for _ in 0..<3 {
            #expect(
                Desk.shown(
                    try desk.launch { _ in
                        count += 1
                        return signsIn
                    }) == "allowed")
        }
        #expect(count == 3)
    }

    @Test("who does not sign in is kept out: blocked as canceled, and the windows are asked about")
    func canceled() throws {
        let desk = try Desk(Self.policy)
        defer { desk.session.end() }
        let shown = try Desk.finish(
            desk.session, try desk.session.setUIIdentity(try Window(nil), try identities("ann"))
        ) { _ in signsIn }
        #expect(shown["name"]?.string == "success")
        desk.place.time.advance(.hours(1))
        let refusal: JSON = ["authenticated": false]
        #expect(Desk.shown(try desk.resume { _ in refusal }) == "blocked: prompt credentials")
        #expect(try desk.blocked() == ["conditionalLaunchCanceled"])
        let (questions, _) = try desk.session.answering(["blockAccount": .null, "identitySwitch": ["switched": true]])
        #expect(questions == ["blockAccount", "identitySwitch"])
        #expect(try desk.session.uiIdentity(try Window(nil)) == [""])
        let again = try Desk.finish(
            desk.session, try desk.session.setUIIdentity(try Window(nil), try identities("ann"))
        ) { _ in refusal }
        #expect(again["name"]?.string == "canceled")
        let other: JSON = ["accountId": "oid-bob"]
        #expect(
            try Desk.finish(desk.session, try desk.session.setUIIdentity(try Window(nil), try identities("ann"))) { _ in
                other
            }["name"]?.string == "canceled")
        let own: JSON = ["upn": "ann@contoso.example"]
        #expect(Desk.shown(try desk.resume { _ in own }) == "allowed")
        #expect(try desk.blocked() == [])
    }

    @Test("a host with several identities asks at the switch, not at the launch")
    func switching() throws {
        let desk = try Desk(Self.policy, settings: ["MultiIdentity": true, "MultiIdentityCancelDisabled": true])
        defer { desk.session.end() }
        #expect(Desk.shown(try desk.launch()) == "allowed")
        var asked: [JSON] = []
        let shown = try Desk.finish(
            desk.session, try desk.session.setUIIdentity(try Window(nil), try identities("ann"))
        ) { question in
            asked.append(question)
            return signsIn
        }
        #expect(shown["name"]?.string == "success")
        #expect(asked.count == 1 && asked[0]["mayCancel"]?.bool == false)
    }

    @Test("without anybody to ask an account that asks for credentials stays closed")
    func nobody() throws {
        let place = try Workplace(policy: nil)
        try place.setPolicy(Self.policy)
        let session = try place.open()
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(
            Desk.shown(try session.wait(for: try session.launch(), milliseconds: 0).json)
                == "blocked: prompt credentials")
    }

    @Test("biometrics stand in for a PIN that was entered, until their timeout")
    func biometrics() throws {
        let desk = try Desk(["pinRequired": true, "pinRequiredInsteadOfBiometricTimeout": "PT2H"])
        defer { desk.session.end() }
        try desk.session.setPIN(try named("ann"), old: nil, new: try secret("2580"))
        #expect(Desk.shown(try desk.launch()) == "allowed")  // it was set just now
        var questions: [String] = []
        func answers(_ question: JSON) -> JSON {
            questions.append("\(question["question"]?.string ?? "") \(question["methods"]?.text ?? "")")
            return question["question"]?.string == "authenticate"
                ? ["authenticated": true, "method": "biometrics"] : .null
        }
        desk.place.time.advance(.minutes(40))
        #expect(Desk.shown(try desk.resume(answers)) == "allowed")
        #expect(questions == ["authenticate [\"biometrics\"]"])
        desk.place.time.advance(.minutes(90))
        questions = []
        #expect(Desk.shown(try desk.resume(answers)) == "blocked: prompt pin")
        #expect(questions == ["pin "])
    }
}
