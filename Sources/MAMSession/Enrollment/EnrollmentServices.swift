/// The services that register, enroll and unenroll accounts and check them in.
struct EnrollmentServices {
    let tests: TestPolicies
    let signIns: ProviderSignIns
    let unenrollments: Unenrollments
    let checkIns: CheckIns
    let enrollments: Enrollments
    let registrations: Registrations

    init(_ context: SessionContext, _ wipes: Wipes, _ protection: Protection) {
        tests = TestPolicies(context)
        unenrollments = Unenrollments(context, wipes)
        signIns = ProviderSignIns(context)
        let requests = EnrollmentRequests(context, signIns)
        checkIns = CheckIns(context, wipes, protection, requests, unenrollments, tests)
        enrollments = Enrollments(context, requests, checkIns, unenrollments, tests)
        registrations = Registrations(context, unenrollments, wipes)
    }
}
