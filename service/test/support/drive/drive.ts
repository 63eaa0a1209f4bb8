import process from 'node:process';
import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { run } from '../../../src/cli.ts';
import type { DriveContext } from '../../../src/commands/drive/index.ts';
import { readInstance, type Environment } from '../../../src/config/instance.ts';
import { systemClock, systemTimer } from '../../../src/platform/runtime.ts';
import { listenForReturn } from '../../../src/platform/browser-return.ts';
import { openidSecrets } from '../../../src/platform/openid-secrets.ts';
import { peopleFile } from '@miftah/simulator/population';
import { writeWhole } from '../../../src/platform/files/whole-file.ts';
import { share } from '../at-end.ts';
import { recordingFetch } from '../client/client-for-test.ts';
import { findFreePort } from '../programs/service-process.ts';
import { openTestService, type TestService } from '../service/test-service.ts';

/** Commands of `npx miftah` in this process, against a service in this process. */

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The requests that were sent, as `GET /simulator/clock`, in their order. */
  readonly sent: readonly string[];
}

export interface DriveOptions {
  readonly environment?: Environment;
  /** Both outputs are a terminal of this width. */
  readonly terminal?: number;
  /** The lines of standard input. */
  readonly input?: readonly string[];
  readonly context?: Partial<DriveContext>;
}

/** A terminal, or a pipe. */
class FakeOutput extends Writable {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  text = '';

  constructor(columns: number | undefined) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  override write(text: string, ...given: readonly unknown[]): boolean {
    this.text += text;
    const [written] = given as [(() => void)?];
    written?.();
    return true;
  }

  /** As a terminal decides it, from the environment. */
  getColorDepth(): number {
    const env = { ...process.env, TERM: 'xterm-256color' };
    return WriteStream.prototype.getColorDepth.call(this, env);
  }
}

export async function drive(
  origin: string,
  args: readonly string[],
  { environment = {}, terminal, input = [], context = {} }: DriveOptions = {},
): Promise<Ran> {
  const [out, err] = [new FakeOutput(terminal), new FakeOutput(terminal)];
  const sent: string[] = [];
  const lines = [...input];
  const code = await run(args, {
    out,
    err,
    fetch: (address, init) => {
      const url = new URL(address instanceof Request ? address.url : address);
      sent.push(`${init?.method ?? 'GET'} ${url.pathname}${url.search}`);
      return recordingFetch(address, init);
    },
    clock: systemClock,
    timer: systemTimer,
    stop: new AbortController().signal,
    environment,
    instance: (flags) => readInstance(flags, { MIFTAH_URL: origin, ...environment }),
    ask: () => Promise.resolve(lines.shift() ?? null),
    isInteractive: false,
    openBrowser: () => undefined,
    listenForReturn,
    openidSecrets,
    readFile: () => '',
    writeFile: writeWhole,
    peopleFile: (options) => Promise.resolve(peopleFile(options)),
    ...context,
  });
  return { code, out: out.text, err: err.text, sent };
}

export interface Listening {
  readonly service: TestService;
  readonly origin: string;
}

/** A service of this process that listens, for all tests of a file. */
export function shareListening(settings: Record<string, string> = {}): () => Listening {
  return share(async (atEnd) => {
    const port = await findFreePort();
    const all = { RATE_LIMITS: 'off', PORT: String(port), ...settings };
    const service = await openTestService({ settings: all, atEnd });
    await service.app.listen({ port, host: '127.0.0.1' });
    return { service, origin: `http://127.0.0.1:${port}` };
  });
}

/** The result of a command that a program reads. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each command has its own
export function resultOf<Result>({ out }: Ran): Result {
  return JSON.parse(out) as Result;
}
