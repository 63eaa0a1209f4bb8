import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import process from 'node:process';
import { testIds } from '@miftah/pages';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { launchChromium } from '../../../../scripts/browser.ts';
import { readDocument, sectionOf } from '../../docs/documents.ts';
import { share } from '../at-end.ts';
import { moduleOf } from '../client/snippets.ts';
import { findFreePort } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import { openStrictOpenid } from './openid-scene.ts';

/** What docs/openid.md says of a library that was tried with the provider. */
export interface TriedClient {
  readonly library: string;
  readonly version: string;
  /** The member `openid` of the clients file. */
  readonly openid: string;
  readonly configuration: string;
}

/** What stands in the document for what each test has of its own. */
const IN_DOCUMENT = {
  issuer: 'https://login.example.com',
  application: 'https://app.example.com',
  clientId: /\bportal\b/g,
};

export const IN_JAVASCRIPT = 'Applications that were tried';
export const IN_OTHER_LANGUAGES = 'In other languages';

/** The libraries of a section of docs/openid.md, in their order. */
export function triedClients(title: string): readonly TriedClient[] {
  const section = sectionOf(readDocument('docs/openid.md'), title);
  const [, ...parts] = section.split('\n### ');
  return parts.map((part) => {
    const [, library = '', version = ''] = /^(\S+) (\S+)\n/.exec(part) ?? [];
    const [, openid = ''] = /```json\n([^]*?)```/.exec(part) ?? [];
    const [, configuration = ''] = /```(?!json)[a-z]+\n([^]*?)```/.exec(part) ?? [];
    return { library, version, openid, configuration };
  });
}

/** Where a library is tried. */
export interface Place {
  readonly issuer: string;
  readonly port: number;
  readonly clientId: string;
}

export interface Tried {
  readonly client: TriedClient;
  readonly place: Place;
}

/** The provider in strict mode with a client for each library, and a browser, for all tests of a file. */
export function shareTried(clients: readonly TriedClient[]) {
  const scene = share(async (atEnd) => {
    const browser = await launchChromium();
    atEnd(() => browser.close());
    const port = await findFreePort();
    const issuer = `http://127.0.0.1:${port}`;
    const tried = await Promise.all(
      clients.map(async (client, index) => {
        const place = { issuer, port: await findFreePort(), clientId: `tried-${index}` };
        return { client, place, entry: clientEntry(client, place) };
      }),
    );
    const entries = tried.map(({ entry }) => entry);
    await openStrictOpenid(atEnd, entries, { PORT: String(port) });
    return { browser, tried };
  });
  return {
    browser: () => scene().browser,
    triedOf: (library: string): Tried => {
      const found = scene().tried.find(({ client }) => client.library === library);
      if (found === undefined) throw new Error(`nobody is called ${library}`);
      return found;
    },
  };
}

/** Of another site than the provider, as in production: cookies of one are none of the other. */
export const applicationAt = ({ port }: Pick<Place, 'port'>) => `http://localhost:${port}`;

/** A text of the document with the addresses of the test. */
export function atPlace(text: string, place: Place): string {
  return text
    .replaceAll(IN_DOCUMENT.issuer, place.issuer)
    .replaceAll(IN_DOCUMENT.application, applicationAt(place))
    .replaceAll(IN_DOCUMENT.clientId, place.clientId);
}

export const keyOf = ({ clientId }: Place) => `mfk_${clientId}_0123456789abcdef`;

/** An entry of the clients file, with the name that all of them have. */
export function clientEntry({ openid }: TriedClient, place: Place) {
  const metadata = JSON.parse(atPlace(openid, place)) as Readonly<Record<string, unknown>>;
  const isPublic = metadata['token_endpoint_auth_method'] === 'none';
  return {
    id: place.clientId,
    name: { ar: 'تطبيق المثال', en: 'Example App' },
    type: isPublic ? 'public' : 'confidential',
    return_addresses: [],
    keys: isPublic ? [] : [keyOf(place)],
    openid: metadata,
  } as const;
}

/** What every application has beside its library. */
const BEFORE = `
import express from 'express';
const app = express();
app.get('/favicon.ico', (request, response) => response.status(204).end());
const json = (response, told) => response.type('text').send(JSON.stringify(told));
`;
const AFTER = `
app.listen(process.env.PORT, '127.0.0.1');
`;

/**
 * Starts the application of a library: its configuration as documented, and the routes around it.
 * @param routes may use the Express application `app`, and `json` to say what it was told
 */
export async function startApplication({ client, place }: Tried, routes: string) {
  const code = BEFORE + atPlace(client.configuration, place) + routes + AFTER;
  const command = [process.execPath, programOf(code)] as const;
  const secret = 'k'.repeat(32);
  const secrets = { CLIENT_SECRET: keyOf(place), AUTH_SECRET: secret, SESSION_SECRET: secret };
  await runUntilItAnswers(command, { PORT: String(place.port), ...secrets }, place);
  return { origin: applicationAt(place) };
}

const PAUSE_MS = 100;

/** Runs a program until the end of the test. @throws Error with what it has said, if it ends before */
export async function runUntilItAnswers(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  { port }: Place,
): Promise<void> {
  const child = spawn(program, args, { env });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  }
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(said)));
  ended.catch(() => undefined);
  await Promise.race([until(() => answers(port), PAUSE_MS), ended]);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      resolve(true);
      socket.destroy();
    }).once('error', () => resolve(false));
  });
}

/** Where their packages are, below the root. */
export const CLIENTS = 'service/test/openid/clients';

/** The path of a program with the packages that it imports. */
export function programOf(code: string): string {
  const imported = code.matchAll(/^import .*'((?:@[\w-]+\/)?[\w-]+)[^']*';$/gm);
  const packages = new Set([...imported].map(([, name = '']) => name));
  return moduleOf(code, [...packages], CLIENTS);
}

/** What a person does on the page before the sign-in, and on that of the provider. */
export async function decideIn(page: Page, decision: 'approve' | 'refuse' = 'approve') {
  await page.getByTestId(testIds.launch).click();
  await page.getByTestId(testIds.person('amal')).check();
  await page.getByTestId(testIds[decision]).click();
}

/** What the application says that it was told, once the browser is there. */
export async function toldTo(page: Page, address: string): Promise<Record<string, unknown>> {
  await page.waitForURL(address);
  return JSON.parse(await page.locator('body').innerText()) as Record<string, unknown>;
}
