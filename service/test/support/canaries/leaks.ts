import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { nationalIdsIn } from '../../../../scripts/national-ids.ts';
import { LIVE_FILE, type CanaryKind } from './run-folder.ts';

/**
 * A secret is looked for by its pieces of this many characters, at every place of a text: twice as
 * many of its characters in a row are always found, and no text meets so many by chance.
 */
const PIECE = 16;
/** Of the built-in client: printed for people to copy. A test sends keys that differ by a letter. */
const PUBLISHED_KEY = 'mfk_test_simulator';
const LONG_WORDS = new RegExp(`[\\w-]{${PIECE},}`, 'g');

/** They are printed for people to copy, and belong to nobody: no leak on a terminal. */
const LISTED_IDS = new Set(BUILT_IN_PEOPLE.all.map(({ nationalId }) => nationalId));

/** Who they are, as it must stand in no line of a log, and in no database of live mode. */
const PEOPLE = BUILT_IN_PEOPLE.all.flatMap(({ arabicName, englishName, email }) =>
  [arabicName.full, englishName.full, englishName.last, email].filter((text) => text !== null),
);

/** RFC 7515 section 3.1: what is signed begins with an object in JSON, and so does its content. */
const SIGNED = /eyJ[\w-]{8,}\.eyJ[\w-]{8,}/;

/** A database has to hold national ids, sealed in live mode; the others it knows by their digests. */
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
  readonly byPiece: ReadonlyMap<string, CanaryKind>;
  readonly nationalIds: ReadonlySet<string>;
}

export interface Search {
  readonly canaries: number;
  readonly logLines: number;
  readonly databaseBytes: number;
  /** One sentence for each place; the secret itself is not quoted. */
  readonly leaks: readonly string[];
}

/** Looks for every recorded canary in every log line and every database file of a run. */
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
    for (const [index, line] of lines.entries()) {
      const kinds = line.startsWith('{')
        ? [...leaksIn(line, anywhere), ...peopleIn(line)]
        : [...leaksIn(line, onTerminals)];
      for (const kind of kinds) leaks.push(`${file}:${index + 1}: ${kind}`);
    }
  }
  let databaseBytes = 0;
  for (const file of filesIn(runFolder, 'services/*/data/miftah.db*')) {
    const bytes = readFileSync(join(runFolder, file), 'latin1');
    databaseBytes += bytes.length;
    const isLive = existsSync(join(runFolder, dirname(file), '..', LIVE_FILE));
    const kinds = [...leaksIn(bytes, inDatabases), ...(isLive ? sealedIn(bytes, anywhere) : [])];
    for (const kind of kinds) leaks.push(`${file}: ${kind}`);
  }
  return { canaries: recorded.length, logLines, databaseBytes, leaks };
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
  const byPiece = new Map<string, CanaryKind>();
  const nationalIds = new Set<string>();
  for (const { kind, text } of recorded) {
    if (kind === 'national id') {
      if (/^\d{10}$/.test(text)) nationalIds.add(text);
      continue;
    }
    for (let start = 0; start + PIECE <= text.length; start += PIECE) {
      const piece = text.slice(start, start + PIECE);
      if (!PUBLISHED_KEY.includes(piece)) byPiece.set(piece, kind);
    }
  }
  return { byPiece, nationalIds };
}

/** The kinds that are in the text, each once. */
function leaksIn(text: string, { byPiece, nationalIds }: Canaries): Set<CanaryKind> {
  const found = new Set<CanaryKind>();
  for (const [word] of text.matchAll(LONG_WORDS)) {
    for (let start = 0; start + PIECE <= word.length; start += 1) {
      const kind = byPiece.get(word.slice(start, start + PIECE));
      if (kind !== undefined) found.add(kind);
    }
  }
  if (nationalIds.size === 0) return found;
  if (!nationalIds.isDisjointFrom(nationalIdsIn(text))) found.add('national id');
  return found;
}

/** Names, and what a provider signs about people. */
function peopleIn(text: string): CanaryKind[] {
  return [
    ...(PEOPLE.some((name) => text.includes(name)) ? (['person'] as const) : []),
    ...(SIGNED.test(text) ? (['id token'] as const) : []),
  ];
}

/** In the bytes of a database, where nothing stands between one value and the next. */
function sealedIn(bytes: string, { nationalIds }: Canaries): CanaryKind[] {
  const text = Buffer.from(bytes, 'latin1').toString();
  const isNamed = [...nationalIds].some((id) => bytes.includes(id));
  return [...(isNamed ? (['national id'] as const) : []), ...peopleIn(text)];
}
