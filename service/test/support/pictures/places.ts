import { serveEveryState } from '../element/every-state.ts';
import { ledTo } from '../led-to.ts';
import type { Locale, Shown } from './names.ts';
import { ApiClient, type Started } from '../programs/api-client.ts';

/** Programs that serve the pages, by their origins. */
export interface Origins {
  readonly simulation: string;
  /** In strict mode, which has the launch page. */
  readonly strict: string;
}

/** Where a page is, and what is on it when it is ready for its picture. */
export interface Place {
  readonly url: string | (() => Promise<string>);
  /** A selector of the page. */
  readonly ready: string;
}

/** The scope of a language: what waits there is in its words. */
const scopeOf = (locale: Locale) => `pictures-${locale}`;

const STRICT_KEY = 'mfk_test_simulator';
const HAPPENED = ['1900000001', '1900000010', '1900000021', '1900000050'];
const WAITING = ['1000001101', '2000006601'];

/** The element in each of its states; the page is made anew each time, because its times pass. */
export async function waitingPlace(locale: Locale): Promise<Place & AsyncDisposable> {
  const states = await serveEveryState();
  return {
    url: `${states.origin}/${locale}`,
    // The element offers its button when it has been offline for long.
    ready: '#offline button',
    [Symbol.asyncDispose]: () => states[Symbol.asyncDispose](),
  };
}

/** Starts what the pages show, in one language. @returns where each page is */
export async function preparePlaces(
  origins: Origins,
  locale: Locale,
): Promise<Readonly<Record<Exclude<Shown, 'waiting'>, Place>>> {
  const client = new ApiClient(origins.simulation);
  const query = `locale=${locale}`;
  const scope = `${query}&scope=${scopeOf(locale)}`;
  for (const national_id of [...HAPPENED, ...WAITING]) {
    const scoped = { 'x-miftah-scope': scopeOf(locale) };
    const { status, json } = await client.post('/start', { locale, national_id }, scoped);
    // What has become of it is written when somebody asks.
    if (status === 200) await client.status((json as { data: Started }).data);
  }
  const open = await client.start({ locale });
  const ended = await client.start({ locale });
  await approve(client, ended, query);
  const told = await careless(client, locale);
  await setFaults(client, locale);
  client.close();
  const { simulation } = origins;
  const room = (path: string) => `${simulation}/console?${scope}#/${path}`;
  return {
    home: { url: `${simulation}/?${query}`, ready: 'table' },
    'sign-in': { url: open.authorization_url ?? '', ready: '.person' },
    launch: { url: await launchAddress(origins.strict, locale), ready: 'button' },
    dashboard: {
      url: () => dashboardAddress(simulation, locale),
      ready: '[data-testid=completion-code]',
    },
    ended: { url: ended.authorization_url ?? '', ready: 'h1' },
    errors: { url: `${simulation}/errors?${query}`, ready: 'h1' },
    error: { url: `${simulation}/errors/attempt.pending?${query}`, ready: 'h1' },
    phone: { url: `${simulation}/simulator/phone?${scope}`, ready: '.prompt:nth-child(2)' },
    console: { url: room(''), ready: '[data-testid=connection][data-state=live]' },
    'console-attempt': { url: room(`attempts/${told}`), ready: '[data-testid=findings]' },
    'console-people': { url: room('people'), ready: '[data-testid=person-amal]' },
    'console-outcomes': { url: room('outcomes'), ready: '[data-testid=outcome-refuses]' },
    'console-clock': { url: room('clock'), ready: '[data-testid=clock-now]' },
    'console-faults': { url: room('faults'), ready: '[data-testid=rule-1]' },
    'console-phone': { url: room('phone'), ready: '[data-testid=no-symbol]' },
    'console-reset': { url: room('reset'), ready: '[data-testid=reset]' },
    'console-reference': { url: room('reference'), ready: '[data-testid=operation-listPrompts]' },
    design: { url: `${simulation}/simulator/design?${query}`, ready: 'table' },
  };
}

/** In the place of the person. @returns where the browser is sent back to */
async function approve(client: ApiClient, { attempt_id: state }: Started, query: string) {
  const approval = { state, person: 'faisal', decision: 'approve' };
  const { headers } = await client.postForm(`/callback/sign-in?${query}`, approval);
  return String(ledTo(headers));
}

/** Made anew for each picture, because the code in it is good for two minutes. */
async function dashboardAddress(origin: string, locale: Locale): Promise<string> {
  const client = new ApiClient(origin);
  const address = await approve(client, await client.start({ locale }), `locale=${locale}`);
  client.close();
  return address;
}

/** A sign-in by phone with mistakes that the coach finds. @returns the id of its attempt */
async function careless(client: ApiClient, locale: Locale): Promise<string> {
  const scope = { 'x-miftah-scope': scopeOf(locale) };
  const { json } = await client.post('/start', { locale, national_id: '1000002201' }, scope);
  const started = (json as { data: Started }).data;
  for (let polls = 0; polls < 7; polls += 1) await client.status(started);
  const prompts = `/simulator/prompts`;
  const of = `request_id=${started.attempt_id}`;
  const waiting = await client.send('GET', `${prompts}?${of}`, scope);
  const [prompt] = (waiting.json as { data: readonly { id: string }[] }).data;
  const headers = { 'content-type': 'application/json', ...scope };
  const decision = JSON.stringify({ decision: 'approve' });
  await client.send('POST', `${prompts}/${prompt?.id}/decision`, headers, decision);
  await client.status(started);
  await client.token(started);
  return started.attempt_id;
}

/** Two rules, for the room that lists them. No later sign-in is of this scope. */
async function setFaults(client: ApiClient, locale: Locale): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-miftah-scope': scopeOf(locale) };
  const slow = { operation: 'any', latency_ms: { min: 200, max: 900 }, seed: 7 };
  const away = { operation: 'mfa_request', status: 503, rate: 0.5, seed: 42 };
  const rules = JSON.stringify({ faults: [slow, away] });
  const { status, text } = await client.send('PUT', '/simulator/faults', headers, rules);
  if (status !== 200) throw new Error(`the faults were refused: ${text}`);
}

async function launchAddress(origin: string, locale: Locale): Promise<string> {
  const client = new ApiClient(origin);
  const headers = { authorization: `Bearer ${STRICT_KEY}` };
  const { json } = await client.post('/start', { locale }, headers);
  client.close();
  return (json as { data: { authorization_url: string } }).data.authorization_url;
}
