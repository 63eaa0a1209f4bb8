import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { temporaryFolder } from '../../../../service/test/support/at-end.ts';
import { FakeTime, findFaketime } from '../../../../service/test/support/faults/faketime.ts';
import { LiveClient, type Started } from '../../../../service/test/support/live/live-client.ts';
import { BANK_KEY } from '../../../../service/test/support/live/rehearsal.ts';
import { startServiceForTest } from '../../../../service/test/support/programs/for-test.ts';
import { runMiftah } from '../../../../service/test/support/programs/operator.ts';
import {
  findFreePort,
  type ServiceProcess,
} from '../../../../service/test/support/programs/service-process.ts';
import type { Left } from './releases.ts';

const LATER = fileURLToPath(
  new URL('../../../../service/test/support/store/programs/migrate-file-later.ts', import.meta.url),
);
/** Since the last request to the earlier release. */
const LATER_S = 5;
const SECOND_MS = 1000;

/** What an earlier release has left, on a machine of its own. */
export class Machine {
  readonly settings: Readonly<Record<string, string>>;
  readonly port: number;
  readonly dataDir: string;
  readonly #left: Left;

  private constructor(left: Left, port: number, more: Readonly<Record<string, string>>) {
    const folder = temporaryFolder('upgrade');
    this.#left = left;
    this.port = port;
    this.dataDir = join(folder, 'data');
    mkdirSync(this.dataDir, { mode: 0o700 });
    for (const name of ['clients.json', 'audit-head']) {
      copyFileSync(join(left.folder, name), join(folder, name));
      chmodSync(join(folder, name), 0o600);
    }
    this.settings = {
      ...left.settings,
      ...more,
      RATE_LIMITS: 'on',
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      CLIENTS_FILE: join(folder, 'clients.json'),
      AUDIT_HEAD_FILE: join(folder, 'audit-head'),
      DATA_DIR: this.dataDir,
    };
  }

  /** The store is a file, and the machine's clock goes on from when the release was stopped. */
  static async withFile(left: Left): Promise<Machine> {
    const time = new FakeTime(findFaketime() ?? '');
    const passed = Math.floor((Date.now() - left.facts.madeAt) / SECOND_MS);
    time.set(LATER_S - passed);
    const machine = new Machine(left, await findFreePort(), time.environment);
    const packed = readFileSync(join(left.folder, 'miftah.db.gz'));
    writeFileSync(machine.file, gunzipSync(packed), { mode: 0o600 });
    return machine;
  }

  /** The store is in a database, whose clock is today's. */
  static async withDatabase(left: Left, url: string): Promise<Machine> {
    return new Machine(left, await findFreePort(), { DATABASE_URL: url });
  }

  get file(): string {
    return join(this.dataDir, 'miftah.db');
  }

  start(): Promise<ServiceProcess> {
    const { settings, port, dataDir } = this;
    return startServiceForTest({ settings, port, dataDir });
  }

  /** An operator's command. */
  miftah(...args: readonly string[]) {
    return runMiftah(args, this.settings);
  }

  /** A later version has brought the schema of the file up to date. */
  migrateLater(name: string, statements: readonly string[]): void {
    const migration = JSON.stringify({ name, statements });
    const { status, stderr } = spawnSync(process.execPath, [LATER, this.file, migration]);
    if (status !== 0) throw new Error(stderr.toString());
  }

  /** The file and what stands beside it. */
  moveStoreAway(): void {
    const away = temporaryFolder('away');
    for (const name of globSync('miftah.db*', { cwd: this.dataDir })) {
      renameSync(join(this.dataDir, name), join(away, name));
    }
  }

  /** Tokens are as good as they were, and the audit log is whole. */
  async expectKept(service: ServiceProcess): Promise<void> {
    const bank = new LiveClient({ service }, BANK_KEY);
    for (const { token, isGood } of this.#left.facts.tokens) {
      expect((await bank.user(token)).status).toBe(isGood ? 200 : 401);
    }
    const { code, out } = await this.miftah('audit', '--verify');
    expect(out).toContain('Every row is as it was written');
    expect(code).toBe(0);
  }

  /** Attempts are in their states, and those that wait for it get their token. */
  async expectGoingOn(service: ServiceProcess): Promise<void> {
    const bank = new LiveClient({ service }, BANK_KEY);
    for (const { status, completion_code, ...attempt } of this.#left.facts.attempts) {
      const started = attempt as Started;
      expect((await bank.status(started)).data['status']).toBe(status);
      if (status !== 'authenticated') continue;
      const answer = await bank.redeem(started, completion_code === '' ? {} : { completion_code });
      expect(answer.status).toBe(200);
      expect((await bank.user(String(answer.data['token']))).status).toBe(200);
    }
  }
}
