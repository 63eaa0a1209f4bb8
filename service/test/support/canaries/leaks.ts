import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { nationalIdsIn } from '../../../../scripts/national-ids.ts';
import { LIVE_FILE, type CanaryKind } from './run-folder.ts';

/**
 * Secrets are searched by pieces of this many characters, at every position of a text. Any part of
 * a secret that is twice as long is always found, and no text contains a piece by chance.
 */
const PIECE = 16;
/**
 * The public key of the built-in client, which is printed. Tests send keys that differ by one
 * letter.
 */
const PUBLISHED_KEY = 'mfk_test_simulator';
const LONG_WORDS = new RegExp(`[\\w-]{${PIECE},}`, 'g');

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
  readonly byPiece: ReadonlyMap<string, CanaryKind>;
  readonly nationalIds: ReadonlySet<string>;
}

export interface Search {
  readonly canaries: number;
  readonly logLines: number;
  readonly databaseBytes: number;
  /** One sentence per place, without the secret itself. */
  readonly leaks: readonly string[];
}

/** Searches for every recorded canary in every log line and database file of a run. */
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

/** The kinds of canaries that a text contains, each once. */
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
  const isNamed = [...nationalIds].some((id) => bytes.includes(id));
  return [...(isNamed ? (['national id'] as const) : []), ...peopleIn(text)];
}
