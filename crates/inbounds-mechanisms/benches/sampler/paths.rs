//! The paths that are measured: the random words alone, an insecure floor, and every way to draw exactly.

use std::{hint::black_box, time::Duration};

use inbounds_mechanisms::{
    noise::{DiscreteCube, DiscreteLaplace, fill_discrete_cube},
    sampler::{Entropy, Reach, SeededEntropy, fill_conditioned, fill_discrete_laplace, sample_discrete_laplace},
};

/// Draws in a vector.
const DRAWS: usize = 1_000_000;

/// Words filled at once.
const BLOCK: usize = 500;

/// A way to draw one vector.
pub(crate) struct Path {
    /// Name of the path.
    pub(crate) name: String,
    /// Draws in one run.
    pub(crate) draws: usize,
    /// One run.
    pub(crate) run: Box<dyn FnMut()>,
}

fn path(name: &str, draws: usize, mut run: impl FnMut(&mut SeededEntropy) + 'static) -> Path {
    let mut entropy = SeededEntropy::from_seed(1);
    Path { name: name.to_owned(), draws, run: Box::new(move || run(&mut entropy)) }
}

/// Everything, quickest first where that is known beforehand.
pub(crate) fn all() -> Vec<Path> {
    let mut paths = vec![words(), floor()];
    paths.extend(
        [("2", "0.5"), ("20", "0.05"), ("200", "0.005")].map(|(b, tau)| bulk("one scale, table", b, tau, DRAWS)),
    );
    let any = [("2", "0.5"), ("1000", "0.001"), ("2^20", "0.00000095367431640625")];
    paths.extend(any.map(|(b, tau)| bulk("any scale, inversion", b, tau, 10_000)));
    paths.extend(
        [("2^41", "4.5474735088646412e-13"), ("2^60", "8.67e-19")].map(|(b, tau)| bulk("wide scale", b, tau, DRAWS)),
    );
    let widths = [("20", "0.05", 400), ("2^41", "4.5474735088646412e-13", 1 << 46)];
    paths.extend(widths.map(|(b, tau, width)| conditioned(b, tau, width)));
    paths.extend(
        [(2, "0.05"), (5, "0.05"), (2, "3.5527136788005009e-15"), (5, "3.5527136788005009e-15")]
            .map(|(d, tau)| cube(d, tau)),
    );
    paths.push(single("one draw a call", Reach::UNLIMITED));
    paths.push(single("one conditioned draw a call", Reach { below: Some(3), above: Some(90) }));
    paths
}

fn law(tau: &str) -> DiscreteLaplace {
    DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
}

/// The limit at one word a draw.
fn words() -> Path {
    let mut words = vec![0; BLOCK];
    path("ChaCha20 words alone", DRAWS, move |entropy| {
        (0..DRAWS / BLOCK).for_each(|_| entropy.fill(black_box(&mut words)));
    })
}

/// A sampler written without care for privacy: an inverse distribution function in doubles.
fn floor() -> Path {
    let (mut words, mut noise) = (vec![0; BLOCK], vec![0.0; DRAWS]);
    path("insecure floor: -2 ln(u) in doubles", DRAWS, move |entropy| {
        for noise in noise.chunks_mut(BLOCK) {
            entropy.fill(&mut words);
            for (noise, word) in noise.iter_mut().zip(&words) {
                let uniform = ((word >> 12) as f64 + 0.5) * 2f64.powi(-52);
                *noise = (-2.0 * uniform.ln()).copysign((*word as i32).into());
            }
        }
        black_box(&mut noise);
    })
}

/// Noise without limits, in vectors of a length that selects the way.
fn bulk(way: &str, scale: &str, tau: &str, length: usize) -> Path {
    let (law, mut noise) = (law(tau), vec![0; DRAWS]);
    path(&format!("{way}, b = {scale}"), DRAWS, move |entropy| {
        noise.chunks_mut(length).for_each(|noise| fill_discrete_laplace(&law, entropy, noise));
        black_box(&mut noise);
    })
}

/// Noise that keeps answers scattered over a range in it.
fn conditioned(scale: &str, tau: &str, width: u128) -> Path {
    let (law, mut noise) = (law(tau), vec![0; DRAWS]);
    let answers: Vec<i128> = (0..DRAWS as i128).map(|cell| (cell * 7919) % width as i128).collect();
    path(&format!("conditioned on a range, b = {scale}"), DRAWS, move |entropy| {
        let reach = |cell: usize| {
            let below = answers[cell].unsigned_abs();
            Reach { below: Some(below), above: Some(width - below) }
        };
        fill_conditioned(&law, reach, entropy, &mut noise);
        black_box(&mut noise);
    })
}

/// Vectors of cube noise; a draw is one number.
fn cube(dimensions: usize, tau: &str) -> Path {
    let law = DiscreteCube::new(tau.parse().expect("number"), dimensions, 1).expect("admissible");
    let mut noise = vec![0; DRAWS / 10];
    path(&format!("cubes of {dimensions} numbers, tau = {tau}"), DRAWS / 10, move |entropy| {
        fill_discrete_cube(&law, entropy, &mut noise);
        black_box(&mut noise);
    })
}

fn single(name: &str, reach: Reach) -> Path {
    let (law, draws) = (law("0.05"), DRAWS / 10);
    path(name, draws, move |entropy| {
        (0..draws).for_each(|_| _ = black_box(sample_discrete_laplace(&law, black_box(reach), entropy)));
    })
}

/// CPU time of one run, on systems that tell it; elsewhere wall time.
pub(crate) fn cpu_time(run: &mut dyn FnMut()) -> Duration {
    let start = now();
    run();
    now() - start
}

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}
