// Shares in whole thousandths, which add up exactly whatever a slider does.

export const THOUSAND = 1000;

/** Whole numbers in the ratio of `parts` that add up to `total`, each at least 1: largest remainders. */
export function apportion(parts, total) {
  const sum = parts.reduce((all, part) => all + part, 0);
  const exact = parts.map((part) => (sum > 0 ? (part / sum) * total : total / parts.length));
  const whole = exact.map((part) => Math.max(1, Math.floor(part)));
  const order = exact.map((part, place) => place).sort((a, b) => (exact[b] % 1) - (exact[a] % 1) || a - b);
  let left = total - whole.reduce((all, part) => all + part, 0);
  for (let turn = 0; left !== 0 && turn < 4 * total; turn += 1) {
    const place = order[turn % order.length];
    if (left > 0) { whole[place] += 1; left -= 1; } else if (whole[place] > 1) { whole[place] -= 1; left += 1; }
  }
  return whole;
}

/** The shares after one was moved: the others keep their ratio, and the sum stays. */
export function moved(shares, place, value) {
  const total = shares.reduce((all, share) => all + share, 0);
  const most = total - (shares.length - 1);
  const own = Math.min(Math.max(1, value), most);
  const others = apportion(shares.filter((_, other) => other !== place), total - own);
  return shares.map((_, other) => (other === place ? own : others.shift()));
}

/** Thousandths as a plan has them. */
export function asWritten(share) {
  return (share / THOUSAND).toFixed(3).replace(/\.?0+$/, "");
}

/** `part / whole` of two decimals, exactly, as a fraction. */
export function exactShare(part, whole) {
  const digits = (text) => { const [a, b = ""] = text.split("."); return [BigInt(a + b), 10n ** BigInt(b.length)]; };
  const [above, aboveScale] = digits(part);
  const [below, belowScale] = digits(whole);
  const [numerator, denominator] = [above * belowScale, below * aboveScale];
  let [a, b] = [numerator, denominator];
  while (b) [a, b] = [b, a % b];
  return denominator / a === 1n ? `${numerator / a}` : `${numerator / a}/${denominator / a}`;
}
