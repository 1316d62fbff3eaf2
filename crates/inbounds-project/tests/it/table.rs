//! Tables and their margins, against the solvers of linear systems.

use std::collections::HashMap;

use inbounds_project::{
    certificate::Status,
    constraint::{Bounds, Rows, System},
    linear,
    table::{self, Axes, FittedMargin, MeasuredMargin, TableNumbers, TableRefusal, TableSystem, top_down},
};

use crate::draws::Draws;

/// A table of counts, mostly small and often zero.
fn counts(draws: &mut Draws, cells: usize) -> Vec<f64> {
    (0..cells).map(|_| if draws.chance(0.6) { 0.0 } else { draws.between(0, 12) as f64 }).collect()
}

fn cells_of(sizes: &[usize], axes: Axes) -> usize {
    axes.iter().map(|axis| sizes[axis]).product()
}

/// Which cell of a margin each cell of a larger one is part of, digit by digit.
pub(crate) fn parts(sizes: &[usize], outer: Axes, inner: Axes) -> Vec<usize> {
    let part = |mut cell: usize| {
        let (mut index, mut stride) = (0, 1);
        for axis in outer.iter().collect::<Vec<_>>().into_iter().rev() {
            let code = cell % sizes[axis];
            cell /= sizes[axis];
            if inner.contains(axis) {
                index += code * stride;
                stride *= sizes[axis];
            }
        }
        index
    };
    (0..cells_of(sizes, outer)).map(part).collect()
}

fn sums(sizes: &[usize], outer: Axes, cells: &[f64], inner: Axes) -> Vec<f64> {
    let mut sums = vec![0.0; cells_of(sizes, inner)];
    parts(sizes, outer, inner).into_iter().zip(cells).for_each(|(part, cell)| sums[part] += cell);
    sums
}

/// Measurements of margins of a random table, with Laplace noise of their variances; those of variance zero are exact.
fn measured(draws: &mut Draws, sizes: &[usize], margins: &[(Axes, f64)]) -> TableSystem {
    let all = Axes::new(0..sizes.len());
    let truth = counts(draws, cells_of(sizes, all));
    let noisy = |&(axes, variance): &(Axes, f64)| {
        let values =
            sums(sizes, all, &truth, axes).into_iter().map(|sum| sum + draws.laplace() * (variance / 2.0).sqrt());
        MeasuredMargin { axes, values: values.collect(), variance }
    };
    TableSystem::new(sizes.to_vec(), margins.iter().map(noisy).collect()).expect("well-formed")
}

/// Any margins of a random table, at least one.
fn any(draws: &mut Draws, attributes: usize, most: usize) -> (Vec<usize>, Vec<(Axes, f64)>) {
    let sizes: Vec<usize> = (0..attributes).map(|_| draws.between(1, 6)).collect();
    let mut margins = Vec::new();
    while margins.is_empty() {
        for axes in Axes::new(0..attributes).subsets().into_iter().filter(|axes| axes.count() <= most) {
            if draws.chance(0.5) {
                margins.push((axes, [0.5, 2.0, 8.0, 32.0][draws.between(0, 4)]));
            }
        }
    }
    (sizes, margins)
}

/// Estimates of the margins by the solver of linear systems: the measured cells and rows that say that they are sums
/// of the table, whose cells have next to no weight where they were not measured.
fn by_rows(system: &TableSystem, sizes: &[usize], measured: &[MeasuredMargin]) -> HashMap<Axes, (Vec<f64>, Vec<f64>)> {
    let all = Axes::new(0..sizes.len());
    let free = cells_of(sizes, all);
    let (mut values, mut weights) = (vec![0.0; free], vec![1e-8; free]);
    let mut triplets = Vec::new();
    let mut rows = 0;
    for margin in measured {
        for (cell, part) in parts(sizes, all, margin.axes).into_iter().enumerate() {
            triplets.push((rows + part, cell, 1.0));
        }
        for (cell, value) in margin.values.iter().enumerate() {
            triplets.push((rows + cell, values.len(), -1.0));
            values.push(*value);
            weights.push(margin.variance.recip());
        }
        rows += margin.values.len();
    }
    let rows = Rows::from_triplets(values.len(), &triplets, vec![0.0; rows]).expect("well-formed");
    let solution = linear::project(&values, &weights, &System::equalities(rows.clone())).expect("well-formed");
    let covariance = linear::Covariance::new(&rows, &weights).expect("positive weights");
    let margin = |&axes: &Axes| {
        let of_cell = |part: usize| -> f64 {
            let members = parts(sizes, all, axes).into_iter().enumerate().filter(|(_, own)| *own == part);
            covariance.combination(&members.map(|(cell, _)| (cell, 1.0)).collect::<Vec<_>>()).expect("cells")
        };
        let sums = sums(sizes, all, &solution.estimates[..free], axes);
        let variances = (0..sums.len()).map(of_cell).collect();
        (axes, (sums, variances))
    };
    system.margins().iter().map(margin).collect()
}

fn close(one: &[f64], other: &[f64], tolerance: f64) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}

#[test]
fn the_closed_form_is_the_least_squares_fit() {
    let mut draws = Draws::seeded(71);
    for _ in 0..60 {
        let attributes = draws.between(1, 4);
        let (sizes, margins) = any(&mut draws, attributes, 3);
        let mut listed = Vec::new();
        let system = {
            let all = Axes::new(0..sizes.len());
            let truth = counts(&mut draws, cells_of(&sizes, all));
            for &(axes, variance) in &margins {
                let values =
                    sums(&sizes, all, &truth, axes).into_iter().map(|sum| sum + 3.0 * draws.laplace()).collect();
                listed.push(MeasuredMargin { axes, values, variance });
            }
            TableSystem::new(sizes.clone(), listed.clone()).expect("well-formed")
        };
        let expected = by_rows(&system, &sizes, &listed);
        for FittedMargin { axes, values, variance } in table::linear(&system).expect("nothing is exact") {
            let (sums, variances) = &expected[&axes];
            assert!(close(&values, sums, 1e-4), "{sizes:?} {margins:?} {axes}: {values:?} {sums:?}");
            assert!(close(&vec![variance; sums.len()], variances, 1e-4), "{axes}: {variance} {variances:?}");
        }
    }
}

/// True if all margins are sums of each other, as well as doubles can.
fn adds_up(system: &TableSystem, sizes: &[usize], margins: &[Vec<f64>], tolerance: f64) -> bool {
    let pairs = system.margins().iter().zip(margins);
    pairs.clone().all(|(&outer, cells)| {
        pairs
            .clone()
            .filter(|(inner, _)| outer.includes(**inner))
            .all(|(&inner, margin)| close(&sums(sizes, outer, cells, inner), margin, tolerance))
    })
}

/// Cells that are not negative, with these weights, next to sums that are met or, with a weight, missed: by the solver
/// of linear systems.
fn nearest(
    sizes: &[usize],
    axes: Axes,
    cells: &[f64],
    weights: &[f64],
    targets: &[(Axes, &[f64], Option<f64>)],
) -> Vec<f64> {
    let (mut values, mut weights) = (cells.to_vec(), weights.to_vec());
    let (mut triplets, mut right) = (Vec::new(), Vec::new());
    for (margin, sums, weight) in targets {
        let begin = right.len();
        triplets
            .extend(parts(sizes, axes, *margin).into_iter().enumerate().map(|(cell, part)| (begin + part, cell, 1.0)));
        for sum in *sums {
            if let Some(weight) = weight {
                triplets.push((right.len(), values.len(), -1.0));
                values.push(*sum);
                weights.push(*weight);
            }
            right.push(if weight.is_some() { 0.0 } else { *sum });
        }
    }
    let mut rows = System::equalities(Rows::from_triplets(values.len(), &triplets, right).expect("well-formed"));
    let lower = |value: usize| if value < cells.len() { 0.0 } else { f64::NEG_INFINITY };
    rows.bounds =
        Bounds::Each { lower: (0..values.len()).map(lower).collect(), upper: vec![f64::INFINITY; values.len()] };
    linear::project(&values, &weights, &rows).expect("well-formed").estimates[..cells.len()].to_vec()
}

/// The total and the margins of one attribute from the total down.
fn lines(sizes: &[usize], fit: &[FittedMargin]) -> HashMap<Axes, Vec<f64>> {
    let few: Vec<FittedMargin> = fit.iter().filter(|margin| margin.axes.count() < 2).cloned().collect();
    let computed = table::top_down_from(sizes, &few, TableNumbers::Real).expect("lists").margins;
    few.iter().map(|margin| margin.axes).zip(computed).collect()
}

/// The same with each margin of two attributes as near as it can be to its linear fit under those of one.
fn lines_and_sheets(sizes: &[usize], fit: &[FittedMargin]) -> HashMap<Axes, Vec<f64>> {
    let mut computed = lines(sizes, fit);
    for margin in fit.iter().filter(|margin| margin.axes.count() == 2) {
        let sides: Vec<_> = margin.axes.iter().map(|axis| Axes::new([axis])).collect();
        let targets: Vec<_> = sides.iter().map(|axes| (*axes, &computed[axes][..], None)).collect();
        let cells = nearest(sizes, margin.axes, &margin.values, &vec![1.0; margin.values.len()], &targets);
        computed.insert(margin.axes, cells);
    }
    computed
}

/// The stated problem of a margin of two attributes, and the weights of cells if zero cuts off many.
fn settled(sizes: &[usize], fit: &[FittedMargin], margin: &FittedMargin) -> (Vec<f64>, Option<Vec<f64>>) {
    let lines = lines(sizes, fit);
    let variance = |axes: Axes| fit.iter().find(|margin| margin.axes == axes).expect("a margin of the fit").variance;
    let sides: Vec<_> = margin.axes.iter().map(|axis| Axes::new([axis])).collect();
    let mut targets = vec![(Axes::NONE, &lines[&Axes::NONE][..], None)];
    let pull = |axes: Axes| f64::min(3.0 * margin.variance / variance(axes), 1e6);
    targets.extend(sides.iter().map(|&axes| (axes, &lines[&axes][..], Some(pull(axes)))));
    let solved = |weights: &[f64]| nearest(sizes, margin.axes, &margin.values, weights, &targets);
    let first = solved(&vec![1.0; margin.values.len()]);
    let cut = margin.values.iter().filter(|value| **value < 0.0).count();
    if cut < 4 || cut * 8 < margin.values.len() {
        return (first, None);
    }
    let weights: Vec<f64> = first.iter().map(|cell| (cell / (3.0 * margin.variance.sqrt())).max(1.0)).collect();
    (solved(&weights), Some(weights))
}

/// A margin of two attributes, its settled cells, and their weights where large ones are held.
type Sheet<'a> = (&'a FittedMargin, (Vec<f64>, Option<Vec<f64>>));

#[test]
fn a_margin_of_two_attributes_settles_those_of_one() {
    let mut draws = Draws::seeded(72);
    let (mut even, mut weighed) = (0, 0);
    for _ in 0..200 {
        let attributes = draws.between(1, 5);
        let (sizes, margins) = any(&mut draws, attributes, 2);
        let system = measured(&mut draws, &sizes, &margins);
        let solution = top_down(&system, TableNumbers::Real).expect("two attributes at most");
        assert_eq!(solution.status, Status::Optimal, "{sizes:?} {margins:?} {:?}", solution.certificate);
        assert!(solution.margins.iter().flatten().all(|x| *x >= 0.0));
        assert!(adds_up(&system, &sizes, &solution.margins, 1e-11), "{sizes:?} {margins:?}");
        let fit = table::linear(&system).expect("nothing is exact");
        let done: HashMap<Axes, &Vec<f64>> = system.margins().iter().copied().zip(&solution.margins).collect();
        let lines = lines(&sizes, &fit);
        assert!(close(done[&Axes::NONE], &lines[&Axes::NONE], 1e-12), "the total is that of the linear fit");
        let sheets: Vec<Sheet> = fit
            .iter()
            .filter(|margin| margin.axes.count() == 2)
            .map(|margin| (margin, settled(&sizes, &fit, margin)))
            .collect();
        // The first solution is near enough, not exact; sums of a row have at most the errors of its cells.
        let rough = |sheets: &mut dyn Iterator<Item = &Sheet>| {
            let tolerance = |(margin, (_, weights)): &Sheet| {
                if weights.is_some() { 0.1 * margin.variance.sqrt() } else { 1e-6 }
            };
            sheets.map(tolerance).fold(1e-6, f64::max)
        };
        let mut settled_lines = lines.clone();
        for axes in lines.keys().copied().filter(|axes| axes.count() == 1) {
            let within = || sheets.iter().filter(|(margin, _)| margin.axes.includes(axes));
            let sums: Vec<Vec<f64>> =
                within().map(|(margin, (cells, _))| sums(&sizes, margin.axes, cells, axes)).collect();
            if !sums.is_empty() {
                let mean = |cell: usize| sums.iter().map(|sums| sums[cell]).sum::<f64>() / sums.len() as f64;
                let expected: Vec<f64> = (0..sums[0].len()).map(mean).collect();
                assert!(close(done[&axes], &expected, rough(&mut within())), "{axes}: {:?} {expected:?}", done[&axes]);
            }
            // From here on with the program's own, which may differ by what is rough.
            settled_lines.insert(axes, done[&axes].clone());
        }
        for (margin, (cells, weights)) in &sheets {
            let sides: Vec<_> = margin.axes.iter().map(|axis| Axes::new([axis])).collect();
            let targets: Vec<_> = sides.iter().map(|axes| (*axes, &settled_lines[axes][..], None)).collect();
            let all = vec![1.0; margin.values.len()];
            let expected = nearest(&sizes, margin.axes, &margin.values, weights.as_ref().unwrap_or(&all), &targets);
            let tolerance = if weights.is_some() { 0.1 * margin.variance.sqrt() } else { 1e-6 };
            assert!(close(done[&margin.axes], &expected, tolerance), "{:?}\n{expected:?}", done[&margin.axes]);
            if sheets.len() == 1 {
                assert!(close(done[&margin.axes], cells, tolerance), "{:?}\n{cells:?}", done[&margin.axes]);
            }
            *(if weights.is_some() { &mut weighed } else { &mut even }) += 1;
        }
    }
    assert!(even > 50 && weighed > 15, "{even} {weighed}");
}

#[test]
fn a_table_keeps_the_margins_of_one_attribute_and_others_where_it_can() {
    let mut draws = Draws::seeded(73);
    let mut moved = 0;
    for _ in 0..200 {
        let sizes: Vec<usize> = (0..3).map(|_| draws.between(2, 5)).collect();
        let all = Axes::new(0..3);
        let margins: Vec<(Axes, f64)> = all.subsets().into_iter().map(|axes| (axes, 8.0)).collect();
        let system = measured(&mut draws, &sizes, &margins);
        let solution = top_down(&system, TableNumbers::Real).expect("one table");
        assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate);
        assert!(adds_up(&system, &sizes, &solution.margins, 1e-11));
        assert!(solution.margins.iter().flatten().all(|x| *x >= 0.0));
        let fit = table::linear(&system).expect("nothing is exact");
        let targets = lines_and_sheets(&sizes, &fit);
        for (index, axes) in system.margins().iter().enumerate() {
            match axes.count() {
                0 | 1 => assert!(close(&solution.margins[index], &targets[axes], 1e-9)),
                2 => moved += usize::from(!close(&solution.margins[index], &targets[axes], 1e-2)),
                _ => {}
            }
        }
    }
    assert!(moved > 0, "contradicting margins of two attributes occur and are met as nearly as can be");
}

/// The soft problem is that of a linear system with a cell for what each soft target is missed by.
#[test]
fn soft_targets_are_met_at_the_price_that_is_stated() {
    let mut draws = Draws::seeded(74);
    for _ in 0..40 {
        let sizes = [draws.between(2, 4), draws.between(2, 4), draws.between(2, 4)];
        let all = Axes::new(0..3);
        let margins: Vec<(Axes, f64)> =
            all.subsets().into_iter().map(|axes| (axes, [0.002, 0.5, 8.0, 32.0][draws.between(0, 4)])).collect();
        let system = measured(&mut draws, &sizes, &margins);
        let solution = top_down(&system, TableNumbers::Real).expect("one table");
        let fit = table::linear(&system).expect("nothing is exact");
        let targets = lines_and_sheets(&sizes, &fit);
        let variance = |axes| fit.iter().find(|margin| margin.axes == axes).expect("a margin of the fit").variance;
        let weight = |axes: Axes| (axes.count() == 2).then(|| f64::min(3.0 * variance(all) / variance(axes), 1e3));
        let inner = targets.iter().filter(|(axes, _)| axes.count() > 0);
        let inner: Vec<_> = inner.map(|(axes, target)| (*axes, &target[..], weight(*axes))).collect();
        let cells = &fit.last().expect("the table").values;
        let expected = nearest(&sizes, all, cells, &vec![1.0; cells.len()], &inner);
        let computed = solution.margins.last().expect("the table");
        assert!(close(computed, &expected, 1e-6), "{computed:?}\n{expected:?}");
    }
}

#[test]
fn whole_margins_add_up_exactly_and_stay_next_to_the_real_ones() {
    let mut draws = Draws::seeded(75);
    for round in 0..120 {
        let attributes = draws.between(1, 5);
        let (sizes, margins) = if round % 3 == 0 {
            let sizes: Vec<usize> = (0..3).map(|_| draws.between(1, 5)).collect();
            (sizes, Axes::new(0..3).subsets().into_iter().map(|axes| (axes, 8.0)).collect())
        } else {
            any(&mut draws, attributes, 2)
        };
        let system = measured(&mut draws, &sizes, &margins);
        let integers = top_down(&system, TableNumbers::Whole).expect("one table");
        assert_eq!(integers.status, Status::Optimal, "{sizes:?} {margins:?} {:?}", integers.certificate);
        assert!(integers.margins.iter().flatten().all(|x| *x >= 0.0 && x.fract() == 0.0));
        assert!(adds_up(&system, &sizes, &integers.margins, 0.0));
        let real = top_down(&system, TableNumbers::Real).expect("one table");
        let total = (integers.margins[0][0] - real.margins[0][0]).abs();
        assert!(total <= 0.5, "the total is rounded");
        let one = system.margins().iter().position(|axes| axes.count() == 1);
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1.0 + total;
        assert!(one.is_none_or(|one| integers.margins[one].iter().zip(&real.margins[one]).all(near)));
    }
}

#[test]
fn exact_margins_are_kept_and_contradictions_named() {
    let mut draws = Draws::seeded(76);
    let [row, column] = [Axes::new([0]), Axes::new([1])];
    for numbers in [TableNumbers::Real, TableNumbers::Whole] {
        let sizes = [3, 4];
        let truth = counts(&mut draws, 12);
        let exact = MeasuredMargin { axes: row, values: sums(&sizes, Axes::new([0, 1]), &truth, row), variance: 0.0 };
        let noisy = truth.iter().map(|x| x + 3.0 * draws.laplace()).collect();
        let cells = MeasuredMargin { axes: Axes::new([0, 1]), values: noisy, variance: 18.0 };
        let system = TableSystem::new(sizes.to_vec(), vec![cells, exact.clone()]).expect("well-formed");
        let solution = top_down(&system, numbers).expect("one table");
        assert_eq!(solution.margins[1], exact.values);
        assert_eq!(solution.margins[0], [truth.iter().sum::<f64>()]);
        assert!(adds_up(&system, &sizes, &solution.margins, 1e-12));
    }
    let exact = |axes, values: &[f64]| MeasuredMargin { axes, values: values.to_vec(), variance: 0.0 };
    let system =
        TableSystem::new(vec![2, 2], vec![exact(row, &[1.0, 2.0]), exact(column, &[1.0, 3.0])]).expect("well-formed");
    assert_eq!(top_down(&system, TableNumbers::Real), Err(TableRefusal::Contradiction(row, column)));
    let system = TableSystem::new(vec![2], vec![exact(row, &[-1.0, 2.0])]).expect("well-formed");
    assert_eq!(top_down(&system, TableNumbers::Real), Err(TableRefusal::Exact(row)));
}

#[test]
fn overlapping_margins_of_three_attributes_are_refused() {
    let margin = |axes: [usize; 3]| MeasuredMargin { axes: Axes::new(axes), values: vec![1.0; 8], variance: 1.0 };
    let system = TableSystem::new(vec![2; 4], vec![margin([0, 1, 2]), margin([1, 2, 3])]).expect("well-formed");
    let refused = top_down(&system, TableNumbers::Real).expect_err("two tables");
    assert_eq!(refused, TableRefusal::Overlap(Axes::new([0, 1, 2]), Axes::new([1, 2, 3])));
    assert!(table::linear(&system).is_ok());
}

#[test]
fn malformed_tables_are_refused() {
    let margin = |axes: Axes, values: &[f64], variance| MeasuredMargin { axes, values: values.to_vec(), variance };
    let refused = |sizes: &[usize], margins: Vec<MeasuredMargin>, part: &str| {
        let error = TableSystem::new(sizes.to_vec(), margins).expect_err("malformed").to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(&[2], Vec::new(), "number of margins");
    refused(&[0], vec![margin(Axes::NONE, &[1.0], 1.0)], "number of values of attribute 0");
    refused(&[2], vec![margin(Axes::new([1]), &[1.0], 1.0)], "attribute of margin {1}");
    refused(&[2], vec![margin(Axes::new([0]), &[1.0], 1.0)], "got 1");
    refused(&[2], vec![margin(Axes::new([0]), &[1.0, f64::NAN], 1.0)], "finite");
    refused(&[2], vec![margin(Axes::new([0]), &[1.0, 1.0], -1.0)], "variance of margin {0}");
}
