import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool } from '../../../../scripts/debian.mjs';
import { temporaryFolder, type AtEnd } from '../../../../service/test/support/at-end.ts';
import { findFreePort } from '../../../../service/test/support/programs/service-process.ts';
import { until } from '../../../../service/test/support/programs/until.ts';

const KIT = join(import.meta.dirname, '../../../prometheus');
const SCRAPES_EVERY = '500ms';
/** Between two questions: what Prometheus says changes when it has looked again. */
export const PROMETHEUS_PAUSE_MS = 200;

/**
 * What a test changes in the files of the kit, by name: how often Prometheus looks, over which time
 * the rules look back, and how long a fault lasts before it is an alarm. No threshold is changed.
 */
const CHANGES: readonly (readonly [file: string, from: RegExp, to: string])[] = [
  ['prometheus.yml', /_interval: 15s/g, `_interval: ${SCRAPES_EVERY}`],
  ['prometheus.yml', /alerting:[\s\S]*?\n\n/g, ''],
  ['alerts.yml', /\[(?:5|10|30)m\]/g, '[20s]'],
  ['alerts.yml', /for: 1m/g, 'for: 500ms'],
  ['alerts.yml', /for: 2m/g, 'for: 1s'],
  ['alerts.yml', /for: (?:(?:5|10)m|26h)/g, 'for: 2s'],
];

interface Answer<Data> {
  readonly status: string;
  readonly data: Data;
  readonly error?: string;
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, text: string];
}

/** Debian's Prometheus with the rules of the kit, on a free port, with its data in a temporary folder. */
export class Prometheus {
  readonly #origin: string;
  readonly #child: ChildProcess;
  readonly #log: string;

  private constructor(folder: string, port: number) {
    this.#origin = `http://127.0.0.1:${port}`;
    this.#log = join(folder, 'log');
    const log = openSync(this.#log, 'w');
    this.#child = spawn(
      findTool('prometheus') ?? 'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: ['ignore', log, log] },
    );
  }

  /** @param targets addresses, as the configuration has them */
  static async start(targets: readonly string[], atEnd: AtEnd): Promise<Prometheus> {
    const folder = temporaryFolder('prometheus', atEnd);
    cpSync(KIT, folder, { recursive: true });
    const listed = targets.map((target) => `'${target}'`).join(', ');
    const own = ['prometheus.yml', /'127\.0\.0\.1:9464'/g, listed] as const;
    for (const [file, from, to] of [...CHANGES, own]) change(join(folder, file), from, to);
    const prometheus = new Prometheus(folder, await findFreePort());
    atEnd(() => prometheus.#stop());
    await until(() => prometheus.#isReady());
    return prometheus;
  }

  async #isReady(): Promise<boolean> {
    if (this.#child.exitCode !== null) throw new Error(readFileSync(this.#log, 'utf8'));
    const answer = await fetch(`${this.#origin}/-/ready`).catch(() => null);
    return answer?.ok === true;
  }

  /** An instant query. @throws Error when Prometheus refuses it */
  async ask(query: string): Promise<readonly Sample[]> {
    const url = `${this.#origin}/api/v1/query?${new URLSearchParams({ query }).toString()}`;
    const { status, data, error } = (await (await fetch(url)).json()) as Answer<{
      readonly result: readonly Sample[];
    }>;
    if (status !== 'success') throw new Error(`${query}: ${error}`);
    return data.result;
  }

  /** The names of the alarms that are raised. */
  async raised(): Promise<ReadonlySet<string>> {
    const samples = await this.ask('ALERTS{alertstate="firing"}');
    return new Set(samples.map(({ metric }) => metric['alertname'] ?? ''));
  }

  /** Waits until all targets were read with success once more. */
  async untilRead(targets: number): Promise<void> {
    await until(async () => (await this.ask('up == 1')).length >= targets, PROMETHEUS_PAUSE_MS);
  }

  async #stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** @throws Error when there is nothing to change: then the test would prove something else */
function change(path: string, from: RegExp, to: string): void {
  const before = readFileSync(path, 'utf8');
  const after = before.replaceAll(from, to);
  if (after === before) throw new Error(`${path} has no ${from.source}`);
  writeFileSync(path, after);
}
