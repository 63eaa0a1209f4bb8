// Signs in from the home page with the same calls that an application makes, and shows the
// progress. All texts are in the page; this script shows and hides them. The attempt token stays in
// this tab.
import { offerCopies } from './copy.js';

/** @typedef {{attempt_id: string, attempt_token: string, authorization_url?: string, random?: string}} Started */
/** @typedef {{token: string, user: {name: string, national_id: string, last_auth_method: string}}} Issued */
/** @typedef {{data: {id: string}[]}} Prompts */
/** @typedef {{message?: string, remedy?: string, code?: string}} Problem */

const KEPT = 'miftah.trial';
const POLL_MS = 2000;
const UNREGISTERED = 'provider.record_not_found';

const panel = /** @type {HTMLElement} */ (document.querySelector('[data-trial]'));
const { base = '', language = '', attempt, code } = panel.dataset;

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement} */ (panel.querySelector(selector));

/** Counts the sign-ins of this page. Answers for an earlier one are not shown. */
let current = 0;

/** The id of the simulator's prompt that waits for a decision. */
let waiting = '';

/** @param {string} stage */
function show(stage) {
  for (const text of panel.querySelectorAll('[data-when]')) {
    text.toggleAttribute('hidden', text.getAttribute('data-when') !== stage);
  }
}

/** @param {string} name @param {boolean} isShown */
function reveal(name, isShown) {
  find(`[data-${name}]`).toggleAttribute('hidden', !isShown);
}

/** @param {string} name @param {string} text */
function write(name, text) {
  find(`[data-${name}]`).textContent = text;
}

/** A refused call: what its answer says, and after how many seconds it may be repeated. */
class Refused extends Error {
  /** @param {Problem} problem @param {Response} answer */
  constructor(problem, { status, headers }) {
    super(problem.message ?? String(status));
    this.errorName = problem.code ?? '';
    // Those about a number are for applications: they name members of body and answer.
    this.remedy = this.isOfNumber ? '' : (problem.remedy ?? '');
    this.wait = headers.get('retry-after') ?? '';
  }

  get isOfNumber() {
    return this.errorName === 'validation.failed' || this.errorName === UNREGISTERED;
  }
}

/**
 * @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers]
 * @returns {Promise<unknown>}
 */
async function call(path, body, headers = {}) {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const common = { accept: 'application/json', 'accept-language': language };
  const answer = await fetch(path, { ...sent, headers: { ...common, ...type, ...headers } });
  const said = /** @type {Problem} */ (await answer.json());
  if (!answer.ok) throw new Refused(said, answer);
  return said;
}

/** @param {() => Promise<void>} work */
async function attemptTo(work) {
  try {
    await work();
  } catch (error) {
    writeFault(error);
    show('fault');
    reveal('decisions', false);
  }
}

/** What is not known of it is hidden. @param {unknown} error */
function writeFault(error) {
  const none = { remedy: '', errorName: '', wait: '' };
  const { remedy, errorName, wait } = error instanceof Refused ? error : none;
  write('fault', error instanceof Error ? error.message : '');
  write('remedy', remedy);
  write('wait', `Retry-After: ${wait}`);
  write('catalogue', errorName);
  find('[data-catalogue]').setAttribute(
    'href',
    `/errors/${encodeURIComponent(errorName)}?locale=${language}`,
  );
  reveal('remedy', remedy !== '');
  reveal('unregistered', errorName === UNREGISTERED);
  reveal('wait', wait !== '');
  reveal('catalogue', errorName !== '');
}

/** @param {Record<string, string>} body @returns {Promise<Started>} */
async function start(body) {
  current += 1;
  unmarkNumber();
  for (const name of ['number', 'decisions', 'places', 'result']) reveal(name, false);
  show('starting');
  const { data } = /** @type {{data: Started}} */ (await call(`${base}/start`, body));
  return data;
}

async function signInByBrowser() {
  const { attempt_id, attempt_token, authorization_url = '' } = await start({ locale: language });
  sessionStorage.setItem(KEPT, JSON.stringify({ attempt_id, attempt_token }));
  location.assign(authorization_url);
}

/** @param {string} nationalId */
async function signInByPhone(nationalId) {
  const started = await start({ national_id: nationalId, locale: language });
  write('matching', started.random ?? '');
  reveal('number', true);
  reveal('places', true);
  show('waiting');
  const number = find('[data-number]');
  number.focus({ preventScroll: true });
  number.scrollIntoView({ block: 'center' });
  await offerDecisions(started);
  await follow(started, current);
}

/**
 * There is no prompt for a reserved number, which decides by itself, or if the simulator needs a
 * token.
 */
async function offerDecisions(/** @type {Started} */ { attempt_id }) {
  const id = encodeURIComponent(attempt_id);
  const prompts = await call(`/simulator/prompts?request_id=${id}`).catch(() => ({ data: [] }));
  const [prompt] = /** @type {Prompts} */ (prompts).data;
  waiting = prompt?.id ?? '';
  reveal('decisions', prompt !== undefined);
}

/** @param {string} decision */
async function decide(decision) {
  reveal('decisions', false);
  await call(`/simulator/prompts/${waiting}/decision`, { decision });
}

/** Reads the status every two seconds, as an application may, until the attempt has ended. */
async function follow(/** @type {Started} */ started, /** @type {number} */ turn) {
  const headers = { 'x-provider-attempt-token': started.attempt_token };
  for (;;) {
    const answer = await call(`${base}/status/${started.attempt_id}`, undefined, headers);
    const { status } = /** @type {{data: {status: string}}} */ (answer).data;
    if (turn !== current) return;
    // There is nothing to be matched any more.
    if (status !== 'pending') reveal('number', false);
    if (status === 'authenticated') return exchange(started);
    if (status !== 'pending') {
      reveal('decisions', false);
      return show(status);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (turn !== current) return;
  }
}

/** @param {Started} started @param {string} [completionCode] */
async function exchange({ attempt_id, attempt_token }, completionCode) {
  reveal('decisions', false);
  show('exchanging');
  const proof = completionCode ? { completion_code: completionCode } : {};
  const body = { attempt_token, ...proof, device_name: 'Home page' };
  const answer = await call(`${base}/token/${attempt_id}`, body, { 'idempotency-key': newKey() });
  const { token, user } = /** @type {{data: Issued}} */ (answer).data;
  write('token', `${token.slice(0, 12)}…`);
  write('name', user.name);
  write('identity', user.national_id);
  for (const text of document.querySelectorAll('[data-method]')) {
    const isIt = text.getAttribute('data-method') === user.last_auth_method;
    text.toggleAttribute('hidden', !isIt);
  }
  reveal('result', true);
  show('authenticated');
}

/** 128 random bits. `randomUUID` is not there in pages without TLS from another machine. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** After the return from the sign-in page: the tab that started the attempt has its token. */
async function finish() {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null) return;
  const started = /** @type {Started} */ (JSON.parse(kept));
  if (started.attempt_id !== attempt) return;
  sessionStorage.removeItem(KEPT);
  panel.hidden = false;
  document.querySelector('[data-steps]')?.setAttribute('hidden', '');
  await attemptTo(() => exchange(started, code));
}

function offer() {
  const form = /** @type {HTMLFormElement} */ (find('form'));
  reveal('controls', true);
  onPress('[data-browser]', signInByBrowser);
  onPress('[data-reserved] button', signInByPhone);
  onPress('[data-decisions] button', decide);
  const field = /** @type {HTMLInputElement} */ (find('[name=national_id]'));
  // The browser itself refuses an empty number and submits nothing: the error is of the one before.
  field.addEventListener('invalid', () => {
    if (!find('[data-when=fault]').hidden) show('');
    unmarkNumber();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void attemptTo(() => signInByPhone(field.value.trim()).catch(markNumber));
  });
}

/** Marks the number that was typed where it is what is wrong. @param {unknown} error @returns {never} */
function markNumber(error) {
  if (error instanceof Refused && error.isOfNumber) {
    const field = find('[name=national_id]');
    field.setAttribute('aria-invalid', 'true');
    field.setAttribute('aria-describedby', 'trial-fault');
  }
  throw error;
}

function unmarkNumber() {
  const field = panel.querySelector('[name=national_id]');
  for (const name of ['aria-invalid', 'aria-describedby']) field?.removeAttribute(name);
}

/** @param {string} selector @param {(value: string) => Promise<void>} work */
function onPress(selector, work) {
  for (const button of panel.querySelectorAll(selector)) {
    const value = button.getAttribute('value') ?? '';
    button.addEventListener('click', () => void attemptTo(() => work(value)));
  }
}

offerCopies();
if (attempt === undefined) offer();
else void finish();
