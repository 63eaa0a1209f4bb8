import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Keyboard, type KeyInput } from './keyboard.ts';

const VISIBLE = { isHidden: false };
const HIDDEN = { isHidden: true };

const nothing = () => undefined;

function terminal() {
  const events = new EventEmitter();
  let [shown, isRaw] = ['', false];
  const input: KeyInput = {
    setRawMode: (raw) => void (isRaw = raw),
    setEncoding: nothing,
    on: (event: string, listener: (...given: string[]) => void) => events.on(event, listener),
    off: (event: string, listener: (...given: string[]) => void) => events.off(event, listener),
    resume: nothing,
    pause: nothing,
  };
  const interrupt = vi.fn<() => void>();
  const keyboard = new Keyboard({ input, show: (text) => void (shown += text), interrupt });
  return {
    keyboard,
    interrupt,
    type: (keys: string) => void events.emit('data', keys),
    end: () => void events.emit('end'),
    shown: () => shown,
    isRaw: () => isRaw,
  };
}

describe('a terminal', () => {
  it('uses lines that were pasted at once in their order, and shows no hidden one', async () => {
    const { keyboard, type, shown, isRaw } = terminal();
    const first = keyboard.ask('a> ', VISIBLE);
    type('one\r\ncanary-1\rcanary');
    expect(await first).toBe('one');
    // In between too: otherwise the terminal itself would show what comes then.
    expect(isRaw()).toBe(true);
    expect(await keyboard.ask('b> ', HIDDEN)).toBe('canary-1');
    type('-2\nthree\r');
    expect(await keyboard.ask('c> ', HIDDEN)).toBe('canary-2');
    expect(await keyboard.ask('d> ', VISIBLE)).toBe('three');
    expect(shown()).toBe('a> one\nb> \nc> \nd> three\n');
    keyboard.close();
    expect(isRaw()).toBe(false);
  });

  it('does not take for an answer that is asked again what was meant for others', async () => {
    const { keyboard, type, shown } = terminal();
    const first = keyboard.ask('a> ', VISIBLE);
    type('wrong\rcanary\r');
    expect(await first).toBe('wrong');
    const again = keyboard.ask('again> ', { isHidden: false, isAgain: true });
    type('right\r');
    expect(await again).toBe('right');
    expect(shown()).toBe(
      'a> wrong\nWhat was typed for later questions is left out.\nagain> right\n',
    );
  });

  it('lets a line be mended', async () => {
    const { keyboard, type, shown } = terminal();
    const line = keyboard.ask('> ', VISIBLE);
    type('x\u0015م\u007F\u007Fa😀\u0008\u001B[Db\r');
    expect(await line).toBe('ab');
    expect(shown()).toBe('> x\b \bم\b \ba😀\b \bb\n');
  });

  it('ends with the input, with Ctrl-D and with Ctrl-C, between questions too', async () => {
    const { keyboard, type, end, interrupt, isRaw } = terminal();
    const first = keyboard.ask('> ', HIDDEN);
    type('\u0004');
    expect(await first).toBeNull();
    const second = keyboard.ask('> ', VISIBLE);
    end();
    expect(await second).toBeNull();
    const third = keyboard.ask('> ', VISIBLE);
    type('line\r');
    expect(await third).toBe('line');
    expect(interrupt).not.toHaveBeenCalled();
    type('\u0003');
    expect([interrupt.mock.calls.length, isRaw()]).toEqual([1, false]);
  });
});
