//! Many things at a time, which are seen one after the other.

use std::{
    num::NonZero,
    sync::mpsc::{self, Receiver},
    thread,
};

/// Makes the items `0..count` on all processors, and shows them in this order, however many processors those are.
///
/// While one is looked at, others are made: of each thread at most `ahead` wait beside the one that it has at hand. Who
/// looks need not take all, and then no more are made.
///
/// # Panics
/// If `make` or `look` does; of what panicked, and what comes after it, no item is shown.
///
/// # Example
/// ```
/// let squares = inbounds_bundle::in_order(5, 1, |number| number * number, |squares| squares.take(4).collect::<Vec<_>>());
/// assert_eq!(squares, [0, 1, 4, 9]);
/// ```
pub fn in_order<T: Send, R>(
    count: usize,
    ahead: usize,
    make: impl Fn(usize) -> T + Sync,
    look: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(count);
    thread::scope(|scope| {
        let made: Vec<Receiver<T>> = (0..threads)
            .map(|first| {
                let (sender, receiver) = mpsc::sync_channel(ahead);
                let make = &make;
                // The send fails once the consumer is done.
                scope.spawn(move || (first..count).step_by(threads).all(|number| sender.send(make(number)).is_ok()));
                receiver
            })
            .collect();
        // A thread that panics sends no more, and the scope passes it on.
        look(&mut (0..count).map_while(|number| made[number % threads].recv().ok()))
    })
}
