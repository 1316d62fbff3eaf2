//! Work on as many threads as there are processors.

use std::{
    num::NonZero,
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, ScopedJoinHandle},
};

/// Results of `work` for each item, in their order; each thread takes the next item that none has taken.
pub(crate) fn on_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    let next = AtomicUsize::new(0);
    let take_all = || {
        let places = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let taken = places.map_while(|place| Some((place, items.get(place)?)));
        taken.map(|(place, item)| (place, work(item))).collect::<Vec<_>>()
    };
    let mut made: Vec<(usize, R)> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(take_all)).collect();
        let ended = running.into_iter().map(ScopedJoinHandle::join);
        ended.flat_map(|made| made.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    made.sort_unstable_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, made)| made).collect()
}
