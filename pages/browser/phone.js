// Shows what waits on the simulated phone, and sends the person's answers, all over the control API.
// All texts are in the page; this script shows and hides them, and fills in what the prompts say.

import { followEvents } from './event-stream.js';
import { enterByCode, tellOfCode } from './one-time-code.js';
import { bringIntoView, messageIn, timeOf, writeOrigin } from './phone-facts.js';
import { choicesFor } from './phone-numbers.js';
import { forgetAnswered, keepAnswered, tellResult } from './phone-answered.js';

/**
 * @typedef {object} Prompt
 * @property {string} id
 * @property {'push' | 'redirect'} kind
 * @property {string} service
 * @property {{ar: string, en: string} | null} application
 * @property {string | null} place
 * @property {string} national_id
 * @property {{id: string, ar: string, en: string} | null} person
 * @property {string} random
 * @property {string} created_at
 * @property {string} expires_at
 */
/** @typedef {{now: string, frozen: boolean, data: Prompt[]}} News */
/** @typedef {{card: HTMLElement, prompt: Prompt}} Shown */

const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;
/** A simulator may have 200,000. */
const MOST_PEOPLE = 200;
const TOKEN = 'miftah.simulator-token';

const phone = /** @type {HTMLElement} */ (document.querySelector('[data-phone]'));
const { scope = '', language = '' } = phone.dataset;
const { title } = document;
/** @param {string} selector @param {ParentNode} [from] */
const find = (selector, from = phone) => /** @type {HTMLElement} */ (from.querySelector(selector));

const list = find('[data-prompts]');
const whose = /** @type {HTMLSelectElement} */ (find('[data-whose]'));
const tokenForm = /** @type {HTMLFormElement} */ (find('[data-token]'));

/** @type {Map<string, Shown>} */
const shown = new Map();
/** @type {Prompt[]} */
let waiting = [];
/**
 * The prompts that this page has answered, and whether the simulator has taken the answer. The next
 * news may still have them. @type {Map<string, boolean>}
 */
const answered = new Map();
/** How far the simulator's clock is ahead of this browser's, or where it stands. */
let aheadMs = 0;
let frozenAt = /** @type {number | null} */ (null);

/** Shows one sentence, and hides the others. @param {string | null} name */
function say(name) {
  for (const text of phone.querySelectorAll('[data-said]')) {
    text.toggleAttribute('hidden', text.getAttribute('data-said') !== name);
  }
}

function headers() {
  const token = sessionStorage.getItem(TOKEN);
  const proof = token === null ? {} : { authorization: `Bearer ${token}` };
  return { 'x-miftah-scope': scope, ...proof };
}

/**
 * Shows the news of one connection until it ends.
 * @returns {Promise<'worked' | 'lost' | 'asked'>} `asked`: somebody has typed a token
 */
async function followOnce() {
  if ((await enterByCode()) === 'lost') return 'lost';
  /** @type {'worked' | 'lost'} */
  let end = 'lost';
  /** @param {{data: string}} event */
  const take = async ({ data }) => {
    if (end === 'lost' && !find('[data-said=away]').hidden) say('back');
    end = 'worked';
    const news = /** @type {News} */ (JSON.parse(data));
    await readPeople(news);
    show(news);
  };
  const refusal = await followEvents({ path: '/simulator/events', headers: headers(), take });
  if (refusal?.status !== 401) return end;
  await askForToken();
  return 'asked';
}

async function follow() {
  let pause = PAUSE_MS;
  for (;;) {
    const end = await followOnce();
    pause = end === 'lost' ? Math.min(pause * 2, LONGEST_PAUSE_MS) : PAUSE_MS;
    if (end === 'asked') continue;
    say('away');
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Resolves when somebody has typed one. @returns {Promise<void>} */
function askForToken() {
  find('[data-wrong]').hidden = sessionStorage.getItem(TOKEN) === null;
  tellOfCode(tokenForm);
  tokenForm.hidden = false;
  const field = /** @type {HTMLInputElement} */ (find('input', tokenForm));
  field.value = '';
  field.focus();
  return new Promise((resolve) => {
    const enter = (/** @type {Event} */ event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN, field.value.trim());
      tokenForm.hidden = true;
      resolve();
    };
    tokenForm.addEventListener('submit', enter, { once: true });
  });
}

/**
 * The people of the scope, whose phones it can be: the first of them, whoever has something waiting,
 * and who is chosen. They may change while the page is open.
 * @param {News} news
 * @typedef {{national_id: string, arabic_name: {full: string}, english_name: {full: string}}} Person
 */
async function readPeople(news) {
  const path = `/simulator/people?limit=${MOST_PEOPLE}`;
  const answer = fetch(path, { headers: headers() }).then((said) => said.json());
  const said = /** @type {{data?: Person[]} | null} */ (await answer.catch(() => null));
  if (!said?.data) return;
  const { data } = said;
  const chosen = whose.selectedOptions[0];
  const options = new Map(
    [...data, ...askedIn(news)].map((one) => [one.national_id, optionOf(one)]),
  );
  // Where there are others, who was chosen may be one of them.
  const isCut = data.length === MOST_PEOPLE;
  const isThere = chosen !== undefined && (isCut || options.has(chosen.value));
  if (isThere && chosen.value !== '' && !options.has(chosen.value)) {
    options.set(chosen.value, chosen);
  }
  whose.replaceChildren(...[...whose.options].slice(0, 1), ...options.values());
  whose.value = isThere ? chosen.value : '';
}

/** Those who are asked for something and are people of the scope. @param {News} news */
function askedIn({ data }) {
  return data.flatMap(({ national_id, person }) =>
    person === null
      ? []
      : [{ national_id, arabic_name: { full: person.ar }, english_name: { full: person.en } }],
  );
}

/** @param {Person} person */
function optionOf({ national_id, arabic_name, english_name }) {
  const { full } = language === 'ar' ? arabic_name : english_name;
  const option = new Option(`${full} · ${national_id}`, national_id);
  option.dataset['name'] = full;
  return option;
}

/** @param {News} news */
function show({ now, frozen, data }) {
  aheadMs = Date.parse(now) - Date.now();
  frozenAt = frozen ? Date.parse(now) : null;
  waiting = data.filter(({ kind }) => kind === 'push');
  for (const [id, isTaken] of answered) {
    if (isTaken && !waiting.some((one) => one.id === id)) answered.delete(id);
  }
  render();
}

function render() {
  const mine = waiting.filter(
    ({ id, national_id }) =>
      !answered.has(id) && (whose.value === '' || national_id === whose.value),
  );
  const gone = [...shown.keys()].filter((id) => !mine.some((one) => one.id === id));
  const isGone = gone.some((id) => !waiting.some((one) => one.id === id) && !answered.has(id));
  for (const id of gone) remove(id);
  const added = mine.filter(({ id }) => !shown.has(id));
  for (const prompt of added) add(prompt, mine[mine.indexOf(prompt) - 1]);
  for (const prompt of mine) writeOriginOf(prompt);
  find('[data-counted]').hidden = mine.length === 0;
  find('[data-count]').textContent = String(mine.length);
  const newest = shown.get(added.at(-1)?.id ?? '')?.card;
  if (newest !== undefined) {
    forgetAnswered();
    say('arrived');
    bringIntoView(newest, list);
  } else if (isGone) say('gone');
  find('[data-empty]').hidden = mine.length > 0;
  document.title = mine.length > 0 ? `(${mine.length}) ${title}` : title;
}

/** @param {Prompt} prompt @param {Prompt} [older] that arrived last before it, of those that are shown */
function add(prompt, older) {
  const { content } = /** @type {HTMLTemplateElement} */ (find('template[data-prompt]'));
  const card = /** @type {HTMLElement} */ (find('li', content).cloneNode(true));
  card.dataset['testid'] = `prompt-${prompt.id}`;
  const heading = find('h2', card);
  heading.id = `heading-${prompt.id}`;
  card.setAttribute('aria-labelledby', heading.id);
  write(card, 'service', nameOf(prompt.service));
  write(card, 'name', ownerOf(prompt.national_id));
  write(card, 'identity', prompt.national_id);
  write(card, 'arrived', timeOf(prompt.created_at));
  find('[data-numbers]', card).append(
    ...choicesFor(prompt).map((one) => numberButton(prompt, one)),
  );
  for (const button of card.querySelectorAll('button[value]')) {
    const decision = button.getAttribute('value') ?? '';
    button.addEventListener('click', () => void decide(prompt, decision));
  }
  const form = find('[data-type]', card);
  find('details', card).addEventListener('toggle', () => find('input', form).focus());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { value } = /** @type {HTMLInputElement} */ (find('input', form));
    void decide(prompt, 'approve', value);
  });
  shown.set(prompt.id, { card, prompt });
  // The newest first, so that it is seen; who chooses another phone brings back older ones.
  list.insertBefore(card, shown.get(older?.id ?? '')?.card ?? null);
  countDown();
}

/** What is known of it may come a moment later. @param {Prompt} prompt */
function writeOriginOf(prompt) {
  const card = shown.get(prompt.id)?.card;
  if (card !== undefined) writeOrigin(card, prompt, phone.dataset);
}

/** @param {ParentNode} card @param {string} field @param {string} text */
function write(card, field, text) {
  find(`[data-field=${field}]`, card).textContent = text;
}

/** The name of who has this number; empty for a number that nobody has. @param {string} nationalId */
function ownerOf(nationalId) {
  const owner = [...whose.options].find(({ value }) => value === nationalId);
  return owner?.dataset['name'] ?? '';
}

/** @param {string} service */
function nameOf(service) {
  const known = phone.querySelector(`template[data-service="${CSS.escape(service)}"]`);
  return known instanceof HTMLTemplateElement ? (known.content.textContent ?? service) : service;
}

/** @param {Prompt} prompt @param {string} number */
function numberButton(prompt, number) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'primary';
  button.dataset['testid'] = `number-${number}`;
  const text = document.createElement('bdi');
  text.className = 'number';
  text.dir = 'ltr';
  text.textContent = number;
  button.append(text);
  button.addEventListener('click', () => void decide(prompt, 'approve', number));
  return button;
}

/** The simulator compares the number. @param {Prompt} prompt @param {string} decision @param {string} [number] */
async function decide({ id }, decision, number) {
  if (answered.has(id)) return;
  answered.set(id, false);
  try {
    const answer = await fetch(`/simulator/prompts/${encodeURIComponent(id)}/decision`, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: JSON.stringify({ decision, number }),
    });
    if (number !== undefined && answer.status === 422) return askAgain(id);
    if (!answer.ok) throw new Error(await messageIn(answer));
    const { data } = /** @type {{data: {reason: string | null}}} */ (await answer.json());
    answered.set(id, true);
    render();
    const result = data.reason === 'wrong_number' ? 'wrong_number' : decision;
    say(result);
    tellResult(id, find(`[data-said=${result}]`).textContent);
  } catch (error) {
    answered.delete(id);
    forgetAnswered();
    render();
    // The browser's own words for a call without an answer are in its own language.
    if (error instanceof TypeError) return say('away');
    find('[data-fault]').textContent = error instanceof Error ? error.message : '';
    say('fault');
  }
}

/** What was typed is no number: that is no answer. @param {string} id */
function askAgain(id) {
  answered.delete(id);
  render();
  say('no_number');
}

/**
 * Whoever answers by keyboard goes on at the next prompt, or at the choice of the phone. For a finger and
 * a mouse the page stays where it is. @param {HTMLElement} card
 */
function moveFocus(card) {
  const at = document.activeElement;
  if (at === null || !card.contains(at)) return;
  const cards = [...list.querySelectorAll('.prompt')];
  const index = cards.indexOf(card);
  const next = cards[index + 1] ?? cards[index - 1];
  const preventScroll = !at.matches(':focus-visible');
  (next ? find('h2', next) : whose).focus({ preventScroll });
}

/** @param {string} id */
function remove(id) {
  const card = shown.get(id)?.card;
  if (card === undefined) return;
  shown.delete(id);
  moveFocus(card);
  if (answered.has(id)) keepAnswered(id, card);
  else card.remove();
}

function countDown() {
  const now = frozenAt ?? Date.now() + aheadMs;
  for (const { card, prompt } of shown.values()) {
    const seconds = Math.max(0, Math.ceil((Date.parse(prompt.expires_at) - now) / 1000));
    const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    const field = find('[data-field=left]', card);
    if (field.textContent !== text) field.textContent = text;
  }
}

whose.addEventListener('change', () => {
  forgetAnswered();
  render();
  say(null);
});
setInterval(countDown, 250);
void follow();
