import { PassThrough, Writable } from 'node:stream';
import type { AskHow } from '../drive/index.ts';

/** The input of a terminal, as far as its keys are read. */
export interface KeyInput {
  setRawMode(isRaw: boolean): unknown;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data' | 'end', read: (keys?: string) => void): unknown;
  off(event: 'data' | 'end', read: (keys?: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Where questions are shown. */
export interface Screen {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string, written?: (error?: Error | null) => void): unknown;
}

const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';
/** The keys that end a line: Enter, or Ctrl-D, which ends all of them. */
const LINE_END = new RegExp(`\\r\\n|[\\r\\n${END_OF_INPUT}]`);

/**
 * Asks on a terminal, each question with the keys of one line. From the first question until it is
 * closed the terminal itself shows nothing: who pastes several answers at once would otherwise see
 * the secret that is one of them, because which answer is one is known only when its question is
 * asked.
 */
export class Questions {
  readonly #input: KeyInput;
  readonly #output: Screen;
  /** What Ctrl-C does: the terminal sends no signal while its keys are read. */
  readonly #interrupt: () => void;
  /** What was typed for questions that are still to come. */
  #ahead = '';
  #keys: PassThrough | null = null;
  #isOpen = false;
  #isInterrupted = false;

  constructor(input: KeyInput, output: Screen, interrupt: () => void) {
    this.#input = input;
    this.#output = output;
    this.#interrupt = interrupt;
  }

  /** @returns null when the input has ended, or was interrupted */
  async ask(question: string, { isHidden, isAgain = false }: AskHow): Promise<string | null> {
    if (isAgain && this.#ahead !== '') {
      // It was meant for other questions, and one of its lines may be a secret.
      this.#ahead = '';
      this.#output.write('What was typed for later questions is left out.\n');
    }
    const { isCancel, password, text } = await import('@clack/prompts');
    this.#open();
    const input = (this.#keys = new PassThrough());
    this.#feed();
    const options = { message: question.trim(), input, output: this.#screen() };
    const answer = await (isHidden ? password(options) : text(options));
    this.#keys = null;
    if (!isCancel(answer)) return answer;
    this.close();
    if (this.#isInterrupted) this.#interrupt();
    return null;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ahead = '';
    this.#input.off('data', this.#read);
    this.#input.off('end', this.#end);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  /** Some terminals, such as a serial line, say that they are 0 columns wide. */
  #screen(): Writable {
    const { columns = 0, rows = 0 } = this.#output;
    const screen = new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => void this.#output.write(text, done),
    });
    return Object.assign(screen, {
      columns: columns === 0 ? USUAL_COLUMNS : columns,
      rows: rows === 0 ? USUAL_ROWS : rows,
    });
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#input.setRawMode(true);
    this.#input.setEncoding('utf8');
    this.#input.on('data', this.#read);
    this.#input.on('end', this.#end);
    this.#input.resume();
  }

  readonly #read = (keys = '') => {
    this.#ahead += keys;
    if (!keys.includes(INTERRUPT)) return this.#feed();
    if (this.#keys === null) {
      this.close();
      return this.#interrupt();
    }
    // Its question puts the terminal in order first.
    this.#isInterrupted = true;
    this.#end();
  };

  /** Without a question it is for the next one. */
  readonly #end = () => {
    this.#ahead = END_OF_INPUT;
    this.#feed();
  };

  #feed(): void {
    if (this.#keys === null) return;
    const end = LINE_END.exec(this.#ahead);
    const line = this.#ahead.slice(0, end?.index);
    this.#ahead = this.#ahead.slice(line.length + (end?.[0].length ?? 0));
    this.#keys.write(line);
    if (end === null) return;
    // The keys by which the library knows an end and Enter.
    this.#keys.write(end[0] === END_OF_INPUT ? INTERRUPT : '\r');
    this.#keys = null;
  }
}
