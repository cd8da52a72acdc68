// JSON texts as tagged values.

import { refuse } from "./refused.mjs";

// JSON.parse forgets which numbers had a point, and all but one of equal keys, so a text is read by hand: into tags.
export function treeOf(text) {
  let at = 0;
  const take = (pattern) => {
    const found = new RegExp(`[ \\t\\n\\r]*(${pattern.source})`, "y");
    found.lastIndex = at;
    const got = found.exec(text)?.[1];
    if (got !== undefined) at = found.lastIndex;
    return got;
  };
  const expected = (pattern) => take(pattern) ?? refuse(`at ${at} stands no ${pattern.source}`);
  const string = () => JSON.parse(expected(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/));
  const items = (close, item) => {
    const found = [];
    while (take(close) === undefined) {
      if (found.length > 0) expected(/,/);
      found.push(item());
    }
    return found;
  };
  const value = () => {
    if (take(/\[/)) return { list: items(/\]/, value) };
    if (take(/\{/)) return { map: items(/\}/, () => [string(), (expected(/:/), value())]) };
    const word = take(/true|false|null/);
    if (word !== undefined) return JSON.parse(word);
    const number = take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/);
    if (number === undefined) return string();
    return /[.eE]/.test(number) ? { float: number } : { int: number };
  };
  const whole = value();
  expected(/$/);
  return whole;
}
