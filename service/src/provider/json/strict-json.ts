export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export interface JsonLimits {
  readonly depth: number;
  /** Members and array items of the whole text. */
  readonly items: number;
}

export type JsonFaultReason = 'syntax' | 'duplicate_name' | 'escaped_name' | 'too_complex';

/** Says what is wrong, and never quotes the text: it may hold an identity. */
export class JsonFault extends Error {
  readonly reason: JsonFaultReason;

  constructor(reason: JsonFaultReason) {
    super(`JSON: ${reason}`);
    this.name = 'JsonFault';
    this.reason = reason;
  }
}

/**
 * JSON (RFC 8259) in which every name stands once in its object. JSON.parse keeps the last of two
 * members of one name where another reader keeps the first, so one signed text could mean two
 * things. Names with escapes are refused for the same reason: no honest writer hides its letters.
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

/** Only the object's own member: `constructor` and its like belong to nobody's answer. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Undefined where the member is absent or not a string. */
export function textMember(object: JsonObject, name: string): string | undefined {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
}

export function asArray(value: JsonValue | undefined): readonly JsonValue[] | null {
  // Array.isArray alone would make any[] of it.
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

/** Strings whole, and the signs that give a text its shape. Numbers and literals don't matter. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** The text is known to be JSON here, so that a walk over its signs is enough. */
function checkNames(text: string, limits: JsonLimits): void {
  const open: (Set<string> | null)[] = [];
  let items = 0;
  let last = '';
  for (const [sign] of text.matchAll(TOKENS)) {
    if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(null);
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === ':') addName(open.at(-1), last);
    else if (sign === ',') items += 1;
    if (open.length > limits.depth || items >= limits.items) throw new JsonFault('too_complex');
    last = sign;
  }
}

function addName(names: Set<string> | null | undefined, quoted: string): void {
  if (quoted.includes('\\')) throw new JsonFault('escaped_name');
  if (names?.has(quoted)) throw new JsonFault('duplicate_name');
  names?.add(quoted);
}
