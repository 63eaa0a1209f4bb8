// `npm run site`: builds the documentation as a web site. `--help` shows the options.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildSite, DEFAULT_OUT } from './build-site.ts';
import { serveSite } from './serve.ts';

const HELP = `npm run site -- [options]

  --out DIR      where it is written (${DEFAULT_OUT}); the folder is emptied first
  --base PATH    the path that it will have on its host (/)
  --source URL   where the files of the repository are shown; without it they are named only
  --serve        builds it and serves it on this machine
  --port N       the port of --serve (4321)
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: DEFAULT_OUT },
      base: { type: 'string', default: '/' },
      source: { type: 'string' },
      serve: { type: 'boolean', default: false },
      port: { type: 'string', default: '4321' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const { folder, base, pages } = await buildSite({
    out: values.out,
    base: values.base,
    sourceUrl: values.source,
  });
  console.log(`${pages} documents in ${folder}; every link in it leads somewhere`);
  if (!values.serve) return;
  const { url } = await serveSite({ folder, base }, Number(values.port));
  console.log(`look at it on ${url} (Ctrl-C ends it)`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
