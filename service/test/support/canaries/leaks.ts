import {
  closeSync,
  existsSync,
  fstatSync,
  globSync,
  openSync,
  readFileSync,
  readSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { nationalIdsIn } from '../../../../scripts/national-ids.ts';
import { undocumentedIn } from './log-members.ts';
import { PIECE, Pieces } from './pieces.ts';
import { LIVE_FILE, type CanaryKind } from './run-folder.ts';

/**
 * The public key of the built-in client, which is printed. Tests send keys that differ by one
 * letter.
 */
const PUBLISHED_KEY = 'mfk_test_simulator';

/** Invented numbers that are printed for people to copy: no leak. */
const LISTED_IDS = new Set(BUILT_IN_PEOPLE.all.map(({ nationalId }) => nationalId));

/** Names and addresses of people, which must be in no log line and in no database of live mode. */
const PEOPLE = BUILT_IN_PEOPLE.all.flatMap(({ arabicName, englishName, email }) =>
  [arabicName.full, englishName.full, englishName.last, email].filter((text) => text !== null),
);

/**
 * A signed token (RFC 7515 section 3.1): its header and its content both begin with a JSON object.
 */
const SIGNED = /eyJ[\w-]{8,}\.eyJ[\w-]{8,}/;

/** The kinds that must not be in a database. National ids may be, sealed in live mode. */
const IN_DATABASES: ReadonlySet<CanaryKind> = new Set([
  'attempt token',
  'API token',
  'browser cookie',
  'client key',
  'completion code',
  'provider key',
  'provider state',
]);

interface Canaries {
  /**
   * Secrets are searched by their pieces, at every position of a text. Any part of a secret that is
   * twice as long as a piece is always found, and no text contains a piece by chance.
   */
  readonly pieces: Pieces<CanaryKind>;
  readonly nationalIds: ReadonlySet<string>;
}

export interface Search {
  readonly canaries: number;
  readonly logLines: number;
  readonly databaseBytes: number;
  /** One sentence per place, without the secret itself. */
  readonly leaks: readonly string[];
}

/**
 * Searches for every recorded canary in every log line and database file of a run, and for members
 * of log lines that are not documented: whoever adds one looks at what it may contain.
 */
export function searchForLeaks(runFolder: string): Search {
  const recorded = readCanaries(runFolder);
  const anywhere = indexOf([...recorded, ...listed()]);
  const onTerminals = indexOf(recorded.filter(({ text }) => !LISTED_IDS.has(text)));
  const inDatabases = indexOf(recorded.filter(({ kind }) => IN_DATABASES.has(kind)));
  const leaks: string[] = [];
  let logLines = 0;
  for (const file of filesIn(runFolder, 'services/*/*.log')) {
    const lines = readFileSync(join(runFolder, file), 'utf8').trimEnd().split('\n');
    logLines += lines.length;
    const isNamed = peopleIn(lines.filter(isRecord).join('\n')).length > 0;
    for (const [index, line] of lines.entries()) {
      const kinds = isRecord(line)
        ? [...leaksIn(line, anywhere), ...(isNamed ? peopleIn(line) : [])]
        : [...leaksIn(line, onTerminals)];
      const members = undocumentedIn(line).map(
        (name) => `member ${name} is not in docs/operations.md`,
      );
      for (const found of [...kinds, ...members]) leaks.push(`${file}:${index + 1}: ${found}`);
    }
  }
  let databaseBytes = 0;
  for (const file of filesIn(runFolder, 'services/*/data/miftah.db*')) {
    const isLive = existsSync(join(runFolder, dirname(file), '..', LIVE_FILE));
    const kinds = new Set<CanaryKind>();
    for (const { bytes, added } of partsOf(join(runFolder, file))) {
      databaseBytes += added;
      for (const kind of leaksIn(bytes, inDatabases)) kinds.add(kind);
      if (isLive) for (const kind of sealedIn(bytes, anywhere)) kinds.add(kind);
    }
    for (const kind of kinds) leaks.push(`${file}: ${kind}`);
  }
  return { canaries: recorded.length, logLines, databaseBytes, leaks };
}

/** A million sign-ins make a file that is longer than a text may be. */
const PART_BYTES = 64 * 1024 * 1024;
/** More than a secret, a name or the beginning of a signed token has. */
const OVERLAP_BYTES = 4 * 1024;

/** A file in parts, each with the end of the one before; `added` counts the bytes without that. */
export function* partsOf(
  path: string,
  partBytes = PART_BYTES,
): Generator<{ readonly bytes: string; readonly added: number }> {
  const file = openSync(path, 'r');
  try {
    const part = Buffer.alloc(OVERLAP_BYTES + Math.min(partBytes, fstatSync(file).size));
    for (let kept = 0; ;) {
      const added = readSync(file, part, kept, part.length - OVERLAP_BYTES, null);
      if (added === 0) return;
      const end = kept + added;
      yield { bytes: part.toString('latin1', 0, end), added };
      kept = Math.min(end, OVERLAP_BYTES);
      part.copyWithin(0, end - kept, end);
    }
  } finally {
    closeSync(file);
  }
}

/** Whether the line is of the log, and not of what is printed for a person at a terminal. */
function isRecord(line: string): boolean {
  return line.startsWith('{');
}

interface Recorded {
  readonly kind: CanaryKind;
  readonly text: string;
}

function listed(): Recorded[] {
  return [...LISTED_IDS].map((text) => ({ kind: 'national id', text }));
}

function filesIn(runFolder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: runFolder }).toSorted();
}

function readCanaries(runFolder: string): Recorded[] {
  const texts = filesIn(runFolder, 'canaries/*.txt').map((file) =>
    readFileSync(join(runFolder, file), 'utf8'),
  );
  const lines = new Set(texts.flatMap((text) => text.split('\n')).filter(Boolean));
  return [...lines].map((line) => {
    const [kind = '', text = ''] = line.split('\t');
    return { kind: kind as CanaryKind, text };
  });
}

function indexOf(recorded: readonly Recorded[]): Canaries {
  const pieces = new Pieces<CanaryKind>();
  const nationalIds = new Set<string>();
  for (const { kind, text } of recorded) {
    if (kind === 'national id') {
      if (/^\d{10}$/.test(text)) nationalIds.add(text);
      continue;
    }
    for (let start = 0; start + PIECE <= text.length; start += PIECE) {
      const piece = text.slice(start, start + PIECE);
      if (!PUBLISHED_KEY.includes(piece) && !isOneLetter(piece)) pieces.add(piece, kind);
    }
  }
  return { pieces, nationalIds };
}

/** Tests guess codes such as `AAA…`, and name devices so. No secret has such a piece by chance. */
const isOneLetter = (piece: string) => new Set(piece).size === 1;

/** The kinds of canaries that a text contains, each once. */
function leaksIn(text: string, { pieces, nationalIds }: Canaries): Set<CanaryKind> {
  const found = pieces.in(text);
  if (nationalIds.size === 0) return found;
  if (!nationalIds.isDisjointFrom(nationalIdsIn(text))) found.add('national id');
  return found;
}

/** Names of people, and signed tokens of a provider. */
function peopleIn(text: string): CanaryKind[] {
  return [
    ...(PEOPLE.some((name) => text.includes(name)) ? (['person'] as const) : []),
    ...(SIGNED.test(text) ? (['id token'] as const) : []),
  ];
}

/** In the bytes of a database, in which values have no separators. */
function sealedIn(bytes: string, { nationalIds }: Canaries): CanaryKind[] {
  const text = Buffer.from(bytes, 'latin1').toString();
  const isNamed = !nationalIds.isDisjointFrom(everyTenDigitsOf(bytes));
  return [...(isNamed ? (['national id'] as const) : []), ...peopleIn(text)];
}

const NATIONAL_ID_LENGTH = 10;

/** Ten digits at any position of a longer row of digits. */
function everyTenDigitsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [digits] of text.matchAll(/\d{10,}/g)) {
    for (let start = 0; start + NATIONAL_ID_LENGTH <= digits.length; start += 1) {
      found.add(digits.slice(start, start + NATIONAL_ID_LENGTH));
    }
  }
  return found;
}
