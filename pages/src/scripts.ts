import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script that a page carries, and what the page's policy has to allow for it. */
export type PageScript = {
  readonly source: string;
  /** As a source in a Content-Security-Policy: only this text runs. */
  readonly hash: string;
  /** Whether it calls the page's own origin. */
  readonly connects: boolean;
};

/** Sends the form of the hand-over page. */
export const continueScript = readScript('continue', false);

/** Signs in from the home page, and finishes on the dashboard stand-in. */
export const trialScript = readScript('trial', true);

/** The scripts stand in the page itself, so what runs is exactly what has been read here. */
function readScript(name: string, connects: boolean): PageScript {
  const source = readFileSync(new URL(`../browser/${name}.js`, import.meta.url), 'utf8');
  if (/<\/script|<!--/i.test(source)) throw new Error(`${name}.js would end its own element`);
  const digest = createHash('sha256').update(source).digest('base64');
  return { source, hash: `sha256-${digest}`, connects };
}
