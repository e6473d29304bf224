import ArgumentParser

/// The root of the command line.
struct Mamctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mamctl",
        abstract: "Manage accounts, policy and protected data of an app with libmam.",
        discussion: """
            mamctl does from a shell what a program does through libmam: it enrolls accounts, asks what \
            their policy allows, protects and reads their data, and wipes it. It also runs the authority, \
            a file that hands out policy on this computer. The app is chosen by --app or MAM_APP, the \
            authority by --authority or MAM_AUTHORITY. A command about an account takes it as its argument, \
            one about data, files or policy as --account.

            Example:
              export MAM_AUTHORITY=$HOME/authority.db MAM_APP=com.example.notes
              mamctl authority create
              mamctl authority user add ann@contoso.example
              mamctl authority policy import strict.json --all-users --all-apps
              mamctl enroll ann@contoso.example
              mamctl check print --account ann@contoso.example

            Exit status: 0 done or allowed, 1 failed, 3 refused, required or blocked, or found by health, doctor, \
            policy lint or policy diff, 64 wrong usage.
            """,
        version: Version.line,
        groupedSubcommands: [
            CommandGroup(
                name: "Account",
                subcommands: [
                    Enroll.self, Login.self, AccountCommand.self, Register.self, Unenroll.self, Status.self,
                    CheckIn.self, Wipe.self,
                ]),
            CommandGroup(
                name: "Policy",
                subcommands: [
                    Launch.self, Pause.self, Resume.self, Health.self, PIN.self, Check.self, WebView.self,
                    ShareTargets.self, Apps.self, Policy.self, Config.self,
                ]),
            CommandGroup(
                name: "Data",
                subcommands: [
                    Protect.self, Unprotect.self, Info.self, RotateKeys.self, Reprotect.self, File.self, SQLite.self,
                ]),
            CommandGroup(
                name: "Session",
                subcommands: [
                    Run.self, Events.self, Answer.self, Message.self, Settings.self, Log.self, Diagnose.self,
                    Console.self, Doctor.self, Purge.self, ShellLibrary.self, Version.self,
                ]),
            CommandGroup(name: "Administration", subcommands: [Authority.self]),
            CommandGroup(name: "Development", subcommands: [Configure.self]),
        ])
}
