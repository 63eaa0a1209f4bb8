import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seriesOf, valueOf } from '../metrics/series.ts';
import { runMiftah } from '../programs/operator.ts';
import type { OpenedScene } from './live-service.ts';

/** Where an operator of a service is told of refused tokens. */

interface ToldRow {
  readonly action: string;
  readonly attemptId: string | null;
  readonly detail: string | null;
  readonly count: number | null;
}

interface ToldFinding {
  readonly check: string;
  readonly severity: string;
  readonly what: string;
  readonly remedy: string | null;
}

function linesOf<Line>(text: string): Line[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Line);
}

export async function auditRows({ settings }: OpenedScene, action: string): Promise<ToldRow[]> {
  const { out } = await runMiftah(['audit', '--json'], settings);
  return linesOf<ToldRow>(out).filter((row) => row.action === action);
}

const OF_EVERY_LINE = new Set(['level', 'time', 'pid', 'hostname']);

/** The lines of level 40, without what every line has. */
export function warnings(scene: OpenedScene): Record<string, unknown>[] {
  return linesOf<Record<string, unknown>>(scene.log())
    .filter(({ level }) => level === 40)
    .map((line) =>
      Object.fromEntries(Object.entries(line).filter(([name]) => !OF_EVERY_LINE.has(name))),
    );
}

export async function metricsText({ origin }: OpenedScene): Promise<string> {
  return (await fetch(`${origin}/metrics`)).text();
}

export async function tokensRefused(
  scene: OpenedScene,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const series = seriesOf(await metricsText(scene));
  return valueOf(series, 'miftah_provider_tokens_refused_total', labels);
}

/** What `miftah doctor` says of the provider's tokens. */
export async function doctorOnTokens({ settings }: OpenedScene): Promise<ToldFinding> {
  const { out } = await runMiftah(['doctor', '--json'], settings);
  const finding = linesOf<ToldFinding>(out).find(({ check }) => check === 'provider.tokens');
  if (finding === undefined) throw new Error(`no finding: ${out}`);
  return finding;
}

export async function callsOf({ settings }: OpenedScene, attemptId: string): Promise<string> {
  return (await runMiftah(['calls', attemptId], settings)).out;
}

/** All bytes of the store, with its write-ahead log. */
export function storedBytes({ dataDir }: OpenedScene): string {
  const files = readdirSync(dataDir).filter((name) => name.startsWith('miftah.db'));
  if (files.length === 0) throw new Error('there is no store');
  return files.map((name) => readFileSync(join(dataDir, name), 'latin1')).join('\n');
}
