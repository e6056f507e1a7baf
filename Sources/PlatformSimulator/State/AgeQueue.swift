/// Elements in the order of their age: new ones go to the end, old ones leave at the front.
///
/// The front moves through an array, which is cut when most of it lies behind.
struct AgeQueue<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var front = 0

    /// The number of elements.
    var count: Int { self.elements.count - self.front }

    /// The oldest element.
    var first: Element? { self.front < self.elements.count ? self.elements[self.front] : nil }

    /// Appends the youngest element.
    mutating func append(_ element: Element) {
        self.elements.append(element)
    }

    /// Takes the oldest element out.
    @discardableResult
    mutating func popFirst() -> Element? {
        guard let first = self.first else { return nil }
        self.front += 1
        if self.front > 1_024, self.front * 2 > self.elements.count {
            self.elements.removeFirst(self.front)
            self.front = 0
        }
        return first
    }
}
