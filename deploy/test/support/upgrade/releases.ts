import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder for each release: what its program left behind (make-release-fixture.ts). */
export const RELEASES = join(import.meta.dirname, '../../fixtures/releases');

export interface FixtureToken {
  readonly token: string;
  /** False: it was revoked. */
  readonly isGood: boolean;
}

export interface FixtureAttempt {
  readonly attempt_id: string;
  readonly attempt_token: string;
  readonly status: string;
  /** Empty for those that need none. */
  readonly completion_code: string;
}

/** What the applications of the fixture know. */
export interface Facts {
  readonly version: string;
  readonly madeAt: number;
  readonly tokens: readonly FixtureToken[];
  readonly attempts: readonly FixtureAttempt[];
}

export type StoreKind = 'sqlite' | 'postgres';

/** What an earlier release has left: the folder, its settings, and the facts. */
export interface Left {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly facts: Facts;
}

export function versions(): readonly string[] {
  return readdirSync(RELEASES).toSorted();
}

export function leftBy(version: string, store: StoreKind): Left {
  const folder = join(RELEASES, version, store);
  const lines = readFileSync(join(folder, 'miftah.env'), 'utf8').trim().split('\n');
  return {
    folder,
    settings: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<
      string,
      string
    >,
    facts: JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as Facts,
  };
}
