import type { TrialStep } from '@miftah/pages';
import type { Locale } from '../values/locale.ts';

interface CurlLogin {
  /** The address of the API. */
  readonly base: string;
  readonly nationalId: string;
  /** The language of the answers. */
  readonly locale: Locale;
}

/**
 * The shell lines of a whole login of each flow: start both, complete both, exchange both. The page
 * has a line for each command, the banner one for each step (`oneLine`). They need only grep and any
 * version of curl (`--json` came with 7.82), because people run them before they have installed
 * anything.
 */
export function curlLines({ base, nationalId, locale }: CurlLogin): readonly TrialStep[] {
  const start = [
    `API=${base}`,
    `call() { curl -s -H 'Content-Type: application/json' $API/$1 -d "$2"; echo; }`,
    `id() { echo "$1" | grep -oE '[0-9a-f-]{36}' | head -1; }`,
    `token() { echo "$1" | grep -oE '[A-Za-z0-9_-]{64}' | head -1; }`,
    `WEB=$(call start '{"locale":"${locale}"}'); echo "$WEB"`,
    `PHONE=$(call start '{"national_id":"${nationalId}","locale":"${locale}"}'); echo "$PHONE"`,
  ];
  const approve = [
    `call callback "{\\"state\\":\\"$(id "$WEB")\\",\\"auto_complete\\":true}"`,
    `call complete-mfa "{\\"attempt_id\\":\\"$(id "$PHONE")\\"}"`,
  ];
  return [
    { step: 'start', lines: start },
    { step: 'approve', lines: approve },
    { step: 'exchange', lines: [exchange('$WEB'), exchange('$PHONE')] },
  ];
}

/** @param attempt the shell's variable that has the answer of the start */
function exchange(attempt: string): string {
  return `call token/$(id "${attempt}") "{\\"attempt_token\\":\\"$(token "${attempt}")\\"}"`;
}

/** The commands of a step in one line. */
export function oneLine({ lines }: TrialStep): string {
  return lines.join('; ');
}
