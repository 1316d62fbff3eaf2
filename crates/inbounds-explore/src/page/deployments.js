// Epsilons of deployments in which a trusted curator adds the noise, as the OpenDP Deployments Registry lists them
// (github.com/opendp/deployments-registry-data, MIT licence, commit 3e9c812a of 15 July 2026): those with an epsilon and a
// unit. They are context and no advice: each protects another unit over another time.

export const deployments = [
  {epsilon: 0.01, by: "Uber", name: "FLEX", unit: "Tuple-level", year: 2018},
  {epsilon: 0.1, by: "Wikimedia Foundation", name: "Wikipedia Russian Editor Activity Statistics", unit: "User account-month-level", year: 2023},
  {epsilon: 0.66, by: "Google", name: "Shared Mobility Dataset", unit: "User-trip-level", year: 2022},
  {epsilon: 1.0, by: "Wikimedia Foundation", name: "Historical Pageviews", unit: "Bounded contribution-day", year: 2023},
  {epsilon: 1.453, by: "Meta", name: "User-URL Privacy Dataset", unit: "User-level", year: 2020},
  {epsilon: 1.68, by: "Google", name: "COVID-19 Search Trends Symptoms", unit: "User-day-level", year: 2020},
  {epsilon: 2.0, by: "Meta", name: "Movement Ranges Map", unit: "User-day-level", year: 2020},
  {epsilon: 2.0, by: "Wikimedia Foundation", name: "Wikipedia Geoeditors Activity Statistics", unit: "User-month-country-level", year: 2023},
  {epsilon: 2.19, by: "Google", name: "Vaccine Search Insights", unit: "User-level", year: 2021},
  {epsilon: 2.64, by: "Google", name: "Community Mobility Place Visits", unit: "User-day-level", year: 2020},
  {epsilon: 4.0, by: "Microsoft", name: "Assistive AI", unit: "User-level", year: 2020},
  {epsilon: 4.72, by: "Recurve", name: "Energy Differential Privacy for OhmConnect Virtual Power Plant Measurement", unit: "User-level", year: 2020},
  {epsilon: 4.8, by: "LinkedIn", name: "LinkedIn Hiring Reports", unit: "Event-Month-level", year: 2020},
  {epsilon: 5.0, by: "Nationwide Building Society", name: "Synthetic data to test third-party solutions in financial services", unit: "User-account-level", year: 2020},
  {epsilon: 9.98, by: "Israeli Ministry of Health", name: "Israel's National Registry of Live Births of 2014", unit: "Birth-level", year: 2024},
  {epsilon: 10.0, by: "Spectus", name: "Mobility Trends During Hurricane", unit: "User-level", year: 2022},
  {epsilon: 12.0, by: "Microsoft, International Organization for Migration", name: "CTDC Global Victim-Perpetrator Synthetic Dataset", unit: "User-level", year: 2023},
  {epsilon: 34.9, by: "LinkedIn", name: "Audience Engagement API", unit: "User-month-level", year: 2020},
];
