import type { SeededRandom } from '../../faults/seeded-random.ts';
import { CONTROL_CHARACTERS, hostileHeaders, hostileMediaType } from './headers.ts';
import type { HostileRequest } from './hostile-request.ts';
import { malformed } from './malformed.ts';
import { encodeLoosely, hostileForm, hostileJson, hostileText, noise } from './values.ts';

/** A valid attempt, for requests that should get past the first checks. */
export interface Victim {
  readonly attemptId: string;
  readonly attemptToken: string;
  readonly apiToken: string;
}

interface Route {
  readonly method: string;
  readonly path: string;
  /** Members of a valid body, as JSON. */
  readonly json?: Readonly<Record<string, string>>;
  readonly form?: readonly string[];
  readonly query?: readonly string[];
}

const API = '/api/v1';
const ID = ':id';

const ROUTES: readonly Route[] = [
  { method: 'POST', path: `${API}/start`, json: { locale: '"ar"' } },
  { method: 'POST', path: `${API}/start`, json: { national_id: '"2900000017"', locale: '"ar"' } },
  { method: 'GET', path: `${API}/status/${ID}` },
  { method: 'POST', path: `${API}/callback`, json: { state: `"${ID}"`, auto_complete: 'true' } },
  { method: 'GET', path: `${API}/callback`, query: ['state', 'locale'] },
  { method: 'POST', path: `${API}/callback/sign-in`, form: ['state', 'person', 'decision'] },
  { method: 'POST', path: `${API}/complete-mfa`, json: { attempt_id: `"${ID}"` } },
  {
    method: 'POST',
    path: `${API}/token/${ID}`,
    json: { attempt_token: '":token"', device_name: '"laptop"', completion_code: '"x"' },
  },
  { method: 'GET', path: `${API}/user` },
  { method: 'DELETE', path: `${API}/token` },
  { method: 'GET', path: `${API}/tokens` },
  { method: 'DELETE', path: `${API}/tokens/${ID}` },
  { method: 'POST', path: `${API}/introspect`, json: { token: '":token"' } },
  { method: 'POST', path: `${API}/introspect`, form: ['token', 'token_type_hint'] },
  { method: 'GET', path: '/', query: ['locale'] },
  { method: 'GET', path: '/dashboard', query: ['attempt_id', 'completion_code', 'locale'] },
  { method: 'GET', path: '/livez' },
  { method: 'GET', path: '/readyz' },
  { method: 'GET', path: '/docs' },
  { method: 'GET', path: '/openapi.json' },
  { method: 'GET', path: '/errors', query: ['locale'] },
  { method: 'GET', path: `/errors/${ID}` },
  { method: 'GET', path: `/assets/${ID}` },
  { method: 'GET', path: '/stg/api/v2/oidc/session', query: ['locale', 'requestId'] },
  {
    method: 'POST',
    path: '/stg/api/v1/mfa/request',
    query: ['local', 'requestId'],
    json: { nationalId: '"1999999999"', service: '"Login"' },
  },
  {
    method: 'POST',
    path: '/stg/api/v1/mfa/request/status',
    query: ['local', 'requestId'],
    json: { transId: '"x"', nationalId: '"1999999999"', random: '"00"' },
  },
  { method: 'GET', path: '/simulator/prompts', query: ['request_id'] },
  { method: 'POST', path: `/simulator/prompts/${ID}/decision`, json: { decision: '"approve"' } },
  { method: 'GET', path: '/simulator/people' },
  { method: 'GET', path: '/simulator/outcomes' },
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'];
const FORM = 'application/x-www-form-urlencoded';
const ACCEPTS = ['*/*', 'application/json', 'application/problem+json', 'text/html', '', '!'];

export function hostileRequest(random: SeededRandom, victim: Victim): HostileRequest {
  const route = random.pick(ROUTES);
  const fill = (text: string) =>
    text.replaceAll(ID, victim.attemptId).replaceAll(':token', victim.attemptToken);
  const method = random.chance(0.07) ? random.pick(METHODS) : route.method;
  const target = hostileTarget(random, route, victim) + hostileQuery(random, route);
  const accept = random.pick(ACCEPTS);
  const { body, mediaType } = hostileBody(random, route);
  const sentBody = Buffer.from(fill(body)).toString('latin1');
  const headers = [
    'Host: localhost',
    `Accept: ${accept}`,
    ...(mediaType === '' ? [] : [`Content-Type: ${mediaType}`]),
    ...credentials(random, victim),
    ...hostileHeaders(random),
  ];
  if (sentBody !== '' || method === 'POST') headers.push(`Content-Length: ${sentBody.length}`);
  const head = `${method} ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
  const whole = { method, target, bytes: head + sentBody, isHttp: true, accept };
  return random.chance(0.15) ? malformed(random, whole) : whole;
}

function hostileBody(random: SeededRandom, route: Route): { body: string; mediaType: string } {
  if (route.json === undefined && route.form === undefined) {
    if (random.chance(0.9)) return { body: '', mediaType: '' };
    return { body: noise(random, 20), mediaType: hostileMediaType(random) };
  }
  const isForm = route.form !== undefined;
  const body = isForm ? hostileForm(random, route.form) : hostileJson(random, route.json ?? {});
  const right = isForm ? FORM : 'application/json';
  return { body, mediaType: random.chance(0.15) ? hostileMediaType(random) : right };
}

function hostileTarget(random: SeededRandom, { path }: Route, { attemptId }: Victim): string {
  const id = random.chance(0.5) ? attemptId : encodeLoosely(hostileText(random));
  const plain = path.replace(ID, id);
  if (random.chance(0.85)) return plain;
  return random.pick([
    () => plain.toUpperCase(),
    () => `${plain}/`,
    () => `/${plain}`,
    () => `${plain}%00`,
    () => `${plain}%00.json`,
    () => `${plain};a=b`,
    () => `${plain}/../user`,
    () => `${plain}/%2e%2e/%2e%2e/livez`,
    () => `/api/v1/..%2f..${plain}`,
    () => plain.replaceAll('/', '//'),
    () => plain.replaceAll('/', '/./'),
    () => plain.replaceAll('/', '%2f'),
    () => plain.replace('api', '%61pi'),
    () => `${plain}%`,
    () => `${plain}%zz`,
    () => `${plain}%ff%fe`,
    () => `${plain}/${'a'.repeat(random.pick([300, 3000, 14_000]))}`,
    () => `${plain}${'/a'.repeat(500)}`,
    () => `${plain}\u00ff\u00fe`,
    () => `http://other.invalid${plain}`,
    () => `http://localhost@other.invalid${plain}`,
    () => `${plain}#fragment`,
    () => '*',
    () => plain.slice(1),
  ])();
}

function hostileQuery(random: SeededRandom, { query = [] }: Route): string {
  if (query.length === 0) {
    return random.chance(0.05) ? `?${encodeLoosely(hostileText(random))}` : '';
  }
  const pairs = query.map((name) => `${name}=${encodeLoosely(hostileText(random))}`);
  if (random.chance(0.2)) pairs.push(`${pairs[0]}`, `${query[0]}[]=x`, `${query[0]}[a]=x`);
  if (random.chance(0.1)) pairs.push('%', '%zz=%', '&&=&', '__proto__=1', 'constructor[x]=1');
  return `?${pairs.join('&')}`;
}

function credentials(random: SeededRandom, victim: Victim): string[] {
  const headers: string[] = [];
  const token = random.chance(0.5) ? victim.attemptToken : headerText(random);
  if (random.chance(0.5)) headers.push(`X-Provider-Attempt-Token: ${token}`);
  const bearer = random.pick([victim.apiToken, 'mfk_test_simulator', headerText(random)]);
  const scheme = random.pick(['Bearer', 'Bearer', 'bearer', 'Basic', 'Bearer Bearer', '']);
  if (random.chance(0.5)) headers.push(`Authorization: ${scheme} ${bearer}`);
  if (random.chance(0.2)) headers.push(`Idempotency-Key: ${headerText(random)}`);
  return headers;
}

/** Text that HTTP permits in a header; malformed.ts has the rest. */
function headerText(random: SeededRandom): string {
  const text = Buffer.from(hostileText(random)).toString('latin1');
  return text.replaceAll(CONTROL_CHARACTERS, '');
}
