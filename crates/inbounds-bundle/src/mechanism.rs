//! The numbers of noise and of post-processing, under the keys that their kinds state.

use std::fmt;

use inbounds_core::{Named, Rational};
use inbounds_mechanisms::{
    bounding::{GridMap, PiecewiseLinear},
    noise::{
        DiscreteCube, DiscreteGaussian, DiscreteGeneralisedGaussian, DiscreteLaplace, DiscreteStaircase, GridNoise,
        NoiseKind, RankAcceptance, Record,
    },
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::Value;

use crate::Exact;

/// Exact parameters of noise. Each kind has a key of its own, and the keys of other kinds hold null.
///
/// ```
/// use inbounds_bundle::ParametersEntry;
/// use inbounds_mechanisms::noise::{DiscreteStaircase, GridNoise};
///
/// let noise = GridNoise::Staircase(DiscreteStaircase::new("1".parse()?, 5, 2)?);
/// let entry = ParametersEntry::from(&noise);
/// assert_eq!(entry.sentence().as_deref(), Some("stairs of 5 steps, 2 of them high"));
/// let json = serde_json::to_value(&entry).expect("JSON");
/// assert_eq!(json["staircase"], serde_json::json!({ "stair": "5", "high": "2" }));
/// assert!(json["inverse_scale_per_step"].is_null());
/// assert_eq!(serde_json::from_value::<ParametersEntry>(json).expect("parameters"), entry);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParametersEntry(Option<(NoiseKind, Vec<Exact>)>);

impl From<&GridNoise> for ParametersEntry {
    fn from(noise: &GridNoise) -> Self {
        Self(Some((noise.kind(), noise.law().parameters().iter().map(Exact::from).collect())))
    }
}

impl ParametersEntry {
    /// The law of cube noise with these parameters, if they are such.
    pub fn cube(&self) -> Option<DiscreteCube> {
        let (NoiseKind::Cube, [inverse_scale, parts, dimensions]) =
            self.0.as_ref().map(|(kind, values)| (*kind, values.as_slice()))?
        else {
            return None;
        };
        let integer = |value: &Exact| u64::try_from(value.0.floor().filter(|_| value.0.is_integer())?).ok();
        DiscreteCube::new(inverse_scale.0.clone(), usize::try_from(integer(dimensions)?).ok()?, integer(parts)?).ok()
    }

    /// The law with these parameters; `level` is the epsilon of a stair, which manifests do not state beside its
    /// lengths. None where this version knows no such parameters, they are those of no law, or the noise is a factor.
    ///
    /// ```
    /// use inbounds_bundle::ParametersEntry;
    /// use inbounds_mechanisms::noise::{DiscreteLaplace, GridNoise};
    ///
    /// let noise = GridNoise::Laplace(DiscreteLaplace::with_inverse_scale("0.25".parse()?)?);
    /// assert_eq!(ParametersEntry::from(&noise).noise(None), Some(noise));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn noise(&self, level: Option<&Rational>) -> Option<GridNoise> {
        let (kind, values) = self.0.as_ref()?;
        let integer = |value: &Exact| u64::try_from(value.0.floor().filter(|_| value.0.is_integer())?).ok();
        match (kind, values.as_slice()) {
            (NoiseKind::Laplace, [inverse_scale]) => {
                DiscreteLaplace::with_inverse_scale(inverse_scale.0.clone()).ok().map(GridNoise::Laplace)
            }
            (NoiseKind::Gaussian, [variance]) => {
                DiscreteGaussian::with_variance_parameter(variance.0.clone()).ok().map(GridNoise::Gaussian)
            }
            (NoiseKind::Staircase, [stair, high]) => {
                DiscreteStaircase::new(level?.clone(), integer(stair)?, integer(high)?).ok().map(GridNoise::Staircase)
            }
            (NoiseKind::GeneralisedGaussian, [shape, rate]) => {
                let shape = u32::try_from(integer(shape)?).ok()?;
                DiscreteGeneralisedGaussian::new(shape, rate.0.clone()).ok().map(GridNoise::GeneralisedGaussian)
            }
            (NoiseKind::Cube, _) => self.cube().map(GridNoise::Cube),
            (NoiseKind::Ranks, [rate]) => {
                let law = DiscreteLaplace::with_inverse_scale(rate.0.clone()).ok()?;
                Some(GridNoise::Ranks(RankAcceptance::new(law)))
            }
            // It multiplies: what it does to a number is not the law of a summand.
            (NoiseKind::LogLaplace, _) => None,
            (
                NoiseKind::Laplace
                | NoiseKind::Gaussian
                | NoiseKind::Staircase
                | NoiseKind::Ranks
                | NoiseKind::GeneralisedGaussian,
                _,
            ) => None,
        }
    }

    /// The parameters in words, such as "inverse scale 0.1 per step"; `None` where this version knows none.
    pub fn sentence(&self) -> Option<String> {
        let (kind, values) = self.0.as_ref()?;
        let about = kind.about();
        let parts = about.record.parameters().iter().zip(values);
        let parts: Vec<String> = parts.map(|(one, value)| format!("{}{value}{}", one.before, one.after)).collect();
        Some(parts.join(", "))
    }
}

impl Serialize for ParametersEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kinds = NoiseKind::all();
        let mut map = serializer.serialize_map(Some(kinds.len()))?;
        for kind in kinds {
            let values = self.0.as_ref().filter(|(own, _)| own == kind).map(|(_, values)| values);
            match (kind.about().record, values) {
                (Record::Number(parameter), values) => {
                    map.serialize_entry(parameter.key, &values.and_then(|values| values.first()))?;
                }
                (Record::Object { key, parameters }, values) => {
                    let named = |values: &Vec<Exact>| {
                        Fields(parameters.iter().zip(values).map(|(one, value)| field(one.key, value)).collect())
                    };
                    map.serialize_entry(key, &values.map(named))?;
                }
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ParametersEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        for kind in NoiseKind::all() {
            let record = kind.about().record;
            let Some(field) = fields.get(record.key()).filter(|field| !field.is_null()) else { continue };
            let number = |key: &str| match record {
                Record::Number(_) => exact(field),
                Record::Object { .. } => exact(&field[key]),
            };
            let values: Option<Vec<Exact>> = record.parameters().iter().map(|one| number(one.key)).collect();
            let values = values.ok_or_else(|| de::Error::custom(format!("`{}` has no exact numbers", record.key())))?;
            return Ok(Self(Some((*kind, values))));
        }
        Ok(Self(None))
    }
}

fn exact(value: &Value) -> Option<Exact> {
    value.as_str()?.parse::<Rational>().ok().map(Exact)
}

/// Map from a measurement to its estimate: the name of the map, and its numbers in steps.
///
/// ```
/// use inbounds_bundle::ProcessingEntry;
/// use inbounds_mechanisms::bounding::{GridMap, Rule};
///
/// let entry = ProcessingEntry::from(&Rule::Stretch { dead: 2.0 } as &dyn GridMap);
/// let json = serde_json::to_string(&entry).expect("JSON");
/// assert_eq!(json, "{\"rule\":\"stretch\",\"dead\":2.0}");
/// assert_eq!(serde_json::from_str::<ProcessingEntry>(&json).expect("an entry"), entry);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessingEntry(Fields);

impl From<&dyn GridMap> for ProcessingEntry {
    fn from(map: &dyn GridMap) -> Self {
        let record = map.record();
        let numbers = record.numbers.into_iter().map(|(key, number)| field(key, number));
        let estimates = (!record.estimates.is_empty()).then(|| field(ESTIMATES, record.estimates));
        Self(Fields(std::iter::once(field("rule", record.rule)).chain(numbers).chain(estimates).collect()))
    }
}

/// The key of the estimates of a table.
const ESTIMATES: &str = "estimates";

impl ProcessingEntry {
    /// The map of a rule of one's own, if it is one.
    ///
    /// ```
    /// use inbounds_bundle::ProcessingEntry;
    /// use inbounds_mechanisms::bounding::{GridMap, PiecewiseLinear};
    ///
    /// let map = PiecewiseLinear::new(-1.0, 1.0, vec![0.0, 0.0, 1.5]).expect("finite");
    /// let entry = ProcessingEntry::from(&map as &dyn GridMap);
    /// let json = serde_json::to_string(&entry).expect("JSON");
    /// assert_eq!(json, r#"{"rule":"table","first":-1.0,"spacing":1.0,"estimates":[0.0,0.0,1.5]}"#);
    /// assert_eq!(serde_json::from_str::<ProcessingEntry>(&json).expect("an entry").table(), Some(map));
    /// ```
    pub fn table(&self) -> Option<PiecewiseLinear> {
        self.0.get("rule").filter(|rule| rule.as_str() == Some(PiecewiseLinear::NAME))?;
        let number = |key: &str| self.0.get(key)?.as_f64();
        let estimates: Option<Vec<f64>> = self.0.get(ESTIMATES)?.as_array()?.iter().map(Value::as_f64).collect();
        PiecewiseLinear::new(number("first")?, number("spacing")?, estimates?)
    }
}

impl Serialize for ProcessingEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ProcessingEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Fields::deserialize(deserializer).map(Self)
    }
}

/// The fields of an object in the order of the file.
#[derive(Debug, Clone, PartialEq)]
struct Fields(Vec<(String, Value)>);

impl Fields {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

fn field(key: &str, value: impl Serialize) -> (String, Value) {
    (key.to_owned(), serde_json::to_value(value).expect("words and numbers are JSON"))
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
