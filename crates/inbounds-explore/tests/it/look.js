// What is wrong with how the page looks, as a list of sentences: text without contrast, what is wider than the window,
// and pictures without a table.
(() => {
  const wrong = [];
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const channel = (value) => { const part = value / 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; };
  const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const behind = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return numbers(getComputedStyle(document.documentElement).getPropertyValue("color-scheme") === "dark" ? "rgb(18,18,18)" : "rgb(255,255,255)");
  };
  const ratio = (one, other) => { const [a, b] = [light(one), light(other)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  const seen = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility === "visible";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const node = text.parentElement;
    if (text.data.trim() === "" || !seen(node) || node.closest("script, style, option, .skip")) continue;
    texts += 1;
    const isSvg = node instanceof SVGElement;
    const colour = numbers(isSvg ? getComputedStyle(node).fill : getComputedStyle(node).color);
    if (ratio(colour, behind(node)) < 4.5) wrong.push(`contrast of "${text.data.trim().slice(0, 40)}": ${ratio(colour, behind(node)).toFixed(2)}`);
  }
  if (texts < 40) wrong.push(`only ${texts} texts were found`);
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
  for (const node of document.querySelectorAll("button, input, select, textarea, summary")) {
    if (!seen(node)) continue;
    const box = node.getBoundingClientRect();
    // What scrolls by itself, and can be reached by keys, may be wider.
    const scrolls = node.closest(".wide") !== null;
    if (!scrolls && (box.right > innerWidth + 1 || box.left < -1)) wrong.push(`${node.id || node.textContent} is outside of the window`);
    if (box.height < 20) wrong.push(`${node.id || node.textContent} is ${box.height} high: too low for a finger`);
  }
  for (const picture of document.querySelectorAll("figure svg")) {
    const place = picture.closest("article, .strip, .people");
    if (!place.classList.contains("people") && place.querySelector("table") === null) wrong.push("a picture has no table");
  }
  return wrong;
})()
