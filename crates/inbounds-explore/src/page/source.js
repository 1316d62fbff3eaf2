// Where numbers come from: the program that serves the page, or those that a page on its own brings along.

/** The program has stopped, or cannot be reached. */
export class Gone extends Error {}

/** The program answered, and refused; the message is its own. */
export class Refused extends Error {}

async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
  } catch {
    throw new Gone();
  }
  const isJson = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
  const value = isJson ? await answer.json() : null;
  if (answer.ok) return value;
  throw new Refused(value?.error ?? `the program answered ${answer.status}`);
}

/** Numbers of the program. */
const served = {
  fixed: false,
  load: () => ask("plan"),
  attempt: (question) => ask("try", question),
  compare: (question) => ask("compare", question),
  ranks: (question) => ask("ranks", question),
  save: (question) => ask("save", question),
};

/** Numbers that were computed when the page was written: at some epsilons, and at some truths. */
function precomputed(pages) {
  let place = pages.own;
  const near = (values, wanted) => values.reduce((best, value, at) =>
    (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? at : best), 0);
  return {
    fixed: true,
    epsilons: pages.views.map((one) => Math.log10(one.epsilon)),
    load: async () => ({ path: pages.path, text: pages.views[pages.own].text, digest: null }),
    attempt: async ({ text, change, truths }) => {
      if (change?.set === "epsilon") {
        place = near(pages.views.map((one) => Math.log10(one.epsilon)), Math.log10(Number(change.value)));
      } else {
        place = Math.max(0, pages.views.findIndex((one) => one.text === text));
      }
      const { text: own, view } = pages.views[place];
      const published = view.published.map((laws, statistic) => {
        if (laws === null) return null;
        const wanted = truths[view.report.statistics[statistic].name];
        return wanted === undefined ? laws[0] : laws[near(laws.map((law) => law.truth), wanted)];
      });
      return { text: own, view: { ...view, published } };
    },
    compare: async ({ statistic }) => pages.compared[statistic],
    ranks: async ({ statistic }) => pages.views[place].view.ranks[statistic],
    save: async () => { throw new Refused("this page is a copy"); },
  };
}

const brought = document.getElementById("numbers");

export const source = brought === null ? served : precomputed(JSON.parse(brought.textContent));
