// Runs one PostgreSQL server for the program that started this one, and ends with it: when that
// program dies, its pipe closes, and the server is stopped and its folder removed. Takes one line
// of options, then commands, one a line, with an argument after a space; answers each by a line of
// JSON.

import process from 'node:process';
import { createInterface } from 'node:readline';
import { Cluster, type ClusterOptions } from './cluster.ts';

type Command = (cluster: Cluster, argument: string) => Promise<unknown>;

const COMMANDS: Readonly<Record<string, Command>> = {
  start: (cluster) => cluster.start(),
  stop: (cluster) => cluster.stop(),
  kill: (cluster) => cluster.kill(),
  follow: (cluster, url) => cluster.follow(url),
};

async function answer(work: () => Promise<unknown>): Promise<void> {
  const told = await work().then(
    (value) => ({ value: value ?? null }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

/** Ctrl+C reaches every process of a terminal; only the end of the pipe ends this one. */
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
// The answer to a program that is gone.
process.stdout.on('error', () => undefined);

let cluster: Cluster | null = null;
for await (const line of createInterface(process.stdin)) {
  await answer(async () => {
    if (cluster === null) {
      cluster = new Cluster(JSON.parse(line) as ClusterOptions);
      return cluster.initialise();
    }
    const [name = '', argument = ''] = line.split(' ');
    return COMMANDS[name]?.(cluster, argument);
  });
}
await (cluster as Cluster | null)?.remove();
