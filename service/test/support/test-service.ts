import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { openProgram, type Parts } from '../../src/program.ts';
import { checkAgainstOpenApi } from './check-openapi.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

export const BASE = '/api/v1';

export type Answer = LightMyRequestResponse;

export interface TestService {
  readonly app: FastifyInstance;
  readonly clock: FakeClock;
  readonly dataDir: string;
  readonly logLines: readonly string[];
  /** Each answer is held against the OpenAPI document that the service itself serves. */
  request(options: InjectOptions): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  remove(path: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly settings?: Record<string, string>;
  readonly parts?: Partial<Parts>;
  readonly clock?: FakeClock;
  /** For a second start on the same data. */
  readonly dataDir?: string;
}

/** The whole service in this process, on a real SQLite file, with a clock that the test moves. */
export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const clock = options.clock ?? createFakeClock();
  const dataDir = options.dataDir ?? temporaryFolder();
  const logLines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) });
  const { config } = loadConfig([], { DATA_DIR: dataDir, ...options.settings });
  const program = await openProgram(config, { clock, logger, ...options.parts });
  const { app } = program;
  await app.ready();
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= program.close());
  onTestFinished(close);

  async function request(sent: InjectOptions): Promise<Answer> {
    const answer = await app.inject(sent);
    checkAgainstOpenApi(app, sent, answer);
    return answer;
  }

  return {
    app,
    clock,
    dataDir,
    logLines,
    request,
    post: (path, payload, headers = {}) =>
      request({
        method: 'POST',
        url: BASE + path,
        headers: { 'content-type': 'application/json', ...headers },
        payload: JSON.stringify(payload),
      }),
    get: (path, headers = {}) => request({ method: 'GET', url: BASE + path, headers }),
    remove: (path, headers = {}) => request({ method: 'DELETE', url: BASE + path, headers }),
    close,
  };
}

/** Removed when the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
