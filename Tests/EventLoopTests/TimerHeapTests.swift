import Testing

@testable import EventLoop

@Suite struct TimerHeapTests {
    private let start = ContinuousClock.now

    @Test func workComesInOrderOfDeadlines() {
        var heap = TimerHeap<Int>()
        for number in [5, 1, 4, 2, 3, 9, 7, 8, 6, 0] {
            _ = heap.insert(self.start + .seconds(number), number)
        }
        var order: [Int] = []
        while let number = heap.popDue(at: self.start + .seconds(100)) {
            order.append(number)
        }
        #expect(order == Array(0...9))
    }

    @Test func nothingIsDueBeforeItsDeadline() {
        var heap = TimerHeap<Int>()
        _ = heap.insert(self.start + .milliseconds(10), 1)
        #expect(heap.popDue(at: self.start + .milliseconds(9)) == nil)
        #expect(heap.popDue(at: self.start + .milliseconds(10)) == 1)
        #expect(heap.count == 0)
    }

    @Test func removedWorkIsGoneAndTheRestKeepsItsOrder() {
        for removed in 0..<20 {
            var heap = TimerHeap<Int>()
            // 7 generates all residues of 20, so the insertion order is mixed.
            let tokens = (0..<20).map { step in
                let number = step * 7 % 20
                return (number, heap.insert(self.start + .seconds(number), number))
            }
            for (number, token) in tokens where number == removed {
                #expect(heap.remove(token) == number)
                #expect(heap.remove(token) == nil)
            }
            var order: [Int] = []
            while let number = heap.popDue(at: self.start + .seconds(100)) {
                order.append(number)
            }
            #expect(order == (0..<20).filter { $0 != removed })
        }
    }

    @Test func anOldTokenDoesNotRemoveWhatReusesItsSlot() {
        var heap = TimerHeap<Int>()
        let old = heap.insert(self.start, 1)
        #expect(heap.popDue(at: self.start) == 1)
        _ = heap.insert(self.start, 2)
        #expect(heap.remove(old) == nil)
        #expect(heap.popDue(at: self.start) == 2)
    }

    @Test func slotsAreReusedWhenWorkIsCancelledBeforeItsDeadline() {
        var heap = TimerHeap<Int>()
        for round in 0..<10_000 {
            let token = heap.insert(self.start + .seconds(120), round)
            #expect(token.slot == 0)
            _ = heap.remove(token)
        }
        #expect(heap.count == 0)
    }
}
