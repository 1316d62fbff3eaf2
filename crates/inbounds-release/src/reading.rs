//! A plan is read, and all that is wrong with it is said at once: what its text shows, and what the data show of the
//! parts in which nothing else is wrong.

use inbounds_data::{DataError, Engine as _, MemoryRows, Query};
use inbounds_input::document::{DocumentErrors, Mistake, Regions};

use crate::{
    ReleaseError,
    error::Refused,
    open_data::open,
    opened_plan::OpenedPlan,
    plan::{Rejected, Sound},
};

/// All mistakes of a refused plan.
pub(crate) fn with_data_mistakes(rejected: Rejected, rows: Option<MemoryRows>) -> DocumentErrors {
    let (name, text, mut mistakes, sound) = match rejected {
        Rejected::Unread(errors) => return errors,
        Rejected::Mistaken { name, text, mistakes, sound } => (name, text, mistakes, sound),
    };
    if let Some(mut sound) = sound {
        if let Some(rows) = rows {
            sound.plan = sound.plan.with_rows(rows);
        }
        let regions = Regions::new(&text, &mistakes);
        let of_data = held_against_data(&sound, &regions);
        // A second mistake at the very same place says the first one again.
        let is_new = |mistake: &Mistake| mistakes.iter().all(|known| known.span != mistake.span);
        let of_data: Vec<Mistake> = of_data.into_iter().filter(is_new).collect();
        mistakes.extend(of_data);
    }
    DocumentErrors::new(&name, &text, mistakes)
}

/// Mistakes of a refused plan that the data show, less what may follow from those that are known.
fn held_against_data(Sound { plan, left }: &Sound, regions: &Regions) -> Vec<Mistake> {
    let path = &plan.data.path.span;
    let (engine, mut mistakes) = match open(plan, &left.named) {
        Ok(opened) => opened,
        // Whatever else [data] says, there is no file.
        Err(Refused::Other(ReleaseError::Data(error)))
            if regions.sound(path) || matches!(error, DataError::NoFiles { .. } | DataError::NoRows) =>
        {
            return vec![plan.mistake(path.clone(), error.to_string(), None)];
        }
        // The first line names no column. With another mistake in [data], that may be what follows from it.
        Err(Refused::Mistakes(mistakes)) if regions.sound(path) => return mistakes,
        Err(_) => return Vec::new(),
    };
    let of_sound = plan.statistics.iter().filter_map(|statistic| statistic.filter.as_ref());
    let conditions = left.conditions.iter().chain(of_sound.filter(|_| left.privacy));
    for condition in conditions {
        let query = Query { filter: Some(condition.value.clone()), ..Query::default() };
        mistakes.extend(
            engine.check(&query).err().map(|error| plan.mistake(condition.span.clone(), error.to_string(), None)),
        );
    }
    if left.privacy {
        return mistakes;
    }
    match OpenedPlan::prepare_with(plan, Box::new(engine), mistakes) {
        Err(Refused::Mistakes(mistakes)) => mistakes,
        // What all statistics cost together is known when all of them are right.
        _ => Vec::new(),
    }
}
