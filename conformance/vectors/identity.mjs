// Identities: canonical JSON, its digests, and the documents that hold them.

import { createHash } from "node:crypto";

import { treeOf } from "./json_text.mjs";
import { refuse } from "./refused.mjs";

// Chapter identity: canonical JSON of a tagged value, or of one that a JSON text stands for; documents, made and read.
export function identity({ value, text, document, parts }) {
  if (document !== undefined) return summedUp(declarations(document));
  if (parts !== undefined) return summedUp(Object.entries(parts));
  const written = canonical(text === undefined ? value : treeOf(textOf(text)));
  return { canonical: written, hex: Buffer.from(written, "utf8").toString("hex"), sha256: sha256(written) };
}

function sha256(text) {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

// The digests of [name, declaration] pairs. Of a document that was read, those found are third in each, and `whole`.
function summedUp(parts) {
  const names = parts.map(([name]) => name);
  if (names.length === 0 || names.some((name) => name !== "semantics" && name !== "processor")) {
    refuse(`the parts are ${names}, expected semantics, processor or both`);
  }
  const digests = Object.fromEntries(parts.map(([name, tree]) => [name, sha256(declared(name, tree))]));
  const text = canonical({ map: Object.entries(digests) });
  parts.forEach(([name, , found]) => expectDigest(`sha256 of ${name}`, found, digests[name]));
  expectDigest("sha256", parts.whole, sha256(text));
  return { parts: digests, canonical: text, sha256: sha256(text) };
}

function declared(name, tree) {
  if (!(tree?.map?.length > 0)) refuse(`the value of ${name} is no declaration`);
  const text = canonical(tree, 1, `the value of ${name}: `);
  const size = Buffer.byteLength(text, "utf8");
  if (size > 65536) refuse(`the value of ${name} has ${size} bytes, expected at most 65536`);
  return text;
}

function expectDigest(field, found, digest) {
  if (found !== undefined && found !== digest) refuse(`${field} is ${found}, expected ${digest}`);
}

function declarations(document) {
  const { schema_version: version, packer, parts, sha256: whole } = fields(document, DOCUMENT, "the document");
  if (JSON.stringify(version) !== '{"int":"1"}') refuse(`schema_version is ${JSON.stringify(version)}, expected 1`);
  if (typeof packer !== "string") refuse("packer is no text");
  if (parts?.map === undefined) refuse("parts is no map");
  const found = parts.map.map(([name, part]) => {
    const { value, sha256: digest } = fields(part, PART, `parts.${name}`);
    return [name, value, digest];
  });
  return Object.assign(found, { whole });
}

const [DOCUMENT, PART] = [["schema_version", "packer", "parts", "sha256"], ["value", "sha256"]];

function fields(tree, names, where) {
  const found = Object.fromEntries(tree?.map ?? []);
  const has = Object.keys(found);
  if (has.length !== names.length || !names.every((name) => name in found)) refuse(`${where} has ${has}, not ${names}`);
  return found;
}

function canonical(tree, level = 1, where = "") {
  if (tree === null || typeof tree === "boolean") return String(tree);
  if (typeof tree === "string" || "utf16" in tree || "repeat" in tree) return quoted(textOf(tree), where);
  if ("int" in tree) return integer(tree.int, where);
  if ("nines" in tree) return integer("9".repeat(tree.nines), where);
  if ("float" in tree) return float(Number(tree.float), where);
  if ("nest" in tree) return canonical({ list: tree.nest > 1 ? [{ nest: tree.nest - 1 }] : [] }, level, where);
  if (level > 100) refuse(`${where}more than 100 levels`);
  if ("list" in tree) return `[${tree.list.map((item) => canonical(item, level + 1, where)).join(",")}]`;
  const pairs = tree.map.map(([key, value]) => [textOf(key), canonical(value, level + 1, where)]);
  pairs.sort(([a], [b]) => byCodePoint(a, b)).forEach(([key], at) => {
    if (at > 0 && key === pairs[at - 1][0]) refuse(`${where}the key ${key} is there twice`);
  });
  return `{${pairs.map(([key, text]) => `${quoted(key, where)}:${text}`).join(",")}}`;
}

function integer(digits, where) {
  if (digits.replace("-", "").length > 4300) refuse(`${where}an integer of more than 4300 digits`);
  return BigInt(digits).toString(); // a number would lose digits beyond 2 ** 53
}

function textOf(tree) {
  if (typeof tree === "string") return tree;
  if (tree?.repeat !== undefined) return tree.repeat[0].repeat(tree.repeat[1]);
  if (tree?.utf16 === undefined) refuse(`${JSON.stringify(tree)} is no string`);
  return String.fromCharCode(...(tree.utf16.match(/.{4}/g) ?? []).map((unit) => parseInt(unit, 16)));
}

// `<` on strings compares UTF-16 code units, which puts U+1F600 before U+FB33.
function byCodePoint(a, b) {
  const [left, right] = [a, b].map((text) => Array.from(text, (one) => one.codePointAt(0)));
  const at = left.findIndex((code, index) => code !== right[index]);
  return at < 0 ? left.length - right.length : left[at] - (right[at] ?? -1);
}

function quoted(text, where) {
  if (/\p{Surrogate}/u.test(text)) refuse(`${where}a string holds a lone surrogate`);
  const short = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };
  const escape = (one) => short[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${text.replace(/["\\\u0000-\u001f]/g, escape)}"`;
}

// JavaScript finds the same shortest digits as the rule asks for, and writes them in another way.
function float(number, where) {
  if (!Number.isFinite(number)) refuse(`${where}${number} has no canonical form`);
  const [, digits, power] = Math.abs(number).toExponential().match(/^(.*)e(.*)$/);
  const [d, e] = [digits.replace(".", ""), Number(power)];
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  if (e < -4 || e > 15) return `${sign}${digits}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  if (e < 0) return `${sign}0.${"0".repeat(-e - 1)}${d}`;
  return `${sign}${d.slice(0, e + 1).padEnd(e + 1, "0")}.${d.slice(e + 1) || "0"}`;
}
