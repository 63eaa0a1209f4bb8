/** Programs of somebody who has installed the packages. */

/** What an application has of the types: the flow of a start follows from what it is given. */
export const CONSUMER = `
import { createClient, MiftahError, relayEvents, type User } from '@miftah/client';
const client = createClient({ baseUrl: 'https://sign-in.example/api/v1' });
const phone = await client.start({ locale: 'en', nationalId: '1000001101' });
const random: string = phone.random;
const browser = await client.start({ locale: 'en' });
const address: string = browser.authorizationUrl;
const { user, expiresAt }: { user: User; expiresAt: Date } = await phone.issueToken();
// @ts-expect-error: a member that no user has
export const none = user.secret;
export const all = [random, address, expiresAt, relayEvents(phone), new Error() instanceof MiftahError];
`;

/** What a page has of the element's types. */
export const PAGE = `
import '@miftah/client/element';
import type { MiftahEnd } from '@miftah/client/element';
const wait = document.createElement('miftah-wait');
wait.random = '048213';
wait.expiresAt = new Date(0);
wait.expiresAt = '2026-01-31T09:05:00+00:00';
// @ts-expect-error: a number loses its zeros
wait.random = 48213;
const at: number | undefined = wait.expiresAt?.getTime();
let end: MiftahEnd['status'] = 'failed';
document.addEventListener('miftah-end', ({ detail }) => void (end = detail.status));
export const all = [at, end, wait.state === 'offline'];
`;

/** What a test has of the kit's types. */
export const TEST = `
import { connectMiftah, startMiftah, type Person, type TestMiftah } from 'miftah/testing';
await using miftah: TestMiftah = await startMiftah({ strict: true, now: new Date(0) });
const amal: Person = miftah.people.amal;
const attempt = await miftah.client().start({ locale: 'en', nationalId: amal.nationalId });
const random: string = (await miftah.phone.approve(attempt)).random;
await miftah.waitFor(attempt, 'authenticated', { timeout: 1000 });
// @ts-expect-error: a state that no attempt has
await miftah.waitFor(attempt, 'done');
const { returnAddress }: { returnAddress: URL } = await miftah.browser.approve(miftah.url);
const { now }: { now: Date } = await miftah.clock.advance('5m');
export const all = [random, returnAddress, now, await connectMiftah(miftah.url, { scope: 'one' })];
`;

/** A program that renders pages on a server imports the element too. */
export const SERVER = `
import { MiftahWait } from '@miftah/client/element';
try {
  new MiftahWait();
} catch (error) {
  console.log(error.name, error.message);
}
`;

/** A login by phone, by somebody who has installed the client. */
export const APPLICATION = `
import process from 'node:process';
import { createClient } from '@miftah/client';
const client = createClient({ baseUrl: process.argv[2] });
const attempt = await client.start({ locale: 'en', nationalId: '1900000002' });
const { status } = await attempt.waitForResult();
const { token } = await client.resume(attempt.export()).issueToken();
console.log(status, token.slice(0, 9), (await client.user(token)).id > 0 ? 1 : 0);
`;
