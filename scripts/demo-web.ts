// `npm run demo:web`: the application of examples/web, with the client of this checkout.

import process from 'node:process';
import { parseArgs } from 'node:util';

/** Exit code for arguments that can't be used. */
const EXIT_MISUSED = 2;

const USAGE = `Usage: npm run demo:web [-- --help]

Runs the web application of examples/web, until Ctrl-C. It signs people in at a Miftah that
runs, as by npm start.

  --help   print this and stop

Environment: PORT (8080), MIFTAH_URL (http://127.0.0.1:3000/api/v1), MIFTAH_KEY, APP_URL and
APP_SECRET, as examples/web/README.md says.`;

function readArguments(args: string[]): void {
  try {
    const { values } = parseArgs({ args, options: { help: { type: 'boolean' } } });
    if (values.help !== true) return;
    console.log(USAGE);
    process.exit();
  } catch {
    console.error('npm run demo:web takes no arguments but --help');
  }
  process.exit(EXIT_MISUSED);
}

readArguments(process.argv.slice(2));
await import('./published-element.ts');
await import('../examples/web/app.mjs');
