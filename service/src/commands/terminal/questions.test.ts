import { EventEmitter } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { Questions, type KeyInput, type Screen } from './questions.ts';

const VISIBLE = { isHidden: false };
const HIDDEN = { isHidden: true };

const nothing = () => undefined;

function terminal(columns = 80) {
  const events = new EventEmitter();
  // What is typed before anybody reads stays with the terminal.
  let waiting: (() => void)[] = [];
  const arrive = (event: 'data' | 'end', keys?: string) => {
    if (events.listenerCount(event) > 0) events.emit(event, keys);
    else waiting.push(() => events.emit(event, keys));
  };
  let [shown, isRaw] = ['', false];
  const input: KeyInput = {
    setRawMode: (raw) => void (isRaw = raw),
    setEncoding: nothing,
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
    resume: () => {
      for (const one of waiting) one();
      waiting = [];
    },
    pause: nothing,
  };
  const output: Screen = {
    columns,
    write: (text, written) => {
      shown += text;
      written?.();
    },
  };
  const interrupt = vi.fn<() => void>();
  const questions = new Questions(input, output, interrupt);
  return {
    questions,
    interrupt,
    type: (keys: string) => arrive('data', keys),
    end: () => arrive('end'),
    shown: () => stripVTControlCharacters(shown),
    isRaw: () => isRaw,
  };
}

describe('a terminal', () => {
  it('uses lines that were pasted at once in their order, and shows no hidden one', async () => {
    const { questions, type, shown, isRaw } = terminal();
    const first = questions.ask('first?', VISIBLE);
    type('one\r\ncanary-1\rcanary');
    expect(await first).toBe('one');
    // In between too: otherwise the terminal itself would show what comes then.
    expect(isRaw()).toBe(true);
    expect(await questions.ask('second?', HIDDEN)).toBe('canary-1');
    type('-2\nthree\r');
    expect(await questions.ask('third?', HIDDEN)).toBe('canary-2');
    expect(await questions.ask('fourth?', VISIBLE)).toBe('three');
    expect(shown()).toMatch(/first\?[^]*one[^]*second\?[^]*third\?[^]*fourth\?[^]*three/);
    expect(shown()).not.toContain('canary');
    questions.close();
    expect(isRaw()).toBe(false);
  });

  it('does not take for an answer that is asked again what was meant for others', async () => {
    const { questions, type, shown } = terminal();
    const first = questions.ask('first?', VISIBLE);
    type('wrong\rcanary\r');
    expect(await first).toBe('wrong');
    const again = questions.ask('again?', { isHidden: false, isAgain: true });
    type('right\r');
    expect(await again).toBe('right');
    expect(shown()).toMatch(/What was typed for later questions is left out\.\n[^]*again\?/);
    expect(shown()).not.toContain('canary');
    questions.close();
  });

  it('lets a line be mended', async () => {
    const { questions, type } = terminal();
    const line = questions.ask('?', VISIBLE);
    type('x\u0015م\u007F\u007Fab\u001B[Dc\r');
    expect(await line).toBe('acb');
    questions.close();
  });

  it('shows a question whole where the terminal does not know how wide it is', async () => {
    const { questions, type, shown } = terminal(0);
    const line = questions.ask('a question of several words?', VISIBLE);
    type('\r');
    expect(await line).toBe('');
    expect(shown()).toContain('a question of several words?');
    questions.close();
  });

  it('takes Enter alone for an empty answer', async () => {
    const { questions, type } = terminal();
    const visible = questions.ask('?', VISIBLE);
    type('\r\r');
    expect(await visible).toBe('');
    expect(await questions.ask('?', HIDDEN)).toBe('');
    questions.close();
  });

  it('ends with the input and with Ctrl-D, and can be asked again', async () => {
    const { questions, type, end, interrupt, isRaw } = terminal();
    const first = questions.ask('?', HIDDEN);
    type('canary\u0004more\r');
    expect(await first).toBeNull();
    expect(isRaw()).toBe(false);
    const second = questions.ask('?', VISIBLE);
    end();
    expect(await second).toBeNull();
    const third = questions.ask('?', VISIBLE);
    type('line\r');
    expect(await third).toBe('line');
    end();
    expect(await questions.ask('?', VISIBLE)).toBeNull();
    expect(interrupt).not.toHaveBeenCalled();
    questions.close();
  });

  it('ends with Ctrl-C, at a question, behind other lines and between questions', async () => {
    const at = terminal();
    const visible = at.questions.ask('?', VISIBLE);
    at.type('one\r');
    expect(await visible).toBe('one');
    const hidden = at.questions.ask('?', HIDDEN);
    await expect.poll(() => at.shown()).toMatch(/\?[^]*\?[^]*└/);
    at.type('two\rthree\r\u0003');
    expect(await hidden).toBeNull();
    expect([at.interrupt.mock.calls.length, at.isRaw()]).toEqual([1, false]);
    const between = terminal();
    const line = between.questions.ask('?', VISIBLE);
    between.type('line\r');
    expect(await line).toBe('line');
    between.type('\u0003');
    expect([between.interrupt.mock.calls.length, between.isRaw()]).toEqual([1, false]);
  });
});
