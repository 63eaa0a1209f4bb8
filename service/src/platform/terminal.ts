import { isatty } from 'node:tty';

const STANDARD_STREAMS = [0, 1, 2];

/**
 * Tells a closed terminal from a request to reload: SIGHUP means both. The system answers no
 * question about a terminal that was closed, so it is not taken for a terminal any more.
 * @returns whether a terminal that this process has now was closed since
 */
export function watchTerminal(isTerminal: (descriptor: number) => boolean = isatty): () => boolean {
  const terminals = STANDARD_STREAMS.filter(isTerminal);
  return () => terminals.some((descriptor) => !isTerminal(descriptor));
}
