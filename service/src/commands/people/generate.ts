import { InvalidArgumentError, type Command } from 'commander';
import type { DriveContext, PopulationOptions } from '../instance/drive-context.ts';
import { interrupted, misused, DriveFailure } from '../instance/failure.ts';
import { rowOf, textOf } from '../instance/rows.ts';
import { jsonWithoutControls, withoutControls } from '../instance/without-controls.ts';

/** As the simulator makes them, and as it loads them. */
const MOST_GENERATED = 10_000_000;
const MOST_LOADED = 200_000;
const MOST_SEED = 4_294_967_295;
const USUAL_SEED = 1;

interface Options extends PopulationOptions {
  readonly out?: string;
  readonly force?: true;
  readonly json?: true;
}

const AFTER = `
The same count and seed give the same file on every machine. Without --out it is printed.
  miftah people generate --count 100000 --seed 7 --out people.json
  PEOPLE_FILE=people.json npm run simulator`;

/** `miftah people generate`: a people file of invented people, without an instance. */
export function generateCommand(people: Command, context: DriveContext): void {
  people
    .command('generate')
    .description('makes a people file for the simulator (PEOPLE_FILE)')
    .requiredOption('--count <number>', `how many people, 1 to ${MOST_GENERATED}`, readCount)
    .option('--seed <number>', 'which people: others for each seed', readSeed, USUAL_SEED)
    .option('--out <file>', 'writes a new file, in place of standard output')
    .option('--force', 'with --out: replaces a file that is there')
    .option('--json', 'with --out: print as JSON what was written')
    .addHelpText('after', AFTER)
    .action((options: Options) => generate(context, options));
}

async function generate(context: DriveContext, options: Options): Promise<void> {
  const { out, force, json } = options;
  if (out === undefined && force !== undefined) throw misused('--force belongs to --out FILE.');
  if (out === undefined && json !== undefined) {
    throw misused('--json belongs to --out FILE: without it the people file itself is printed.');
  }
  const pieces = await context.peopleFile(options);
  if (out === undefined) return print(context.out, pieces);
  await save(context, { ...options, out }, pieces);
}

async function print(out: DriveContext['out'], pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    // Whoever listens to the output says what is wrong with it.
    const isTaken = await new Promise<boolean>((resolve) => {
      out.write(piece, (error) => resolve(!(error instanceof Error)));
    });
    if (!isTaken) return;
  }
}

async function save(
  context: DriveContext,
  { out: path, count, seed, force, json }: Options & { readonly out: string },
  pieces: Iterable<string>,
): Promise<void> {
  const { out, err, stop } = context;
  const how = { replaces: force === true, stop };
  const written = await context.writeFile(path, pieces, how).catch((error: unknown) => {
    throw stop.aborted ? interrupted() : unwritten(path, error);
  });
  if (count > MOST_LOADED) err.write(`A simulator loads at most ${MOST_LOADED} people.\n`);
  const isJson = json ?? out.isTTY !== true;
  const said = `${count} people of seed ${seed} are in ${path}, for PEOPLE_FILE of the simulator.`;
  const result = { file: path, people: count, seed, ...written };
  out.write(`${isJson ? jsonWithoutControls(result) : withoutControls(said)}\n`);
}

/** What to do about each error of the file system. */
const REMEDIES: Readonly<Record<string, string>> = {
  EEXIST: 'Name another file, or replace this one with --force.',
  ENOENT: 'Make its folder first.',
  ENOTDIR: 'Make its folder first.',
  EACCES: 'Name a file in a folder that this user may write into.',
  EPERM: 'Name a file in a folder that this user may write into.',
  EROFS: 'Name a file in a folder that this user may write into.',
  EISDIR: 'Name a file: this is a folder.',
  ENOSPC: 'Make room on the disk, or name a file on another one. Nothing is left of it.',
};

function unwritten(path: string, error: unknown): Error {
  const code = textOf(rowOf(error), 'code');
  if (code === '' && error instanceof Error) return error;
  const reason = code === 'EEXIST' ? 'it is there already' : code;
  return new DriveFailure({
    code: 'command.file_not_written',
    message: `The file ${path} was not written: ${reason}.`,
    remedy: REMEDIES[code],
  });
}

function readCount(text: string): number {
  const count = wholeNumber(text);
  if (count !== null && count >= 1 && count <= MOST_GENERATED) return count;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${MOST_GENERATED}.`);
}

function readSeed(text: string): number {
  const seed = wholeNumber(text);
  if (seed !== null && seed <= MOST_SEED) return seed;
  throw new InvalidArgumentError(`It is a whole number from 0 to ${MOST_SEED}.`);
}

function wholeNumber(text: string): number | null {
  return /^\d{1,10}$/.test(text) ? Number(text) : null;
}
