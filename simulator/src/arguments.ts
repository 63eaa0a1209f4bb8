/** What the command line asks for: to run, or to print a text and end with an exit code. */
export type Arguments =
  | { readonly kind: 'run' }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string };

/** Exit code for arguments that can't be used. */
export const EXIT_MISUSED = 2;

const HELP = `Usage: NAME=value npm run simulator

It takes no arguments but --help. Settings are environment variables:

  PORT       port to listen on, 0 for any free one (4000)
  DATA_DIR   folder of the signing keys (./data/simulator)

simulator/README.md lists all of them.`;

const REFUSED =
  'The simulator takes no arguments but --help: set environment variables, as in PORT=4001 npm run simulator';

/** An argument is not repeated, because it may be a secret. */
export function readArguments(args: readonly string[]): Arguments {
  if (args.length === 0) return { kind: 'run' };
  if (args.includes('--help')) return { kind: 'help', text: HELP };
  return { kind: 'refused', text: REFUSED };
}
