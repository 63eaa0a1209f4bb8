import { variableOf, type Pieces } from './shell-text.ts';

const MASKED = '[masked]';
/** Stands for the quotes of a variable until JSON is written. No text from outside keeps one. */
const MARK = '\ue000';

const NOT_PRINTABLE = /[^\x20-\x7e]/g;

/** Whether a value was masked: as a secret, or as the number of somebody real. */
export function isMasked(value: unknown): value is string {
  return typeof value === 'string' && (value.includes(MASKED) || value.includes('•'));
}

/** JSON in printable ASCII, in which masked members are variables. */
export function jsonPieces(value: unknown): Pieces {
  return cut(asciiJson(marked(value, 'secret')), '\\ue000');
}

/** An address or the value of a header; `name` is of the header. */
export function textPieces(text: string, name: string): Pieces {
  if (!isMasked(text)) return [ascii(text)];
  const query = text
    .replaceAll(MARK, '')
    .replaceAll(/([?&#])([^=&#]+)=\[masked\]/g, '$1$2=' + MARK + '$2' + MARK);
  const rest = query.replaceAll(MASKED, MARK + name + MARK);
  return cut(rest.includes(MARK) ? rest : MARK + name + MARK, MARK);
}

/** Texts at even places, names of variables at odd ones. */
function cut(text: string, mark: string): Pieces {
  return text
    .split(mark)
    .map((part, place) => (place % 2 === 0 ? ascii(part) : { variable: variableOf(part) }));
}

function marked(value: unknown, name: string): unknown {
  if (isMasked(value)) return MARK + name + MARK;
  if (typeof value === 'string') return value.replaceAll(MARK, '');
  if (Array.isArray(value)) return value.map((one) => marked(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replaceAll(MARK, ''), marked(inner, key)]),
  );
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    NOT_PRINTABLE,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What could end a line of a terminal, or look like something else: no address or header has it. */
function ascii(text: string): string {
  return text.replaceAll(NOT_PRINTABLE, '?');
}
