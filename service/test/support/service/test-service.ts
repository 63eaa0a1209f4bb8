import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { openProgram, type Parts } from '../../../src/program/program.ts';
import { share, temporaryFolder, type AtEnd } from '../at-end.ts';
import { recordReceived, recordSent } from '../canaries/record-exchange.ts';
import { keepService } from '../canaries/run-folder.ts';
import { checkAgainstOpenApi } from './check-openapi.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

export const BASE = '/api/v1';

export type Answer = LightMyRequestResponse;

export interface TestService {
  readonly app: FastifyInstance;
  readonly clock: FakeClock;
  readonly dataDir: string;
  readonly logLines: readonly string[];
  /** Sends a request and checks its answer against the service's own OpenAPI document. */
  request(options: InjectOptions): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  remove(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Reads the clients file anew. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly settings?: Record<string, string>;
  readonly parts?: Partial<Parts>;
  readonly clock?: FakeClock;
  /** The folder of an earlier start, for a second start on the same data. */
  readonly dataDir?: string;
  readonly atEnd?: AtEnd;
}

/** The whole service in this process, on a real SQLite file, with a clock that the test moves. */
export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const clock = options.clock ?? createFakeClock();
  const atEnd = options.atEnd ?? onTestFinished;
  const dataDir = options.dataDir ?? temporaryFolder('test', atEnd);
  const logLines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) });
  const { config } = loadConfig([], { DATA_DIR: dataDir, ...options.settings });
  const program = await openProgram(config, { clock, logger, ...options.parts });
  const { app } = program;
  await app.ready();
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= program.close().then(() => keepService(logLines, dataDir)));
  atEnd(close);

  async function request(sent: InjectOptions): Promise<Answer> {
    recordSent(sent.headers ?? {}, typeof sent.payload === 'string' ? sent.payload : '');
    const answer = await app.inject(sent);
    recordReceived(answer.headers, answer.payload);
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
    reload: program.reload,
    close,
  };
}

/**
 * One service for all tests of a file, because opening one takes a third of a second. Rate limits
 * are off, so that no test can use up another one's quota. Each test starts its own attempts.
 */
export function shareService(settings: Record<string, string> = {}): () => TestService {
  return share((atEnd) =>
    openTestService({ settings: { RATE_LIMITS: 'off', ...settings }, atEnd }),
  );
}
