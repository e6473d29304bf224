import MAMValues

/// Changes of values; what is not changed keeps its source.
extension PropertyList {
    /// The list with the value at a path replaced by what `change` makes of it.
    func updating(_ path: ArraySlice<PropertyListDocument.Step>, _ change: (PropertyList) -> PropertyList)
        -> PropertyList
    {
        guard let step = path.first else { return change(self) }
        switch (step, kind) {
        case (.key(let key), .dictionary(let members)):
            return .dictionary(
                members.map { member in
                    guard member.key.utf8.elementsEqual(key.utf8) else { return member }
                    return (member.key, member.value.updating(path.dropFirst(), change))
                })
        case (.index(let index), .array(let elements)):
            return .array(
                elements.enumerated().map { $0 == index ? $1.updating(path.dropFirst(), change) : $1 })
        default: return self
        }
    }

    /// The list with new items, each with the path that is left to its container.
    func inserting(
        _ insertions: [(path: ArraySlice<PropertyListDocument.Step>, new: PropertyListDocument.Insertion)]
    ) -> PropertyList {
        guard !insertions.isEmpty else { return self }
        let here = Dictionary(grouping: insertions.filter(\.path.isEmpty), by: \.new.index)
            .mapValues { $0.flatMap(\.new.items) }
        let deeper = Dictionary(grouping: insertions.filter { !$0.path.isEmpty }) { $0.path.first }
            .mapValues { $0.map { ($0.path.dropFirst(), $0.new) } }
        switch kind {
        case .dictionary(let members):
            var all: [Member] = []
            for index in 0...members.count {
                all += (here[index] ?? []).compactMap { item in item.key.map { ($0, item.value) } }
                guard index < members.count else { break }
                let (key, value) = members[index]
                all.append((key, value.inserting(deeper[.key(key)] ?? [])))
            }
            return .dictionary(all)
        case .array(let elements):
            var all: [PropertyList] = []
            for index in 0...elements.count {
                all += (here[index] ?? []).map(\.value)
                guard index < elements.count else { break }
                all.append(elements[index].inserting(deeper[.index(index)] ?? []))
            }
            return .array(all)
        default: return self
        }
    }

    /// The dictionary without a key.
    func removing(_ key: String) -> PropertyList {
        .dictionary((dictionary ?? []).filter { !$0.key.utf8.elementsEqual(key.utf8) })
    }
}
