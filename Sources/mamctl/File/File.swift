import ArgumentParser

/// `mamctl file`
struct File: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "Files of accounts: what is in them, whose they are, and where they may go.",
        discussion: """
            The owner of a file is kept with it, in an extended attribute, and in the app's state. A wipe of the \
            account removes its files. Symbolic links are never followed. Where a copy may go, and what it becomes, \
            is the owner's policy's to say.

            Example:
              mamctl file protect --account ann@contoso.example notes/
              mamctl file read notes/plan.txt
              mamctl file info notes/plan.txt
              mamctl file export notes/plan.txt /media/plan.mam --location localDrive
            """,
        subcommands: [
            FileWrite.self, FileRead.self, FileProtect.self, FileVerify.self, FileInfo.self, FileEncrypt.self,
            FileDecrypt.self, FileExport.self, FileImport.self,
        ])
}
