// Masks, batches and identities in plain JavaScript, held to the vectors: `node run.mjs [FOLDER]`, Node 18 or newer.
//
// Written from the chapters and with nothing else, to be read by somebody who writes the same in a third language.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { identity } from "./identity.mjs";
import { refuse, Refused } from "./refused.mjs";

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

// A refusal has to be ours, and its message has to mention what the vector says, each as a word of its own.
function outcome(run, input) {
  try {
    return { expected: run(input) };
  } catch (error) {
    return error instanceof Refused ? { refused: error.message } : { crashed: `${error}` };
  }
}

function agrees(vector, got) {
  if (vector.error == null) return isDeepStrictEqual(got.expected, vector.expected);
  const said = (word) => new RegExp(`(?<!\\w)${word.replace(/\W/g, "\\$&")}(?!\\w)`).test(got.refused);
  return got.refused !== undefined && vector.error.mentions.every(said);
}

// The vectors of a file; a file without any, or a vector that neither expects nor refuses, would agree with everything.
function vectorsOf(folder, name) {
  const path = join(folder, `${name}.json`);
  let file;
  try {
    file = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    stop(`${path}: cannot be read: ${error.message}`);
  }
  const { vectors } = file ?? {};
  if (!Array.isArray(vectors) || vectors.length === 0) stop(`${path}: expected a file of vectors, found none in it`);
  for (const one of vectors) {
    const outcomes = [one.expected, one.error].filter((given) => given != null).length;
    if (outcomes !== 1 || typeof one.input !== "object") stop(`${path}: ${one.id}: expected one of expected and error`);
  }
  return vectors;
}

function stop(message) {
  console.error(message);
  process.exit(2);
}

if (process.argv.length > 3 || process.argv[2]?.startsWith("-")) {
  stop("usage: node run.mjs [FOLDER], where FOLDER holds masks.json and the others");
}
const folder = process.argv[2] ?? fileURLToPath(new URL(".", import.meta.url));
let failed = 0;
for (const [name, run] of Object.entries({ masks, collation, identity })) {
  const vectors = vectorsOf(folder, name);
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
