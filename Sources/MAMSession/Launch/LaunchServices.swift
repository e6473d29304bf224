/// The services of launches, PINs and switches of identity.
struct LaunchServices {
    let blocks: LaunchBlocks
    let pins: PINs
    let launches: Launches
    let switches: IdentitySwitches

    init(
        _ context: SessionContext, _ identities: CurrentIdentities, _ health: Health, _ wipes: Wipes,
        _ enrollment: EnrollmentServices
    ) {
        blocks = LaunchBlocks(context)
        pins = PINs(context, blocks, wipes)
        launches = Launches(
            context, identities, blocks, pins, health, wipes, enrollment.checkIns, enrollment.unenrollments)
        switches = IdentitySwitches(context, identities, launches)
    }
}
