//! The event queue: a four-ary heap whose entries can be moved and removed.

/// A place in the queue that holds at most one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

const NOWHERE: u32 = u32::MAX;
const ARITY: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: f64,
    /// Events at the same time happen in the order of their ranks, whatever
    /// was scheduled first: what happens must not depend on when it was
    /// foreseen.
    rank: u64,
    slot: u32,
}

impl Entry {
    fn before(&self, other: &Self) -> bool {
        self.time < other.time || (self.time == other.time && self.rank < other.rank)
    }
}

/// Events by time. `E` says what happens; each slot carries one.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue<E> {
    heap: Vec<Entry>,
    slots: Vec<Seat<E>>,
    free: Vec<u32>,
}

/// What a slot holds: its event, its rank, and its place in the heap.
#[derive(Clone, Copy, Debug)]
struct Seat<E> {
    event: E,
    rank: u64,
    place: u32,
}

impl<E: Copy> EventQueue<E> {
    pub(crate) fn new() -> Self {
        Self { heap: Vec::new(), slots: Vec::new(), free: Vec::new() }
    }

    /// A slot for an event that is not scheduled yet. Among events at one
    /// time the least rank comes first; no two may have the same.
    pub(crate) fn slot(&mut self, event: E, rank: u64) -> Slot {
        let seat = Seat { event, rank, place: NOWHERE };
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = seat;
            return Slot(index);
        }
        self.slots.push(seat);
        Slot(self.slots.len() as u32 - 1)
    }

    /// Gives a slot back; what it held does not happen.
    pub(crate) fn release(&mut self, slot: Slot) {
        self.cancel(slot);
        self.free.push(slot.0);
    }

    /// Schedules the slot's event, or moves it to another time. An infinite
    /// time takes it out of the queue.
    pub(crate) fn schedule(&mut self, slot: Slot, time: f64) {
        if time.is_nan() || time == f64::INFINITY {
            self.cancel(slot);
            return;
        }
        let Seat { rank, place, .. } = self.slots[slot.0 as usize];
        let entry = Entry { time, rank, slot: slot.0 };
        if place == NOWHERE {
            self.heap.push(entry);
            self.rise(self.heap.len() - 1);
        } else {
            self.heap[place as usize] = entry;
            self.settle(place as usize);
        }
    }

    /// Takes the slot's event out of the queue, if it is in it.
    pub(crate) fn cancel(&mut self, slot: Slot) {
        let place = std::mem::replace(&mut self.slots[slot.0 as usize].place, NOWHERE);
        if place != NOWHERE {
            self.take_out(place as usize);
        }
    }

    /// Whether the slot's event is in the queue.
    pub(crate) fn is_scheduled(&self, slot: Slot) -> bool {
        self.slots[slot.0 as usize].place != NOWHERE
    }

    /// When the slot's event happens, if it is in the queue.
    pub(crate) fn time(&self, slot: Slot) -> Option<f64> {
        self.heap.get(self.slots[slot.0 as usize].place as usize).map(|entry| entry.time)
    }

    /// When the next event happens.
    pub(crate) fn next_time(&self) -> Option<f64> {
        self.heap.first().map(|entry| entry.time)
    }

    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(f64, E)> {
        let first = *self.heap.first()?;
        let seat = &mut self.slots[first.slot as usize];
        seat.place = NOWHERE;
        let event = seat.event;
        self.take_out(0);
        Some((first.time, event))
    }

    fn take_out(&mut self, place: usize) {
        self.heap.swap_remove(place);
        if place < self.heap.len() {
            self.settle(place);
        }
    }

    fn settle(&mut self, place: usize) {
        if place > 0 && self.heap[place].before(&self.heap[(place - 1) / ARITY]) {
            self.rise(place);
        } else {
            self.sink(place);
        }
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let first = ARITY * place + 1;
            let last = (first + ARITY).min(self.heap.len());
            let Some(least) = (first..last).reduce(|p, q| if self.heap[q].before(&self.heap[p]) { q } else { p })
            else {
                break;
            };
            if !self.heap[least].before(&entry) {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.slots[entry.slot as usize].place = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any mixture of scheduling, moving and cancelling gives the events
        /// in the order of a plain sorted list.
        #[test]
        fn it_sorts(operations in prop::collection::vec((0usize..40, 0u32..20, any::<bool>()), 1..300)) {
            let mut queue = EventQueue::new();
            let slots: Vec<Slot> = (0..40).map(|k| queue.slot(k, 39 - k as u64)).collect();
            let mut model = std::collections::BTreeMap::new();
            for (k, time, cancel) in operations {
                if cancel {
                    queue.cancel(slots[k]);
                    model.remove(&k);
                } else {
                    queue.schedule(slots[k], f64::from(time));
                    model.insert(k, (time, 39 - k));
                }
            }
            let mut expected: Vec<(u32, usize, usize)> = model.into_iter().map(|(k, (t, o))| (t, o, k)).collect();
            expected.sort_unstable();
            let found: Vec<usize> = std::iter::from_fn(|| queue.pop().map(|(_, k)| k)).collect();
            prop_assert_eq!(found, expected.into_iter().map(|(_, _, k)| k).collect::<Vec<_>>());
        }
    }
}
