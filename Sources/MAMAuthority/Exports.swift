// Requests and replies of an authority are values of the directory.
@_exported import MAMDirectory
