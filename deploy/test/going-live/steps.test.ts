import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PersonBrowser } from '../../../service/test/support/live/person-browser.ts';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { Shell } from '../support/going-live/shell.ts';
import {
  blocksOf,
  notPrinted,
  substituted,
  type Block,
  type Substitutions,
} from '../support/going-live/page.ts';
import { installed, temporaryFolder } from '../support/init/installed.ts';

/** The commands of docs/going-live.md and docs/backup.md in a folder. On a machine: ../systemd/going-live.test.ts. */

const PERSON = '1000003301';
const LIMIT_MS = 600_000;

interface Ports {
  readonly service: number;
  readonly metrics: number;
  readonly provider: number;
}

async function freePorts(): Promise<Ports> {
  const [service, metrics, provider] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  return { service, metrics, provider };
}

/** The rehearsal of the page has other ports here. */
const inRehearsal = ({ service, metrics, provider }: Ports): Substitutions => [
  [
    'miftah init --rehearse\n',
    `miftah init --rehearse --port ${service} --metrics-port ${metrics} ` +
      `--provider-url http://127.0.0.1:${provider}\n`,
  ],
  ['http://localhost:3000', `http://localhost:${service}`],
  ['http://127.0.0.1:4000', `http://127.0.0.1:${provider}`],
];

/** Live mode has a real provider and a name; here both are a rehearsal's. */
const inLive = (folder: string, ports: Ports, second: Ports): Substitutions => [
  [
    'miftah init --yes',
    `miftah init --yes --rehearse --port ${ports.service} --metrics-port ${ports.metrics}`,
  ],
  // What the page says of other ways than systemd.
  ['miftah-admin', 'miftah --config /etc/miftah/miftah.env'],
  ['/etc/miftah', join(folder, 'etc', 'miftah')],
  ['/var/backups/miftah', folder],
  ['https://login.example.com', `http://localhost:${ports.service}`],
  ['Host: login.example.com', 'Host: localhost'],
  ['https://api.provider.example', `http://127.0.0.1:${ports.provider}`],
  ['--provider-path-prefix /', '--provider-path-prefix /stg'],
  ['http://127.0.0.1:9464', `http://127.0.0.1:${ports.metrics}`],
  ['3100', String(second.service)],
  ['9465', String(second.metrics)],
  ['x-auth-mode: live', 'x-auth-mode: rehearsal'],
  ['detail=live', 'detail=rehearsal'],
  ['"token":"mft_', '"token":"mft_test_'],
  ['<yours>', PERSON],
];

/** What happens between the blocks, which a person or the provider does. */
class Run {
  readonly folder = temporaryFolder();
  readonly #shell: Shell;
  #output = '';
  /** Of each block that goes on, what it has said. */
  readonly logs: string[] = [];

  constructor(programs: string) {
    this.#shell = new Shell(this.folder, programs);
    for (const name of ['provider-app-id', 'provider-app-key']) {
      writeFileSync(join(this.folder, name), `a-${name}\n`, { mode: 0o600 });
    }
    mkdirSync(join(this.folder, 'etc'));
  }

  async block({ kind, script, prints }: Block, substitutions: Substitutions): Promise<void> {
    const here = substituted(await this.#completed(script, substitutions), substitutions);
    if (kind === 'keeps-running') return this.#goOn(here);
    const expected = prints.map((line) => substituted(line, substitutions));
    if (script.includes('/complete-mfa')) await this.#approve(substitutions);
    const { code, output } = await this.#shell.run(here);
    const missing = notPrinted(expected, output);
    expect({ code, missing }, `${here}\n${output}`).toEqual({ code: 0, missing: null });
    expectNoComplaint(here, output);
    this.#output = output;
    const [key] = /mfk_\S+/.exec(output) ?? [];
    if (key !== undefined && script.includes('miftah init')) await this.#shell.run(`KEY=${key}`);
    if (!script.includes('init --yes')) return;
    await this.#goOn(SIMULATOR.replace('DIR', this.#dirOf(here)));
  }

  #dirOf(script: string): string {
    return /--dir (\S+)/.exec(script)?.[1] ?? '';
  }

  async #goOn(script: string): Promise<void> {
    const log = await this.#shell.start(script);
    this.logs.push(log);
    const isReady = READY.find(([command]) => script.includes(command))?.[1];
    if (isReady !== undefined) await until(() => isReady.test(readFileSync(log, 'utf8')));
  }

  /** The code with which the browser of a person comes back. */
  async #completed(script: string, substitutions: Substitutions): Promise<string> {
    if (!script.includes('<completion_code>')) return script;
    const back = await new PersonBrowser().signIn(this.#output.trim(), 'amal');
    expect(back.href).toContain(substituted('https://bank.example.com/signed-in', substitutions));
    const code = back.searchParams.get('completion_code') ?? 'none';
    return script.replace('<completion_code>', code);
  }

  /** What the person does on the phone. */
  async #approve(substitutions: Substitutions): Promise<void> {
    const url = substituted('https://api.provider.example', substitutions);
    const { code, output } = await this.#shell.run(`miftah approve ${PERSON} --url ${url}`);
    expect(code, output).toBe(0);
  }
}

/** The page promises of the doctor: no fault, and no other warning than that of the empty store. */
function expectNoComplaint(script: string, output: string): void {
  if (!script.endsWith(' doctor\n')) return;
  const complaints = output.match(/^(?:warning|fault) .*$/gm) ?? [];
  expect(complaints.filter((line) => !/^warning +store\.open .*is empty/.test(line))).toEqual([]);
}

const SIMULATOR = '(set -a; . DIR/simulator.env; exec miftah-simulator)';

/** What a program says when it listens. */
const READY = [
  ['miftah-simulator', /listens|http:\/\/127/],
  ['miftah start', /live mode/],
] as const;

it(
  'each command of the page works in a new folder, in its order',
  async () => {
    const { release } = await installed();
    const run = new Run(join(release, 'bin'));
    const blocks = blocksOf('docs/going-live.md');
    const beforeLive = blocks.findIndex(({ heading }) => heading.startsWith('4.'));
    const [rehearsed, live] = [await freePorts(), await freePorts()];
    const first = inRehearsal(rehearsed);
    const then = inLive(run.folder, live, await freePorts());
    for (const [index, block] of [...blocks, ...blocksOf('docs/backup.md')].entries()) {
      if (block.kind === 'booted') continue;
      await run.block(block, index < beforeLive ? first : then);
    }
    expect(readFileSync(run.logs[2] ?? '', 'utf8')).toMatch(/mft_test_/);
  },
  LIMIT_MS,
);
