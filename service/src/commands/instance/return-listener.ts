import { InvalidArgumentError } from 'commander';
import type { ReturnListener } from './drive-context.ts';
import { DriveFailure } from './failure.ts';
import type { Session } from './session.ts';

/** As an example: a port that no usual program has. */
const EXAMPLE = 8765;
const MOST = 65_535;

/**
 * Waits for the browser that comes back to this machine.
 * @param port undefined: any free one, which is another one each time
 * @throws DriveFailure where the port can't be used
 */
export async function listenAt(
  { context }: Session,
  port: number | undefined,
): Promise<ReturnListener> {
  return context.listenForReturn(port).catch((error: unknown) => {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    throw new DriveFailure({
      code: 'command.port_taken',
      message: `Port ${port ?? 0} of 127.0.0.1 can not be used: ${why}.`,
      remedy: 'Stop what listens there, or register an address with another port, and name that.',
    });
  });
}

/**
 * What can be done where the client may not be sent back there.
 * @param list the member of the clients file that has its addresses @param instead of a browser
 */
export function returnAdvice(
  port: number | undefined,
  { list, instead }: { readonly list: string; readonly instead: string },
): string {
  if (port !== undefined) return `Add http://127.0.0.1:${port}/ to ${list} of the client.`;
  return (
    'Without --port the port is another one each time. A public client needs http://127.0.0.1/ in ' +
    `${list}, with which any port is good; of a confidential one each port counts: add ` +
    `http://127.0.0.1:${EXAMPLE}/ there, and --port ${EXAMPLE} here. ${instead}`
  );
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port <= MOST) return port;
  throw new InvalidArgumentError(`It is a number from 1 to ${MOST}.`);
}
