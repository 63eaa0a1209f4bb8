import { isText } from '../values/text.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export interface JsonLimits {
  readonly depth: number;
  /** The number of members and array items in the whole text. */
  readonly items: number;
}

export type JsonFaultReason =
  'syntax' | 'duplicate_name' | 'escaped_name' | 'not_text' | 'too_complex';

/** Says what is wrong without quoting the text, which may contain an identity. */
export class JsonFault extends Error {
  readonly reason: JsonFaultReason;

  constructor(reason: JsonFaultReason) {
    super(`JSON: ${reason}`);
    this.name = 'JsonFault';
    this.reason = reason;
  }
}

/**
 * JSON (RFC 8259) in which no object has the same name twice. JSON.parse keeps the last of two
 * members with the same name and other readers keep the first, so one signed text could have two
 * meanings. Names with escapes are refused because an escape could hide such a duplicate; no
 * provider needs them. A string that is no text (values/text.ts) is refused too: it could not be
 * stored, and two different names would become equal.
 * @throws JsonFault
 */
export function parseStrictJson(text: string, limits: JsonLimits): JsonValue {
  const value = parseText(text);
  checkNames(text, limits);
  return value;
}

/** A JSON object, or null for any other value. @throws JsonFault */
export function parseStrictObject(text: string, limits: JsonLimits): JsonObject | null {
  return asObject(parseStrictJson(text, limits));
}

export function asObject(value: JsonValue | undefined): JsonObject | null {
  if (typeof value !== 'object' || value === null || isArray(value)) return null;
  return value;
}

/** Only the object's own members, so that `constructor` and the like are not found. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Undefined where the member is absent or not a string. */
export function textMember(object: JsonObject, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
}

export function asArray(value: JsonValue | undefined): readonly JsonValue[] | null {
  // Array.isArray alone would give the type any[].
  return value !== undefined && isArray(value) ? value : null;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function parseText(text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse can return
    return value as JsonValue;
  } catch {
    throw new JsonFault('syntax');
  }
}

/** Whole strings, and the characters that structure the text. Numbers and literals are skipped. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** The text is already known to be valid JSON, so scanning its tokens is enough. */
function checkNames(text: string, limits: JsonLimits): void {
  const open: (Set<string> | null)[] = [];
  let items = 0;
  let last = '';
  for (const [sign] of text.matchAll(TOKENS)) {
    if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(null);
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === ':') addName(open.at(-1), last);
    else if (sign.startsWith('"')) requireText(sign);
    else if (sign === ',') items += 1;
    if (open.length > limits.depth || items >= limits.items) throw new JsonFault('too_complex');
    last = sign;
  }
}

/** @param quoted a string as it stands in the JSON; what is no text is there only as an escape */
function requireText(quoted: string): void {
  if (!quoted.includes(String.raw`\u`)) return;
  const value = parseText(quoted);
  if (typeof value === 'string' && !isText(value)) throw new JsonFault('not_text');
}

function addName(names: Set<string> | null | undefined, quoted: string): void {
  if (quoted.includes('\\')) throw new JsonFault('escaped_name');
  if (names?.has(quoted)) throw new JsonFault('duplicate_name');
  names?.add(quoted);
}
