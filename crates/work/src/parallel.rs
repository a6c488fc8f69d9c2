//! Loops over independent items: on all processors with the feature `parallel`,
//! one after the other without it. Results come in the order of the items either
//! way, so the bits are the same.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// What becomes of each number below `count`.
///
/// ```
/// assert_eq!(proscenium_work::parallel::times(4, |index| index * index), [0, 1, 4, 9]);
/// ```
pub fn times<U: Send>(count: usize, with: impl Fn(usize) -> U + Send + Sync) -> Vec<U> {
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().map(with).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..count).map(with).collect();
}

/// As [`times`], for few items of which each takes long: none waits behind
/// another while a processor is free.
pub fn tasks<U: Send>(count: usize, with: impl Fn(usize) -> U + Send + Sync) -> Vec<U> {
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().with_max_len(1).map(with).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..count).map(with).collect();
}

/// What becomes of each item.
pub fn map<T: Sync, U: Send>(items: &[T], with: impl Fn(&T) -> U + Send + Sync) -> Vec<U> {
    times(items.len(), |index| with(&items[index]))
}

/// What becomes of each item, which may be changed.
pub fn map_mut<T: Send, U: Send>(items: &mut [T], with: impl Fn(&mut T) -> U + Send + Sync) -> Vec<U> {
    #[cfg(feature = "parallel")]
    return items.par_iter_mut().map(with).collect();
    #[cfg(not(feature = "parallel"))]
    return items.iter_mut().map(with).collect();
}

/// What becomes of each item, or what is wrong with the first for which that is
/// so, whichever was seen first.
///
/// # Errors
/// That of the first item that has one.
pub fn try_map<T: Sync, U: Send, E: Send>(
    items: &[T],
    with: impl Fn(&T) -> Result<U, E> + Send + Sync,
) -> Result<Vec<U>, E> {
    map(items, with).into_iter().collect()
}

/// As [`try_map`], for items that may be changed.
///
/// # Errors
/// That of the first item that has one.
pub fn try_map_mut<T: Send, U: Send, E: Send>(
    items: &mut [T],
    with: impl Fn(&mut T) -> Result<U, E> + Send + Sync,
) -> Result<Vec<U>, E> {
    map_mut(items, with).into_iter().collect()
}

/// As [`tasks`], for items that may fail: once one has, no other is begun.
///
/// # Errors
/// That of the first item that was seen to have one.
pub fn try_tasks<U: Send, E: Send>(
    count: usize,
    with: impl Fn(usize) -> Result<U, E> + Send + Sync,
) -> Result<Vec<U>, E> {
    #[cfg(feature = "parallel")]
    return (0..count).into_par_iter().with_max_len(1).map(with).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..count).map(with).collect();
}

/// What the first item gives that gives anything; of those behind it, as few as
/// may be are asked.
pub fn find_first<T: Sync, U: Send>(items: &[T], with: impl Fn(&T) -> Option<U> + Send + Sync) -> Option<U> {
    #[cfg(feature = "parallel")]
    return items.par_iter().find_map_first(with);
    #[cfg(not(feature = "parallel"))]
    return items.iter().find_map(with);
}

/// Works on pieces of a list of so many items each (the last may be shorter);
/// each is told its number.
///
/// # Errors
/// That of the first piece that has one.
///
/// # Panics
/// When pieces have no items.
pub fn try_chunks_mut<T: Send, E: Send>(
    items: &mut [T],
    length: usize,
    with: impl Fn(usize, &mut [T]) -> Result<(), E> + Send + Sync,
) -> Result<(), E> {
    #[cfg(feature = "parallel")]
    let results: Vec<_> = items.par_chunks_mut(length).enumerate().map(|(index, piece)| with(index, piece)).collect();
    #[cfg(not(feature = "parallel"))]
    let results: Vec<_> = items.chunks_mut(length).enumerate().map(|(index, piece)| with(index, piece)).collect();
    results.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_the_first_error_wins() {
        let items: Vec<u32> = (0..1000).collect();
        assert_eq!(map(&items, |item| item + 1), (1..=1000).collect::<Vec<_>>());
        assert_eq!(tasks(3, |index| index), [0, 1, 2]);
        assert_eq!(try_map(&items, |item| if item % 7 == 6 { Err(*item) } else { Ok(*item) }), Err(6));
        let mut changed = items.clone();
        assert_eq!(
            try_map_mut(&mut changed, |item| -> Result<(), ()> {
                *item *= 2;
                Ok(())
            })
            .unwrap()
            .len(),
            1000
        );
        assert_eq!(changed[999], 1998);
    }

    #[test]
    fn of_tasks_that_fail_not_all_are_begun_and_the_first_find_is_found() {
        let begun = std::sync::atomic::AtomicUsize::new(0);
        let failed: Result<Vec<()>, usize> = try_tasks(100_000, |index| {
            begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Err(index)
        });
        assert!(failed.is_err() && begun.into_inner() < 100_000);
        assert_eq!(try_tasks(3, Ok::<usize, ()>), Ok(vec![0, 1, 2]));
        let items: Vec<u32> = (0..1000).collect();
        assert_eq!(find_first(&items, |item| (item % 70 == 69).then_some(item + 1)), Some(70));
        assert_eq!(find_first(&items, |item| (*item > 1000).then_some(())), None);
    }

    #[test]
    fn pieces_know_their_number_and_the_last_may_be_shorter() {
        let mut rows = [0; 10];
        let number = |index: usize, row: &mut [usize]| -> Result<(), usize> {
            row.fill(10 * index + row.len());
            if index == 9 { Err(index) } else { Ok(()) }
        };
        assert_eq!(try_chunks_mut(&mut rows, 4, number), Ok(()));
        assert_eq!(rows, [4, 4, 4, 4, 14, 14, 14, 14, 22, 22]);
        assert_eq!(try_chunks_mut(&mut rows, 1, number), Err(9));
    }
}
