import type { AskHow } from '../drive/index.ts';

/** The input of a terminal, as far as a keyboard is read by it. */
export interface KeyInput {
  setRawMode(isRaw: boolean): unknown;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', read: (keys: string) => void): unknown;
  on(event: 'end', end: () => void): unknown;
  off(event: 'data', read: (keys: string) => void): unknown;
  off(event: 'end', end: () => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

interface KeyboardParts {
  readonly input: KeyInput;
  readonly show: (text: string) => void;
  /** What Ctrl-C does: the terminal sends no signal while its keys are read. */
  readonly interrupt: () => void;
}

const END_OF_INPUT = '\u0004';
const INTERRUPT = '\u0003';
const ESCAPE = '\u001B';
const ERASE_LINE = '\u0015';
const BACKSPACES = new Set(['\u0008', '\u007F']);
/** An arrow, for example. It edits nothing here. */
const SEQUENCE = new RegExp(`^${ESCAPE}(?:\\[[0-9;?]*[@-~]|O.)?`, 'u');
const BACK_OVER_ONE = '\b \b';

/**
 * Asks on a terminal. From the first question until it is closed the terminal itself shows nothing:
 * who pastes several answers at once would otherwise see the secret that is one of them, because
 * which answer is one is known only when its question is asked. What is not hidden is shown here.
 */
export class Keyboard {
  readonly #parts: KeyboardParts;
  /** What was typed for questions that are still to come. */
  #ahead = '';
  #line = '';
  #asked: { readonly isHidden: boolean; readonly answer: (line: string | null) => void } | null =
    null;
  #isOpen = false;

  constructor(parts: KeyboardParts) {
    this.#parts = parts;
  }

  /** @returns null when the input has ended, or was interrupted */
  ask(question: string, { isHidden, isAgain = false }: AskHow): Promise<string | null> {
    this.#open();
    if (isAgain && this.#ahead !== '') {
      // It was meant for other questions, and one of its lines may be a secret.
      this.#ahead = '';
      this.#parts.show('What was typed for later questions is left out.\n');
    }
    this.#parts.show(question);
    return new Promise((answer) => {
      this.#asked = { isHidden, answer };
      this.#use();
    });
  }

  close(): void {
    if (!this.#isOpen) return;
    const { input } = this.#parts;
    this.#isOpen = false;
    this.#ahead = this.#line = '';
    input.off('data', this.#read);
    input.off('end', this.#end);
    input.setRawMode(false);
    input.pause();
  }

  #open(): void {
    if (this.#isOpen) return;
    const { input } = this.#parts;
    this.#isOpen = true;
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#read);
    input.on('end', this.#end);
    input.resume();
  }

  readonly #read = (keys: string) => {
    if (keys.includes(INTERRUPT)) {
      this.#end();
      this.#parts.interrupt();
      return;
    }
    this.#ahead += keys;
    this.#use();
  };

  readonly #end = () => {
    this.close();
    this.#answer(null);
  };

  #use(): void {
    while (this.#asked !== null && this.#ahead !== '') {
      const [key = ''] = SEQUENCE.exec(this.#ahead) ?? Array.from(this.#ahead.slice(0, 2));
      this.#ahead = this.#ahead.slice(key.length);
      this.#press(key, this.#asked.isHidden);
    }
  }

  #press(key: string, isHidden: boolean): void {
    if (key === '\r' || key === '\n') {
      // Both together are one end of a line.
      if (key === '\r' && this.#ahead.startsWith('\n')) this.#ahead = this.#ahead.slice(1);
      this.#answer(this.#line);
    } else if (key === END_OF_INPUT) this.#answer(this.#line === '' ? null : this.#line);
    else if (BACKSPACES.has(key)) this.#erase(1, isHidden);
    else if (key === ERASE_LINE) this.#erase(this.#line.length, isHidden);
    else if (!SEQUENCE.test(key)) {
      this.#line += key;
      if (!isHidden && !/\p{Cc}/u.test(key)) this.#parts.show(key);
    }
  }

  #erase(count: number, isHidden: boolean): void {
    const characters = Array.from(this.#line);
    const left = characters.slice(0, Math.max(0, characters.length - count));
    this.#line = left.join('');
    if (!isHidden) this.#parts.show(BACK_OVER_ONE.repeat(characters.length - left.length));
  }

  #answer(line: string | null): void {
    const asked = this.#asked;
    this.#asked = null;
    this.#line = '';
    if (asked === null) return;
    this.#parts.show('\n');
    asked.answer(line);
  }
}
