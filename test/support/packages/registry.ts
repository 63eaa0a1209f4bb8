import { once } from 'node:events';
import { createServer } from 'node:http';
import { runIn, type Ran } from './installed.ts';

/** A registry, or whoever else is asked, that gives nothing, so that nothing is published by a test. */
export class RefusingRegistry {
  /** What was asked of it: method and path. */
  readonly asked: string[] = [];
  readonly #server = createServer(({ method, url }, answer) => {
    this.asked.push(`${method} ${url}`);
    answer.writeHead(403).end();
  });

  /** @returns its address */
  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it has no port');
    return `http://127.0.0.1:${address.port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/**
 * `npm publish` of a tarball, of somebody without an account.
 * @param home an empty folder, since that of the user may have an account in its settings
 * @param job what the environment of a build job has
 */
export function publish(tarball: string, { home, registry, flags, job }: Publishing): Promise<Ran> {
  const args = ['publish', tarball, '--registry', registry, '--fetch-retries', '0', ...flags];
  return runIn(home, 'npm', args, { ...job, HOME: home, npm_config_cache: `${home}/.npm` });
}

interface Publishing {
  readonly home: string;
  readonly registry: string;
  readonly flags: readonly string[];
  readonly job?: Readonly<Record<string, string>>;
}
