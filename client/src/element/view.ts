import { SPOKEN_STYLE, STYLE } from './style.ts';
import { WORDS, type Language, type Words } from './words.ts';

const SVG = 'http://www.w3.org/2000/svg';
/** As long as an attempt lives. */
const LIFETIME_MS = 300_000;
/** As long as a push lives in live mode. */
const PUSH_MS = 60_000;
/** What is left is little. */
const SOON = 0.2;
const SECOND_MS = 1_000;

/** What the element shows. The last four are ends, and `expired` may be seen by the page alone. */
export type WaitState =
  'connecting' | 'waiting' | 'offline' | 'authenticated' | 'rejected' | 'expired' | 'failed';

export interface Face {
  readonly language: Language;
  readonly state: WaitState;
  /** The number to match; empty when the person signs in by browser. */
  readonly random: string;
  /** Milliseconds; null when there is nothing to count. */
  readonly leftMs: number | null;
  readonly canRetry: boolean;
  readonly isTrying: boolean;
}

const CIRCLE = 'M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z';

/** Shapes of 24 by 24, so that no state is told by its colour alone. */
const ICONS: Readonly<Record<WaitState, string>> = {
  connecting: '',
  waiting: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11.5 18h1',
  offline: 'M3 3l18 18M3.5 10a13 13 0 0 1 17 0M7.5 14.5a7 7 0 0 1 9 0M12 19h.01',
  authenticated: 'M4.5 12.5l5 5L19.5 7',
  rejected: 'M6 6l12 12M18 6L6 18',
  expired: `${CIRCLE}M12 7.5V12l3 2`,
  failed: `${CIRCLE}M12 7.5v5M12 16.5h.01`,
};

/**
 * The inside of the element. Nodes are made one by one and every text is set as text, so that
 * nothing that came from the network can become markup, under any policy of the page.
 */
export class View {
  readonly #panel = make('div', 'panel');
  readonly #live = make('div', 'live');
  readonly #label = make('p', 'label');
  readonly #number = make('p', 'number');
  readonly #digits = make('span', 'digits');
  readonly #spoken = make('span', 'spoken');
  readonly #message = make('p', 'message');
  readonly #shape = document.createElementNS(SVG, 'path');
  readonly #text = make('span', 'text');
  readonly #hint = make('span', 'hint');
  readonly #countdown = make('p', 'countdown');
  readonly #left = make('span', 'left');
  readonly #time = make('span', 'time');
  readonly #bar = make('div', 'bar');
  readonly #rest = make('div', 'rest');
  readonly #retry = make('button', 'retry');
  #fullMs = PUSH_MS;

  constructor(root: ShadowRoot, retry: () => void) {
    addStyle(root);
    // By itself, because it must not be seen without the style either.
    this.#spoken.style.cssText = SPOKEN_STYLE;
    this.#nameParts();
    const icon = document.createElementNS(SVG, 'svg');
    set(icon, { class: 'icon', part: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' });
    // For a page whose policy leaves the style out.
    set(icon, { width: '24', height: '24', fill: 'none', stroke: 'currentColor' });
    icon.append(this.#shape);
    const words = document.createElement('span');
    words.append(this.#text, ' ', this.#hint);
    this.#number.append(this.#digits, this.#spoken);
    this.#message.append(icon, words);
    this.#live.append(this.#label, this.#number, this.#message);
    this.#countdown.append(this.#left, ' ', this.#time);
    this.#bar.append(this.#rest);
    this.#retry.addEventListener('click', retry);
    this.#panel.append(this.#live, this.#countdown, this.#bar, this.#retry);
    root.append(this.#panel);
  }

  #nameParts(): void {
    // Read as a whole whenever a text of it changes. The time is outside: it changes every second.
    set(this.#live, { role: 'status', 'aria-atomic': 'true', tabindex: '-1' });
    set(this.#digits, { dir: 'ltr', 'aria-hidden': 'true' });
    set(this.#time, { role: 'timer', dir: 'ltr' });
    set(this.#bar, { 'aria-hidden': 'true' });
    set(this.#retry, { type: 'button' });
  }

  show(face: Face): void {
    const { language, state, random, leftMs } = face;
    const words = WORDS[language];
    const isOpen = isPending(state);
    // The clock of the service is known to the second only.
    if (leftMs !== null && leftMs > PUSH_MS * 1.5) this.#fullMs = LIFETIME_MS;
    const isSoon = isOpen && leftMs !== null && leftMs < this.#fullMs * SOON;
    const hasNumber = isOpen && random !== '';
    set(this.#panel, {
      class: `panel ${state}${isSoon ? ' soon' : ''}`,
      lang: language,
      dir: language === 'ar' ? 'rtl' : 'ltr',
    });
    write(this.#label, hasNumber ? words.label : '');
    write(this.#digits, hasNumber ? random : '');
    write(this.#spoken, hasNumber ? Array.from(random).join(' ') : '');
    this.#number.hidden = !hasNumber;
    set(this.#shape, { d: ICONS[state] });
    const [text, hint] = sentences(words, face);
    write(this.#text, text);
    write(this.#hint, isSoon ? `${hint} ${words.soon}` : hint);
    write(this.#retry, words.retry);
    this.#showTime(words, leftMs);
    this.#offer(face.canRetry);
  }

  #showTime({ left }: Words, leftMs: number | null): void {
    const isShown = leftMs !== null;
    this.#countdown.hidden = this.#bar.hidden = !isShown;
    if (!isShown) return;
    write(this.#left, left);
    write(this.#time, clockText(leftMs));
    this.#rest.style.setProperty('--rest', Math.min(leftMs / this.#fullMs, 1).toFixed(3));
  }

  /** A button that is taken away while it has the focus leaves it to the sentence beside it. */
  #offer(canRetry: boolean): void {
    const root = this.#retry.getRootNode();
    const isLeft = !canRetry && root instanceof ShadowRoot && root.activeElement === this.#retry;
    if (isLeft) this.#live.focus();
    this.#retry.hidden = !canRetry;
  }
}

/**
 * A sheet that is adopted needs no exception in a policy. Where the browser has none (iOS before 16.4),
 * a policy without inline styles leaves the element plain.
 */
function addStyle(root: ShadowRoot): void {
  if ('adoptedStyleSheets' in root && 'replaceSync' in CSSStyleSheet.prototype) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  } else {
    const style = document.createElement('style');
    style.textContent = STYLE;
    root.append(style);
  }
}

export function isPending(state: WaitState): boolean {
  return state === 'connecting' || state === 'waiting' || state === 'offline';
}

/** What is the case, and what follows from it. */
function sentences(words: Words, { state, random, isTrying }: Face): readonly [string, string] {
  switch (state) {
    case 'connecting':
      return ['\u00A0', ''];
    case 'waiting':
      return random === '' ? [words.other, ''] : [words.waiting, words.choose];
    case 'offline':
      return [words.offline, isTrying ? words.trying : words.itself];
    case 'authenticated':
      return [words.authenticated, ''];
    case 'rejected':
      return [words.rejected, words.nobody];
    case 'expired':
    case 'failed':
      return [words[state], words.again];
  }
}

/** Minutes and seconds, as `4:05`, in the digits that the service's pages use in both languages. */
function clockText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / SECOND_MS));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function make(tag: string, name: string): HTMLElement {
  const element = document.createElement(tag);
  set(element, { class: name, part: name });
  return element;
}

function set(element: Element, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

/** A text that is set again, though it is the same, would be read aloud again. */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
