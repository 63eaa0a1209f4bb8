export interface Place {
  readonly host: string;
  readonly port: number;
  /** The settings that name it. */
  readonly names: readonly [host: string, port: string];
}

/** An error of `listen` as a text that says what to do. Other errors are given back unchanged. */
export function listenError(error: unknown, { host, port, names }: Place): unknown {
  const [hostName, portName] = names;
  const advices: Readonly<Record<string, string>> = {
    // A service that has its DATA_DIR with another one is told so before it listens.
    EADDRINUSE: `is taken by another program. Stop it, or set ${portName} (--${flagOf(portName)})`,
    EACCES: `may not be used by this user. Set ${portName} to 1024 or higher`,
    EADDRNOTAVAIL: `is not an address of this machine. Set ${hostName} to one that is`,
  };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const advice = advices[code];
  return advice === undefined ? error : new Error(`${host}:${port} ${advice}`, { cause: error });
}

const flagOf = (name: string) => name.toLowerCase().replaceAll('_', '-');
