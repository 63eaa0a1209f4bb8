/** Starts or connects to a Miftah for tests, and acts as its simulated people. */
export type { AttemptOrUrl, BrowserOfMiftah, Returned } from './browser.ts';
export type { Client } from './clients.ts';
export type { ClockOfMiftah, ClockState } from './clock.ts';
export { connectMiftah, type ConnectOptions } from './connect.ts';
export type { FaultRule, SetFault } from './faults.ts';
export { miftahFixture, type MiftahFixture, type SharedInstance } from './fixture.ts';
export type { IdTokenFlaw, OpenidOfMiftah } from './openid.ts';
export type { OutcomeKey } from './outcome-key.ts';
export type { NewPerson, People, Person, PersonName } from './people.ts';
export type { Phone, PhonePrompt } from './phone.ts';
export { startMiftah, type StartOptions } from './start.ts';
export type { TestMiftah } from './test-miftah.ts';
export type { ReceivedWebhook, Webhooks } from './webhooks.ts';
export type { WaitedState } from './wait-for.ts';
export type { Which } from './which.ts';
