import { renderUnicodeCompact } from 'uqr';
import type { Config } from '../../config/config.ts';

/** The addresses of pages, each with a code that lets one browser in. */
export interface Entrance {
  readonly console: string;
  readonly phone: string;
}

/** A scanner finds the symbol by the light margin around it. The standard asks for four modules. */
const QUIET_ZONE = 4;
/** Light on black whatever the colours of the terminal are: its light modules are characters. */
const [LIGHT_ON_DARK, PLAIN] = ['\u001B[97;40m', '\u001B[0m'];

/** What `--lan` has opened, and how the first two browsers get in. */
export function lanLines(config: Config, { console, phone }: Entrance): string[] {
  const { lan, publicUrl, host } = config;
  const others = lan?.others ?? [];
  const where = lan?.address === host ? `on ${host} alone` : 'on every address of this machine';
  return [
    `  OPEN TO THE LOCAL NETWORK, ${where}: whoever reaches it can`,
    '  start sign-ins and use the API. The phone, the console and the control API ask for a code.',
    `  It can also read ${openPages(config).join(' and ')}, which ask for none.`,
    ...(others.length === 0
      ? []
      : [`  Devices are told ${publicUrl}; HOST=... chooses another: ${others.join(', ')}`]),
    '',
    '  For one browser each, once, within two minutes. The console makes further codes.',
    '',
    `  Console     ${console}`,
    `  Phone       ${phone}`,
    '',
    ...symbolOf(phone),
    '',
  ];
}

/** What else this port serves to everybody. The document of the API is there without its reader. */
function openPages({ docs, metricsPort }: Config): string[] {
  return [docs ? '/docs' : '/openapi.json', ...(metricsPort === null ? ['/metrics'] : [])];
}

function symbolOf(address: string): string[] {
  const lines = renderUnicodeCompact(address, { border: QUIET_ZONE }).split('\n');
  return lines.map((line) => `  ${LIGHT_ON_DARK}${line}${PLAIN}`);
}
