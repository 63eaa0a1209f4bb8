import { once } from 'node:events';
import { createServer } from 'node:http';
import { runIn, type Ran } from './installed.ts';

/** A registry that takes nothing, so that nothing is published by a test, whatever it does. */
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
 */
export function publish(
  tarball: string,
  { home, registry, flags }: { home: string; registry: string; flags: readonly string[] },
): Promise<Ran> {
  const args = ['publish', tarball, '--registry', registry, '--fetch-retries', '0', ...flags];
  return runIn(home, 'npm', args, { HOME: home, npm_config_cache: `${home}/.npm` });
}
