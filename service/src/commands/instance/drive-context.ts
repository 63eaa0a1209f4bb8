import type { Command } from 'commander';
import type { Environment, InstanceSettings } from '../../config/instance.ts';
import type { Clock, Timer } from '../../platform/runtime.port.ts';

/** Where a command writes: a terminal, a pipe or a file. */
export interface Output {
  /** True for a terminal. */
  readonly isTTY?: boolean | undefined;
  /** The width of a terminal, in characters. */
  readonly columns?: number | undefined;
  write(text: string, written?: (error?: Error | null) => void): unknown;
}

/** How a line is asked for. */
export interface AskHow {
  /** It is not shown. */
  readonly isHidden: boolean;
  /** The line before could not be used, so lines that were typed ahead were meant for others. */
  readonly isAgain?: boolean;
}

/** Waits for a browser that comes back to this machine at the end of a sign-in. */
export interface ReturnListener {
  /** Where the browser has to be sent. */
  readonly address: string;
  /**
   * The query that comes back with this id of an attempt, or `state` of OpenID. What names another one
   * is passed over. To be called once.
   */
  readonly returnOf: (id: string, member?: 'attempt_id' | 'state') => Promise<URLSearchParams>;
  close(): void;
}

/** What a request of OpenID has that nobody can know before, each for one use. */
export interface OpenidSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636), and what the request shows of it. */
  readonly verifier: string;
  readonly challenge: string;
}

/** What the commands that drive an instance work with. Nothing of it opens a database. */
export interface DriveContext {
  /** The result of a command, and nothing else. */
  readonly out: Output;
  /** Notes and errors. */
  readonly err: Output;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Aborted by Ctrl-C. */
  readonly stop: AbortSignal;
  /** What the settings of a service are read from, for the commands that open its store. */
  readonly environment: Environment;
  /** @throws Error that says what is allowed */
  readonly instance: (flags: {
    readonly url?: string | undefined;
    readonly scope?: string | undefined;
  }) => InstanceSettings;
  /** The next line of standard input; null after the last one. A hidden one is not shown. */
  readonly ask: (question: string, how?: AskHow) => Promise<string | null>;
  /** Whether a person can be asked: input and messages are those of a terminal. */
  readonly isInteractive: boolean;
  /** Opens an address in the person's browser, if there is one. */
  readonly openBrowser: (address: string) => void;
  /** Waits on this port of this machine, or on a free one, for a browser that comes back. */
  readonly listenForReturn: (port?: number) => Promise<ReturnListener>;
  readonly openidSecrets: () => OpenidSecrets;
  readonly readFile: (path: string) => string;
  /** A file with this text, which only this user may read. @throws Error of the file system */
  readonly writeFile: (path: string, pieces: Iterable<string>, how: WriteHow) => Promise<Written>;
  /** The text of a people file. @throws Error where the simulator is not installed */
  readonly peopleFile: (options: PopulationOptions) => Promise<Iterable<string>>;
}

/** How a file is written. */
export interface WriteHow {
  /** Whether it may take the place of a file that is there. */
  readonly replaces: boolean;
  /** Ends it, without a file. */
  readonly stop: AbortSignal;
}

export interface Written {
  readonly bytes: number;
  /** Of the text, in hex. */
  readonly sha256: string;
}

/** Which invented people: the same options are the same people. */
export interface PopulationOptions {
  readonly count: number;
  readonly seed: number;
}

/** Adds one command to the program. */
export type AddDriveCommand = (program: Command, context: DriveContext) => void;
