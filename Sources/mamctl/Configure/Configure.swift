import ArgumentParser

/// `mamctl configure`
struct Configure: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configure",
        abstract: "Prepare an app's own files for being managed.",
        discussion: """
            The files are those that are built into an app: the Info.plist of an app for iOS, as the Intune App SDK \
            wants it, and what a Linux app brings for desktops and Flatpak. Neither an account nor an authority is \
            needed. All that need not change keeps every byte, and configuring again changes nothing.

            Example:
              mamctl configure -i Info.plist -e App.entitlements
            """,
        subcommands: [ConfigureIOS.self, ConfigureLinux.self, ConfigureIcons.self], defaultSubcommand: ConfigureIOS.self
    )
}
