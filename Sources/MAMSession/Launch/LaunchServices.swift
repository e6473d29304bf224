/// The services of launches, PINs and switches of identity.
struct LaunchServices {
    let guards: LaunchGuards
    let pins: PINs
    let launches: Launches
    let switches: IdentitySwitches

    init(
        _ context: SessionContext, _ identities: CurrentIdentities, _ health: Health, _ wipes: Wipes,
        _ enrollment: EnrollmentServices
    ) {
        guards = LaunchGuards(context)
        pins = PINs(context, guards, wipes)
        launches = Launches(
            context, identities, guards, pins, health, wipes, enrollment.checkIns, enrollment.unenrollments)
        switches = IdentitySwitches(context, identities, launches)
    }
}
