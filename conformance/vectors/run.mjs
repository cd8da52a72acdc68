// Masks, batches and identities in plain JavaScript, held to the vectors: `node run.mjs [FOLDER]`, Node 18 or newer.
//
// Written from the chapters and with nothing else, to be read by somebody who writes the same in a third language.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

class Refused extends Error {}

function refuse(message) {
  throw new Refused(message);
}

// Chapter masks: [0] * (P - 1 + n) + [1] * (C - n) + [0]. Entry i speaks of the prediction of the id at i + 1.
function masks({ prompt_ids, completion, n_ignore_prefix_tokens: n }) {
  const [P, C] = [prompt_ids.length, completion.length];
  if (n < 0 || n > C) refuse(`n_ignore_prefix_tokens is ${n}, expected 0 to ${C}`);
  const mask = [...Array(P - 1 + n).fill(0), ...Array(C - n).fill(1), 0];
  const ids = [...prompt_ids, ...completion];
  return { logprob_masks: mask, selected: ids.slice(1).filter((_, at) => mask[at] === 1) };
}

// Chapter collation: ids, then the pad id; masks, then 0; exactly max_len wide.
function collation({ samples, max_len, tokenizer }) {
  if (samples.length === 0) refuse("there are 0 samples");
  samples.forEach(({ input_ids: ids }, at) => {
    if (ids.length > max_len) refuse(`sample ${at} has ${ids.length} input_ids, more than max_len ${max_len}`);
  });
  const filled = (values, filler) => [...values, ...Array(max_len - values.length).fill(filler)];
  return {
    input_ids: samples.map((sample) => filled(sample.input_ids, tokenizer.pad_token_id)),
    logprob_masks: samples.map((sample) => filled(sample.logprob_masks, 0)),
    longest: Math.max(...samples.map((sample) => sample.input_ids.length)),
  };
}

// Chapter identity: canonical JSON of a tagged value, SHA-256 over its UTF-8 bytes.
function identity({ value, parts }) {
  if (parts === undefined) {
    const text = canonical(value);
    return { canonical: text, hex: Buffer.from(text, "utf8").toString("hex"), sha256: sha256(text) };
  }
  const names = Object.keys(parts);
  if (names.length === 0 || names.some((name) => name !== "semantics" && name !== "processor")) {
    refuse(`the parts are ${names}, expected semantics, processor or both`);
  }
  const digests = Object.fromEntries(names.map((name) => [name, sha256(canonical(parts[name]))]));
  const text = canonical({ map: Object.entries(digests) });
  return { parts: digests, canonical: text, sha256: sha256(text) };
}

function sha256(text) {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function canonical(tree) {
  if (tree === null || typeof tree === "boolean") return String(tree);
  if (typeof tree === "string" || "utf16" in tree) return quoted(textOf(tree));
  if ("int" in tree) return BigInt(tree.int).toString(); // a number would lose digits beyond 2 ** 53
  if ("float" in tree) return float(Number(tree.float));
  if ("list" in tree) return `[${tree.list.map(canonical).join(",")}]`;
  const pairs = tree.map.map(([key, value]) => [textOf(key), canonical(value)]).sort(([a], [b]) => byCodePoint(a, b));
  pairs.forEach(([key], at) => {
    if (at > 0 && key === pairs[at - 1][0]) refuse(`the key ${key} is there twice`);
  });
  return `{${pairs.map(([key, text]) => `${quoted(key)}:${text}`).join(",")}}`;
}

function textOf(tree) {
  if (typeof tree === "string") return tree;
  if (tree === null || tree.utf16 === undefined) refuse(`${JSON.stringify(tree)} is no string`);
  return String.fromCharCode(...(tree.utf16.match(/.{4}/g) ?? []).map((unit) => parseInt(unit, 16)));
}

// `<` on strings compares UTF-16 code units, which puts U+1F600 before U+FB33.
function byCodePoint(a, b) {
  const [left, right] = [a, b].map((text) => Array.from(text, (one) => one.codePointAt(0)));
  const at = left.findIndex((code, index) => code !== right[index]);
  return at < 0 ? left.length - right.length : left[at] - (right[at] ?? -1);
}

function quoted(text) {
  if (/\p{Surrogate}/u.test(text)) refuse("a string holds a lone surrogate");
  const short = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };
  const escape = (one) => short[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${text.replace(/["\\\u0000-\u001f]/g, escape)}"`;
}

// JavaScript finds the same shortest digits as the rule asks for, and writes them in another way.
function float(number) {
  if (!Number.isFinite(number)) refuse(`${number} has no canonical form`);
  const [, digits, power] = Math.abs(number).toExponential().match(/^(.*)e(.*)$/);
  const [d, e] = [digits.replace(".", ""), Number(power)];
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  if (e < -4 || e > 15) return `${sign}${digits}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  if (e < 0) return `${sign}0.${"0".repeat(-e - 1)}${d}`;
  return `${sign}${d.slice(0, e + 1).padEnd(e + 1, "0")}.${d.slice(e + 1) || "0"}`;
}

// A refusal has to be ours, and its message has to mention what the vector says, each as a word of its own.
function outcome(run, input) {
  try {
    return { expected: run(input) };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

function agrees(vector, got) {
  if (vector.error === undefined) return isDeepStrictEqual(got.expected, vector.expected);
  const said = (word) => new RegExp(`(?<!\\w)${word.replace(/\W/g, "\\$&")}(?!\\w)`).test(got.refused);
  return got.refused !== undefined && vector.error.mentions.every(said);
}

const folder = process.argv[2] ?? fileURLToPath(new URL(".", import.meta.url));
let failed = 0;
for (const [name, run] of Object.entries({ masks, collation, identity })) {
  const { vectors } = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  for (const vector of vectors) {
    const got = outcome(run, vector.input);
    if (agrees(vector, got)) continue;
    failed += 1;
    console.log(`${vector.id}  ${vector.note}`);
    console.log(`  expected  ${JSON.stringify(vector.expected ?? vector.error)}`);
    console.log(`  got       ${JSON.stringify(got.expected ?? got)}`);
  }
  console.log(`${name}: ${vectors.length} vectors`);
}
console.log(failed === 0 ? "all agree" : `${failed} disagree`);
process.exitCode = failed === 0 ? 0 : 1;
