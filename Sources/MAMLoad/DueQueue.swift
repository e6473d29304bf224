import MAMSupport

/// Elements by the time at which each is due, the earliest first.
struct DueQueue<Element> {
    private var heap: [(due: Instant, element: Element)] = []

    /// The earliest time; nil for none.
    var next: Instant? { heap.first?.due }
    var count: Int { heap.count }

    mutating func add(_ element: Element, due: Instant) {
        heap.append((due, element))
        var index = heap.count - 1
        while index > 0, heap[index].due < heap[(index - 1) / 2].due {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Take the earliest element.
    mutating func take() -> (due: Instant, element: Element)? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].due < heap[least].due {
                least = child
            }
            guard least != index else { return first }
            heap.swapAt(index, least)
            index = least
        }
    }
}
