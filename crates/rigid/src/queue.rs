//! The event queue: a bounded calendar.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A place in the queue that holds at most one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

impl Slot {
    /// No place: it can be cancelled and released, and nothing happens.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// What has a slot but no time.
const NEVER: u64 = u64::MAX;
/// About how many events a page holds when its time comes; chosen (decision 14).
const PER_PAGE: f64 = 24.0;
/// The calendar has no fewer and no more pages than this; chosen, as bounds on the
/// memory of the smallest and the largest worlds.
const FEWEST_PAGES: usize = 16;
const MOST_PAGES: usize = 1 << 17;

/// An event that is or was scheduled. One that has been moved or cancelled
/// since stays where it is, and is passed over when it is met: its order is
/// no longer that of its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// A number that grows with the time.
    time: u64,
    /// Events at the same time happen in the order of their ranks, whatever
    /// was scheduled first: what happens must not depend on when it was
    /// foreseen.
    rank: u64,
    order: u64,
    slot: u32,
}

#[derive(Clone, Copy, Debug)]
struct State<E> {
    event: E,
    rank: u64,
    /// The order of its entry, or [`NEVER`].
    order: u64,
    time: f64,
}

/// Events by time. `E` says what happens; each slot carries one.
///
/// What happens soon is in a small heap. What happens later is on one of the
/// pages of a calendar, unsorted, and what happens after its last page in a
/// list. When the heap is empty the next page is poured into it; after the
/// last page a new calendar is made, with pages as wide as events have been
/// frequent. An operation thus costs about the same however many events wait.
#[derive(Clone, Debug)]
pub(crate) struct EventQueue<E> {
    slots: Vec<State<E>>,
    free: Vec<u32>,
    scheduled: u64,
    /// How many slots are in the queue, and how many entries there are.
    waiting: usize,
    entries: usize,
    soon: BinaryHeap<Reverse<Entry>>,
    pages: Vec<Vec<Entry>>,
    later: Vec<Entry>,
    /// When the calendar begins, pages per second, and the page after those
    /// that are in the heap.
    begin: f64,
    per_second: f64,
    next_page: usize,
    /// Events taken since the calendar was made.
    taken: u64,
}

/// Numbers in the order of the times; a time that is not a number is last.
fn sortable(time: f64) -> u64 {
    // Adding zero makes both zeros one.
    let bits = (time + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

fn from_sortable(number: u64) -> f64 {
    f64::from_bits(if number >> 63 == 1 { number & !(1 << 63) } else { !number })
}

impl<E: Copy> EventQueue<E> {
    pub(crate) fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            scheduled: 0,
            waiting: 0,
            entries: 0,
            soon: BinaryHeap::new(),
            pages: Vec::new(),
            later: Vec::new(),
            begin: 0.0,
            per_second: 1.0,
            next_page: 0,
            taken: 0,
        }
    }

    /// A slot for an event that is not scheduled yet. Among events at one
    /// time the least rank comes first.
    pub(crate) fn slot(&mut self, event: E, rank: u64) -> Slot {
        let state = State { event, rank, order: NEVER, time: f64::INFINITY };
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = state;
            return Slot(index);
        }
        self.slots.push(state);
        Slot(self.slots.len() as u32 - 1)
    }

    /// Gives a slot back; what it held does not happen.
    pub(crate) fn release(&mut self, slot: Slot) {
        if slot != Slot::NONE {
            self.cancel(slot);
            self.free.push(slot.0);
        }
    }

    /// Schedules the slot's event, or moves it to another time. An infinite
    /// time takes it out of the queue.
    pub(crate) fn schedule(&mut self, slot: Slot, time: f64) {
        if time.is_nan() || time == f64::INFINITY {
            self.cancel(slot);
            return;
        }
        let state = &mut self.slots[slot.0 as usize];
        self.waiting += usize::from(state.order == NEVER);
        (state.order, state.time) = (self.scheduled, time);
        let entry = Entry { time: sortable(time), rank: state.rank, order: self.scheduled, slot: slot.0 };
        self.scheduled += 1;
        self.put(entry, time);
        if self.entries > 2 * self.waiting + 64 {
            self.forget_stale();
        }
    }

    /// Schedules the slot's event with another rank.
    pub(crate) fn schedule_as(&mut self, slot: Slot, time: f64, rank: u64) {
        self.slots[slot.0 as usize].rank = rank;
        self.schedule(slot, time);
    }

    /// Takes the slot's event out of the queue, if it is in it.
    pub(crate) fn cancel(&mut self, slot: Slot) {
        if let Some(state) = self.slots.get_mut(slot.0 as usize) {
            self.waiting -= usize::from(state.order != NEVER);
            state.order = NEVER;
        }
    }

    /// Whether the slot's event is in the queue.
    pub(crate) fn is_scheduled(&self, slot: Slot) -> bool {
        self.slots.get(slot.0 as usize).is_some_and(|state| state.order != NEVER)
    }

    /// When the slot's event happens, if it is in the queue.
    pub(crate) fn time(&self, slot: Slot) -> Option<f64> {
        self.slots.get(slot.0 as usize).filter(|state| state.order != NEVER).map(|state| state.time)
    }

    /// When the next event happens.
    pub(crate) fn next_time(&mut self) -> Option<f64> {
        self.first().map(|entry| from_sortable(entry.time))
    }

    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(f64, E)> {
        let entry = self.first()?;
        self.soon.pop();
        self.entries -= 1;
        self.waiting -= 1;
        self.taken += 1;
        let state = &mut self.slots[entry.slot as usize];
        state.order = NEVER;
        Some((state.time, state.event))
    }

    /// The next entry, brought to the top of the heap.
    fn first(&mut self) -> Option<Entry> {
        loop {
            while let Some(Reverse(entry)) = self.soon.peek() {
                if self.slots[entry.slot as usize].order == entry.order {
                    return Some(*entry);
                }
                self.soon.pop();
                self.entries -= 1;
            }
            if self.waiting == 0 {
                return None;
            }
            self.turn();
        }
    }

    /// The page of a time; the same for equal times, and never less for a
    /// later one.
    fn page(&self, time: f64) -> usize {
        // The conversion saturates, and what is before the beginning is on
        // the first page.
        ((time - self.begin) * self.per_second) as usize
    }

    fn put(&mut self, entry: Entry, time: f64) {
        self.entries += 1;
        let page = self.page(time);
        if page < self.next_page {
            self.soon.push(Reverse(entry));
        } else if let Some(page) = self.pages.get_mut(page) {
            page.push(entry);
        } else {
            self.later.push(entry);
        }
    }

    /// Turns to the next page that has something on it.
    fn turn(&mut self) {
        while self.next_page < self.pages.len() {
            let page = &mut self.pages[self.next_page];
            self.next_page += 1;
            if page.is_empty() {
                continue;
            }
            let slots = &self.slots;
            let found = page.len();
            let valid = page.drain(..).filter(|entry| slots[entry.slot as usize].order == entry.order);
            self.soon.extend(valid.map(Reverse));
            self.entries -= found - self.soon.len();
            return;
        }
        self.new_calendar();
    }

    /// Makes the next calendar, out of what comes after the last one.
    fn new_calendar(&mut self) {
        let slots = &self.slots;
        self.later.retain(|entry| slots[entry.slot as usize].order == entry.order);
        let mut later = std::mem::take(&mut self.later);
        self.entries = self.soon.len();
        let Some(first) = later.iter().map(|entry| entry.time).min().map(from_sortable) else {
            return;
        };
        // About as many pages as events live through, at the pace of the last
        // calendar; before there was one, as if half of them were the pace.
        let passed = first - self.begin;
        let pace = if self.taken > 0 && passed > 0.0 {
            self.taken as f64 / passed
        } else {
            let middle = later.len() / 2;
            let (_, median, _) = later.select_nth_unstable(middle);
            (middle as f64 + 1.0) / (from_sortable(median.time) - first).max(f64::MIN_POSITIVE)
        };
        let pages = (2.0 * later.len() as f64 / PER_PAGE) as usize;
        self.pages.resize_with(pages.next_power_of_two().clamp(FEWEST_PAGES, MOST_PAGES), Vec::new);
        self.per_second = (pace / PER_PAGE).clamp(1e-300, 1e300);
        (self.begin, self.next_page, self.taken) = (first, 0, 0);
        for entry in later.drain(..) {
            self.put(entry, from_sortable(entry.time));
        }
        if self.later.is_empty() {
            self.later = later;
        }
    }

    /// Throws out entries that have been moved or cancelled.
    fn forget_stale(&mut self) {
        let slots = &self.slots;
        let valid = |entry: &Entry| slots[entry.slot as usize].order == entry.order;
        self.soon.retain(|Reverse(entry)| valid(entry));
        for page in &mut self.pages[self.next_page..] {
            page.retain(valid);
        }
        self.later.retain(valid);
        self.entries = self.waiting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_sort_as_times_do() {
        let times = [f64::NEG_INFINITY, -2.0, -1e-300, 0.0, 1e-300, 1.0, 1e300];
        assert!(times.map(sortable).is_sorted());
        assert_eq!(sortable(-0.0), sortable(0.0));
        assert_eq!(times.map(|time| from_sortable(sortable(time))), times);
    }

    proptest! {
        /// Any mixture of scheduling, moving, cancelling and taking gives the
        /// events in the order of a plain sorted list, on every scale of time.
        #[test]
        fn it_sorts(
            operations in prop::collection::vec((0usize..60, 0u32..40, 0u8..6), 1..600),
            scale in prop::sample::select(vec![1e-9, 1.0, 1e12]),
        ) {
            let mut queue = EventQueue::new();
            let slots: Vec<Slot> = (0..60).map(|k| queue.slot(k, (k * 7 % 60) as u64)).collect();
            let mut model: BTreeMap<usize, u64> = BTreeMap::new();
            let mut now = 0.0;
            for (k, wait, action) in operations {
                match action {
                    0 => {
                        queue.cancel(slots[k]);
                        model.remove(&k);
                    }
                    1 | 2 => {
                        let least = model.iter().map(|(k, time)| (*time, k * 7 % 60, *k)).min();
                        prop_assert_eq!(queue.next_time().map(sortable), least.map(|(time, ..)| time));
                        let found = queue.pop();
                        prop_assert_eq!(found.map(|(_, k)| k), least.map(|(.., k)| k));
                        if let Some((time, k)) = found {
                            model.remove(&k);
                            now = time;
                        }
                    }
                    _ => {
                        // Some soon, some far away.
                        let time = now + scale * f64::from(wait * wait * wait);
                        queue.schedule(slots[k], time);
                        model.insert(k, sortable(time));
                    }
                }
                for (k, slot) in slots.iter().enumerate() {
                    prop_assert_eq!(queue.time(*slot).map(sortable), model.get(&k).copied());
                }
            }
            let mut expected: Vec<(u64, usize, usize)> = model.into_iter().map(|(k, time)| (time, k * 7 % 60, k)).collect();
            expected.sort_unstable();
            let found: Vec<usize> = std::iter::from_fn(|| queue.pop().map(|(_, k)| k)).collect();
            prop_assert_eq!(found, expected.into_iter().map(|(.., k)| k).collect::<Vec<_>>());
        }
    }

    /// What is moved again and again does not pile up.
    #[test]
    fn it_is_bounded() {
        let mut queue = EventQueue::new();
        let slots: Vec<Slot> = (0..10).map(|k| queue.slot(k, k)).collect();
        for round in 0..100_000_u32 {
            queue.schedule(slots[round as usize % 10], 1e6 + f64::from(round % 977));
        }
        assert!(queue.entries < 100);
        assert_eq!(std::iter::from_fn(|| queue.pop()).count(), 10);
    }
}
