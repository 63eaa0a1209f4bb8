import { meant } from '@miftah/schema/nearest';
import { hash } from 'node:crypto';
import { isReturnAddress, WEB_ADDRESS } from '../../attempt/browser/return-address.ts';
import { memberOf } from '../../values/member.ts';
import { mayBeSecret, Secret } from '../../values/secret.ts';
import {
  MOST_RECEIVERS,
  receiverId,
  WEBHOOK_EVENTS,
  WEBHOOK_SECRETS,
  type WebhookEvent,
  type WebhookReceiver,
} from '../../webhooks/webhook.ts';

const MEMBERS: ReadonlySet<string> = new Set(['url', 'secrets', 'events']);

/** What Standard Webhooks asks for. */
const SECRET_BYTES = { least: 24, most: 64 };
const SECRET_FORM =
  `"whsec_" and the base64 of ${SECRET_BYTES.least} to ${SECRET_BYTES.most} random bytes: make one ` +
  'with `miftah webhooks secret`';

/** The receivers of a client, from its entry in the clients file. Faults name no secret. */
export function readWebhooks(
  client: string,
  listed: unknown,
  outer: (fault: string) => void,
): WebhookReceiver[] {
  if (listed === undefined) return [];
  const tell = (fault: string) => outer(`in "webhooks": ${fault}`);
  if (!Array.isArray(listed)) {
    tell('it must be a list');
    return [];
  }
  if (listed.length > MOST_RECEIVERS) tell(`it must have at most ${MOST_RECEIVERS} receivers`);
  const receivers = listed.map((entry: unknown, index) =>
    readReceiver(client, entry, (fault) => tell(`[${index}]: ${fault}`)),
  );
  // In one spelling: each event would come to it twice. What is no address has been told already.
  const places = receivers
    .map(({ url }) => URL.parse(url)?.href)
    .filter((place) => place !== undefined);
  if (new Set(places).size < places.length) tell('two have the same "url"');
  return receivers;
}

/** Of an unknown member, with the one that was probably meant. A secret may have been pasted there. */
export function shownName(name: string, members: readonly string[]): string {
  return mayBeSecret(name) ? 'a name that may be a secret' : name + meant(name, members);
}

function readReceiver(
  client: string,
  entry: unknown,
  tell: (fault: string) => void,
): WebhookReceiver {
  const names = typeof entry === 'object' && entry !== null ? Object.keys(entry) : [];
  const unknown = names.filter((name) => !MEMBERS.has(name));
  for (const name of unknown) tell(`unknown: ${shownName(name, [...MEMBERS])}`);
  const url = memberOf(entry, 'url');
  const isFit = typeof url === 'string' && isReturnAddress(url, 'confidential');
  if (!isFit) tell(`"url" must be ${WEB_ADDRESS}`);
  const secrets = readSecrets(memberOf(entry, 'secrets'), tell);
  return {
    id: receiverId(client, isFit ? url : ''),
    url: isFit ? url : '',
    secrets: secrets.map((text) => new Secret(text)),
    secretIds: secrets.map((text) => hash('sha256', `webhook secret\0${text}`, 'base64url')),
    events: readEvents(memberOf(entry, 'events'), tell),
  };
}

function readSecrets(listed: unknown, tell: (fault: string) => void): string[] {
  const list: readonly unknown[] = Array.isArray(listed) ? listed : [];
  if (list.length === 0 || list.length > WEBHOOK_SECRETS) {
    tell(`"secrets" must be a list of one secret, or of ${WEBHOOK_SECRETS} while it is changed`);
  }
  const fit = list.filter((text) => typeof text === 'string').filter(isSecret);
  if (new Set(fit).size < fit.length) tell('the two of "secrets" are the same');
  if (fit.length < list.length) tell(`each of "secrets" must be ${SECRET_FORM}`);
  return fit;
}

function isSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (base64 === undefined) return false;
  const bytes = Buffer.from(base64, 'base64');
  const { least, most } = SECRET_BYTES;
  // One spelling only: a library that is stricter than ours must read it too.
  return bytes.toString('base64') === base64 && bytes.length >= least && bytes.length <= most;
}

function readEvents(listed: unknown, tell: (fault: string) => void): readonly WebhookEvent[] {
  if (listed === undefined) return WEBHOOK_EVENTS;
  const list: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const events = WEBHOOK_EVENTS.filter((event) => list.includes(event));
  if (events.length === 0 || events.length < list.length) {
    tell(`"events" must be a list of ${WEBHOOK_EVENTS.join(', ')}, each once`);
  }
  return events;
}
