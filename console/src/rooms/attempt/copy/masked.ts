/**
 * What the simulator has masked, and the variables that stand for it. A text is divided at its masks
 * first, and each part is written for the command afterwards: no part can look like a mask.
 */
import { ascii, asciiJson } from '../../../parts/escapes.ts';
import type { Pieces } from '../../../api/shell-word.ts';

/** As it stands for a secret in what the simulator gives. */
export const MASKED = '[masked]';
/** A secret, or the number of somebody real, somewhere in a text. */
const MASK = /\[masked\]|\p{Nd}•{7}\p{Nd}{2}/u;
/** A member that is an identity number of another length. */
const MASKED_NUMBER = /^(?:•{1,5}|.•{3,}..)$/su;
/** What stands before the value of a parameter of an address or of a form. */
const PARAMETER = /(?:^|[?&#])([^=&#?]{1,64})=$/;

/** Where a text stands. */
export type Place = {
  /** Of the header or of the member. */
  readonly name: string;
  /** A text that is a variable too, because the attempt of a script has another id. */
  readonly attemptId?: string;
};

/** A text, in which what was masked is a variable. `write` writes each of the other parts. */
export function textPieces(text: string, place: Place, write = ascii): Pieces {
  const { name, attemptId = '' } = place;
  if (variableOf(name) === NATIONAL_ID && MASKED_NUMBER.test(text)) {
    return [{ variable: NATIONAL_ID }];
  }
  const parts = attemptId === '' ? [text] : text.split(attemptId);
  return parts.flatMap((part, index): Pieces => {
    const pieces = maskPieces(part, name, write);
    return index === 0 ? pieces : [{ variable: 'ATTEMPT_ID' }, ...pieces];
  });
}

function maskPieces(text: string, name: string, write: (part: string) => string): Pieces {
  const parts = text.split(MASK);
  return parts.flatMap((part, index): Pieces => {
    if (index === 0) return [write(part)];
    const parameter = PARAMETER.exec(parts[index - 1] ?? '')?.[1];
    return [{ variable: variableOf(parameter ?? name) }, write(part)];
  });
}

/** JSON in printable ASCII, in which what was masked is a variable. */
export function jsonPieces(value: unknown, place: Place): Pieces {
  if (typeof value === 'string') {
    return ['"', ...textPieces(value, place, (part) => asciiJson(part).slice(1, -1)), '"'];
  }
  if (Array.isArray(value)) {
    const items = value.flatMap((one, index) => [
      index === 0 ? '' : ',',
      ...jsonPieces(one, place),
    ]);
    return ['[', ...items, ']'];
  }
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const members = Object.entries(value).flatMap(([name, inner], index) => [
    `${index === 0 ? '' : ','}${asciiJson(name)}:`,
    ...jsonPieces(inner, { ...place, name }),
  ]);
  return ['{', ...members, '}'];
}

/** Whether something of a member was masked. */
export function isMasked(text: string, name: string): boolean {
  return textPieces(text, { name }).some((piece) => typeof piece !== 'string');
}

const NATIONAL_ID = 'NATIONAL_ID';

/** The names under which the simulator masks something, without `_` and `-`. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['attemptid', 'ATTEMPT_ID'],
  ['attempttoken', 'ATTEMPT_TOKEN'],
  ['authorization', 'MIFTAH_KEY'],
  ['clientkey', 'MIFTAH_KEY'],
  ['code', 'CODE'],
  ['completioncode', 'COMPLETION_CODE'],
  ['documentnumber', NATIONAL_ID],
  ['iqama', NATIONAL_ID],
  ['iqamanumber', NATIONAL_ID],
  ['nationalid', NATIONAL_ID],
  ['nin', NATIONAL_ID],
  ['personid', NATIONAL_ID],
  ['state', 'STATE'],
  ['sub', NATIONAL_ID],
  ['token', 'TOKEN'],
  ['xproviderattempttoken', 'ATTEMPT_TOKEN'],
]);

/**
 * `attempt_token` is `ATTEMPT_TOKEN`. Any other name comes from whoever wrote the request: it can't
 * choose a variable such as `HOME`.
 */
function variableOf(name: string): string {
  const letters = name.replaceAll(/[^A-Za-z]/g, '').toLowerCase();
  return VARIABLES.get(letters) ?? `MASKED_${letters.toUpperCase() || 'VALUE'}`;
}
