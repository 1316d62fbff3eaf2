//! One study a procedure.

use inbounds_statistics::proportion::Negative;

use super::{
    super::mechanism::Mechanism,
    procedure::Procedure,
    results::{EPSILONS, FIRST, FIRST_PAIR, LAST, ROWS, Results, Setting},
};
use crate::{Check, Claim, Context, Findings, Paper, Study, StudyError};

const REPLICATES: u64 = 20_000;

pub(in crate::liu) const RESCALING: Study = Study {
    id: "liu-rescaling",
    paper: Paper::Liu,
    place: "Section 4.2, re-scaling",
    claim: "Shares 0.1, 0.2, 0.3 and 0.4 of a sample are sanitised one by one and divided by their sum. Few rows and a small \
            epsilon given, clamping is the less biased, and conditioning has the smaller error and the better coverage; at \
            epsilon 1 coverage is about 95 % at all `n`.",
    replicates: REPLICATES,
    compute: rescaling,
};

pub(in crate::liu) const MULTIPLE_SYNTHESIS: Study = Study {
    id: "liu-multiple-synthesis",
    paper: Paper::Liu,
    place: "Section 4.2, multiple synthesis",
    claim: "The mean of five re-scaled releases at a fifth of epsilon each, with an interval that counts what lies between \
            them, repairs the coverage, at the price of bias.",
    replicates: REPLICATES,
    compute: multiple_synthesis,
};

pub(in crate::liu) const ALL_BUT_ONE: Study = Study {
    id: "liu-all-but-one",
    paper: Paper::Liu,
    place: "Section 4.2, all-but-one",
    claim: "If only `p2`, `p3` and `p4` are sanitised and `p1` is calculated from them, `p1` is much worse off.",
    replicates: REPLICATES,
    compute: all_but_one,
};

pub(in crate::liu) const UNIVERSAL_HISTOGRAM: Study = Study {
    id: "liu-universal-histogram",
    paper: Paper::Liu,
    place: "Section 4.2, universal histogram",
    claim: "Sanitising the two pairs and the four shares at half of epsilon each is worse for the shares than re-scaling.",
    replicates: REPLICATES,
    compute: universal_histogram,
};

pub(in crate::liu) const PAIR_SUMS: Study = Study {
    id: "liu-pair-sums",
    paper: Paper::Liu,
    place: "Section 4.2, sums of pairs",
    claim: "The universal histogram measures the sums `p1 + p2` and `p3 + p4` directly, which re-scaling adds up.",
    replicates: REPLICATES,
    compute: pair_sums,
};

/// The case of few rows and a small epsilon.
fn hard(mechanism: Mechanism, procedure: Procedure) -> Setting {
    Setting { rows: 50, epsilon: 0.1, mechanism, procedure }
}

/// A number with its standard error, less another.
fn difference(more: (f64, f64), less: (f64, f64)) -> (f64, f64) {
    (more.0 - less.0, libm::hypot(more.1, less.1))
}

fn above((value, error): (f64, f64), what: &str) -> Check {
    Check::reproduced(what, Claim::Above(0.0), value, error)
}

fn size((value, error): (f64, f64)) -> (f64, f64) {
    (value.abs(), error)
}

fn findings(
    results: &Results,
    title: &str,
    target: usize,
    curves: Curves<'_>,
    checks: Vec<Check>,
    prose: &str,
) -> Findings {
    Findings {
        tables: vec![results.table()],
        figure: Some(results.figure(title, target, curves)),
        checks,
        prose: format!("Simulated in continuous noise. {prose}"),
        substitute: None,
    }
}

/// Names, procedures and mechanisms of curves.
type Curves<'a> = &'a [(&'a str, Procedure, Mechanism)];

/// One procedure with every mechanism, and the original data.
fn of_mechanisms(procedure: Procedure) -> [(&'static str, Procedure, Mechanism); 4] {
    let [clamped, published, exact] = Mechanism::ALL.map(|mechanism| (mechanism.name(), procedure, mechanism));
    [clamped, published, exact, (Procedure::Original.name(), Procedure::Original, Mechanism::Clamped)]
}

fn rescaling(context: &Context<'_>) -> Result<Findings, StudyError> {
    let procedure = Procedure::Rescaling;
    let results = Results::new(context, &[procedure])?;
    let of = |mechanism| results.of(hard(mechanism, procedure), FIRST);
    let [clamped, published, exact] = Mechanism::ALL.map(of);
    let of_last = Mechanism::ALL.map(|mechanism| results.of(hard(mechanism, procedure), LAST).rmse().0);
    let left = (of_last[0] - of_last[2]) / (of_last[0] - of_last[1]);
    let turned = difference(clamped.rmse(), exact.rmse());
    let why = "at the scale that keeps epsilon the order turns";
    let mut checks = vec![
        above(
            difference(size(published.bias()), size(clamped.bias())),
            "bias of p1, n = 50, epsilon 0.1: published scale less clamped",
        ),
        above(
            difference(clamped.rmse(), published.rmse()),
            "RMSE of p1, n = 50, epsilon 0.1: clamped less published scale",
        ),
        Check::differs(
            "RMSE of p1, n = 50, epsilon 0.1: clamped less exact scale",
            Claim::Above(0.0),
            turned.0,
            turned.1,
            why,
            None,
        ),
        above(
            difference(published.coverage(), clamped.coverage()),
            "coverage of p1, n = 50, epsilon 0.1: published scale less clamped",
        ),
    ];
    let why = "Wald's interval covers less for a small share in few rows, even on the original data";
    for (mechanism, procedure) in [(Mechanism::Clamped, procedure), (Mechanism::Clamped, Procedure::Original)] {
        let (found, error) = results.of(Setting { rows: 50, epsilon: 1.0, mechanism, procedure }, FIRST).coverage();
        let what = format!("coverage of p1, n = 50, epsilon 1, {}", procedure.name());
        let claimed = Claim::Is { value: 0.95, within: 0.01 };
        checks.push(Check::differs(what, claimed, found, error, why, Some(14)));
    }
    let easy = Setting { rows: 500, epsilon: 1.0, mechanism: Mechanism::Clamped, procedure };
    let (found, error) = results.of(easy, LAST).coverage();
    let claimed = Claim::Is { value: 0.95, within: 0.01 };
    checks.push(Check::reproduced("coverage of p4, n = 500, epsilon 1, clamped", claimed, found, error));
    let prose = format!(
        "The order of the two mechanisms is that of the paper at the published scale, which is not private. At the exact scale \
         conditioning has the larger error for `p1`, and of its advantage for `p4` {:.0} % are left (n = 50, epsilon 0.1). \
         Intervals that ignore the noise cover far too little at small epsilon, whichever the mechanism.",
        100.0 * left,
    );
    Ok(findings(&results, "Re-scaling", FIRST, &of_mechanisms(procedure), checks, &prose))
}

fn multiple_synthesis(context: &Context<'_>) -> Result<Findings, StudyError> {
    let procedure = Procedure::MultipleSynthesis;
    let results = Results::new(context, &[procedure, Procedure::Rescaling])?;
    let mut checks = Vec::new();
    for mechanism in Mechanism::ALL {
        let [many, one] =
            [procedure, Procedure::Rescaling].map(|procedure| results.of(hard(mechanism, procedure), FIRST));
        let what = |measure: &str| {
            format!("{measure} of p1, n = 50, epsilon 0.1, {}: five releases less one", mechanism.name())
        };
        checks.push(above(difference(many.coverage(), one.coverage()), &what("coverage")));
        checks.push(above(difference(size(many.bias()), size(one.bias())), &what("bias")));
    }
    let prose = "Both halves of the claim hold for all mechanisms. The intervals count the noise, which Wald's do not, but not the \
                 bias that clamping and conditioning add at a fifth of epsilon, so they still miss the level where that is \
                 large.";
    Ok(findings(&results, "Multiple synthesis", FIRST, &of_mechanisms(procedure), checks, prose))
}

fn all_but_one(context: &Context<'_>) -> Result<Findings, StudyError> {
    let [kept, zeroed] = [Negative::Kept, Negative::Zeroed].map(Procedure::AllButOne);
    let results = Results::new(context, &[kept, zeroed, Procedure::Rescaling])?;
    let mut checks = Vec::new();
    for mechanism in Mechanism::ALL {
        let [rescaled, calculated] =
            [Procedure::Rescaling, kept].map(|procedure| results.of(hard(mechanism, procedure), FIRST));
        let what =
            |measure: &str, order: &str| format!("{measure} of p1, n = 50, epsilon 0.1, {}: {order}", mechanism.name());
        let coverage = difference(rescaled.coverage(), calculated.coverage());
        checks.push(above(coverage, &what("coverage", "re-scaling less all-but-one")));
        let rmse = difference(calculated.rmse(), rescaled.rmse());
        checks.push(above(rmse, &what("RMSE", "all-but-one less re-scaling")));
    }
    let curves = [
        ("re-scaling, clamped", Procedure::Rescaling, Mechanism::Clamped),
        ("negative kept, clamped", kept, Mechanism::Clamped),
        ("negative zeroed, clamped", zeroed, Mechanism::Clamped),
        ("negative kept, exact scale", kept, Mechanism::Exact),
        ("negative zeroed, exact scale", zeroed, Mechanism::Exact),
    ];
    let prose = "The calculated share takes the noise of all others, and can come out negative, on which the paper is silent: it is \
                 either kept, or made zero and the others divided by their sum.";
    Ok(findings(&results, "All but one", FIRST, &curves, checks, prose))
}

fn universal_histogram(context: &Context<'_>) -> Result<Findings, StudyError> {
    let procedure = Procedure::UniversalHistogram;
    let results = Results::new(context, &[procedure, Procedure::Rescaling])?;
    let mut checks = Vec::new();
    for mechanism in Mechanism::ALL {
        for (share, target) in [("p1", FIRST), ("p4", LAST)] {
            let at = |procedure| results.of(Setting { rows: 500, epsilon: 0.1, mechanism, procedure }, target);
            let (tree, plain) = (at(procedure), at(Procedure::Rescaling));
            let what =
                format!("RMSE of {share}, n = 500, epsilon 0.1, {}: histogram less re-scaling", mechanism.name());
            checks.push(above(difference(tree.rmse(), plain.rmse()), &what));
            let what =
                format!("coverage of {share}, n = 500, epsilon 0.1, {}: re-scaling less histogram", mechanism.name());
            checks.push(above(difference(plain.coverage(), tree.coverage()), &what));
        }
    }
    let prose = "Half of epsilon for each layer doubles the noise of the shares, and the sums of pairs win only part of it back.";
    Ok(findings(&results, "Universal histogram", FIRST, &of_mechanisms(procedure), checks, prose))
}

fn pair_sums(context: &Context<'_>) -> Result<Findings, StudyError> {
    let (tree, plain) = (Procedure::UniversalHistogram, Procedure::Rescaling);
    let results = Results::new(context, &[tree, plain])?;
    // Root mean square errors of the first pair by the histogram over those by re-scaling, with standard errors.
    let ratios = |mechanism| -> Vec<(f64, f64)> {
        let ratio = |(rows, epsilon)| {
            let of = |procedure| results.of(Setting { rows, epsilon, mechanism, procedure }, FIRST_PAIR).rmse();
            let ((own, own_error), (other, other_error)) = (of(tree), of(plain));
            (own / other, own / other * libm::hypot(own_error / own, other_error / other))
        };
        ROWS.into_iter().flat_map(|rows| EPSILONS.map(|epsilon| (rows, epsilon))).map(ratio).collect()
    };
    let mut checks = Vec::new();
    for (mechanism, limits) in Mechanism::ALL.into_iter().zip([(0.9, 1.1), (0.9, 1.1), (0.9, 1.15)]) {
        let mut ratios = ratios(mechanism);
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let what =
            |end: &str| format!("{end} RMSE of p1 + p2 by the histogram over that by re-scaling, {}", mechanism.name());
        let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
        checks.push(Check::ours(what("least"), Claim::AtLeast(limits.0), least.0, least.1));
        checks.push(Check::ours(what("largest"), Claim::AtMost(limits.1), most.0, most.1));
    }
    let curves = [
        ("re-scaling, clamped", plain, Mechanism::Clamped),
        ("universal histogram, clamped", tree, Mechanism::Clamped),
        ("re-scaling, exact scale", plain, Mechanism::Exact),
        ("universal histogram, exact scale", tree, Mechanism::Exact),
    ];
    let prose = "With two children a node, what the direct measurement of a sum wins the halved epsilon takes away again: its error \
                 is within a few per cent of that of re-scaled shares added up, at every `n` and epsilon.";
    Ok(findings(&results, "Sums of pairs", FIRST_PAIR, &curves, checks, prose))
}
