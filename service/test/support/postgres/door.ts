import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import process from 'node:process';

/** Names the socket at which the tests ask for the server of their run (global-setup.ts). */
export const TEST_POSTGRES = 'TEST_POSTGRES';

/** The server that all test files of a run share. */
export interface SharedServer {
  /** Of a user who may create databases. */
  readonly url: string;
  /** What the names of all databases of this run begin with. */
  readonly run: string;
}

let shared: Promise<SharedServer> | null = null;

/** @throws Error with what to do when there is no server */
export function sharedServer(): Promise<SharedServer> {
  return (shared ??= ask());
}

async function ask(): Promise<SharedServer> {
  const path = process.env[TEST_POSTGRES];
  if (path === undefined) throw new Error('only vitest starts the server that tests share');
  const told = JSON.parse(await text(connect(path))) as SharedServer | { error: string };
  if ('error' in told) throw new Error(told.error);
  return told;
}
