import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** An inline script of a page, and what the page's policy has to allow for it. */
export type PageScript = {
  readonly source: string;
  /** Its source in a Content-Security-Policy: only exactly this text runs. */
  readonly hash: string;
  /** Whether it sends requests to the page's own origin. */
  readonly connects: boolean;
};

/** What a page's policy has to allow for its script. */
export type ScriptPolicy = Pick<PageScript, 'hash' | 'connects'>;

/** Submits the form of the hand-over page. */
export const continueScript = readScript('continue', false);

/** Signs in from the home page, and finishes the sign-in on the dashboard stand-in. */
export const trialScript = readScript('trial', true);

/** Copies the commands of a page that has no other script. */
export const commandsScript = readScript('commands', false);

/** Shows the prompts of the simulated phone, and sends the answers to them. */
export const phoneScript = readScript('phone', true);

/** Loads the page with the number anew when the person has answered. */
export const pushScript = readScript('push', true);

/** The scripts are inline, so the browser runs exactly the text that was made here. */
function readScript(name: string, connects: boolean): PageScript {
  const source = withParts(readSource(name));
  if (/<\/script|<!--/i.test(source)) throw new Error(`${name}.js would end its own element`);
  const digest = createHash('sha256').update(source).digest('base64');
  return { source, hash: `sha256-${digest}`, connects };
}

/** Puts the file that a script imports in the place of the import: a page has one script. */
function withParts(source: string): string {
  return source.replaceAll(/^import \{.+\} from '\.\/(.+)\.js';$/gm, (_, part: string) =>
    readSource(part).replaceAll(/^export /gm, ''),
  );
}

function readSource(name: string): string {
  return readFileSync(new URL(`../browser/${name}.js`, import.meta.url), 'utf8');
}
