// A Firefox of the machine, driven by WebDriver BiDi, which it speaks by itself: the protocol that
// Playwright has for Firefox needs one of Playwright's own making.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Connection } from './connection.ts';

/** Turns off what would use the network on its own, and asks. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'captivedetect.canonicalURL': '',
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,none',
  'toolkit.telemetry.server': 'data:,none',
};

export interface Firefox {
  /** A tab with cookies and storage of its own. */
  openTab(): Promise<FirefoxTab>;
  end(): Promise<void>;
}

export interface FirefoxTab {
  /** Whatever the page has reported as wrong. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** The value of an expression in the page, as JSON has it. A promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Resolves when the page has an element for the selector that is shown. */
  waitFor(selector: string): Promise<void>;
  /** A click of the mouse in the middle of the element, once it is shown. */
  click(selector: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a Firefox with an empty profile. @param program its path */
export async function startFirefox(program: string): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'miftah-firefox-'));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(child, 'exit');
  const end = async () => {
    child.kill('SIGKILL');
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const address = await addressIn(child.stderr);
    const connection = await connect(`${address}/session`);
    await connection.send('session.new', { capabilities: {} });
    await connection.send('session.subscribe', { events: ['log.entryAdded'] });
    return {
      openTab: () => openTab(connection),
      end: async () => {
        connection.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Firefox says on standard error where it listens. */
async function addressIn(said: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of said) {
    text += String(chunk);
    const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`Firefox has ended: ${text}`);
}

const WARNINGS = new Set(['warn', 'error']);

/** One tab at a time: what any page reports is a complaint of the one that was opened last. */
async function openTab(connection: Connection): Promise<FirefoxTab> {
  const complaints: string[] = [];
  connection.on('log.entryAdded', ({ level, text }) => {
    if (WARNINGS.has(String(level))) complaints.push(String(text));
  });
  const { userContext } = await connection.send('browser.createUserContext', {});
  const { context } = await connection.send('browsingContext.create', { type: 'tab', userContext });
  const evaluate = (expression: string) => evaluateIn(connection, context, expression);
  const waitFor = async (selector: string) => {
    await evaluate(untilShown(selector));
  };
  return {
    complaints,
    async open(url) {
      await connection.send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    evaluate,
    waitFor,
    async click(selector) {
      const [x, y] = (await evaluate(untilShown(selector))) as readonly number[];
      const source = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' } };
      const actions = [
        { type: 'pointerMove', x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await connection.send('input.performActions', { context, actions: [{ ...source, actions }] });
    },
    async [Symbol.asyncDispose]() {
      await connection.send('browser.removeUserContext', { userContext });
    },
  };
}

/** @throws Error with what the page has thrown */
async function evaluateIn(
  connection: Connection,
  context: unknown,
  expression: string,
): Promise<unknown> {
  const json = `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`;
  const answer = await connection.send('script.evaluate', {
    expression: json,
    target: { context },
    awaitPromise: true,
  });
  const { result, exceptionDetails } = answer as {
    readonly result?: { readonly value: string };
    readonly exceptionDetails?: { readonly text: string };
  };
  if (result === undefined) throw new Error(`in Firefox: ${exceptionDetails?.text ?? 'no value'}`);
  return JSON.parse(result.value);
}

/** The middle of the element, in the window, as soon as it is shown. */
function untilShown(selector: string): string {
  return `new Promise((resolve) => {
    const look = () => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (!element?.checkVisibility()) return requestAnimationFrame(look);
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { x, y, width, height } = element.getBoundingClientRect();
      resolve([Math.round(x + width / 2), Math.round(y + height / 2)]);
    };
    look();
  })`;
}
